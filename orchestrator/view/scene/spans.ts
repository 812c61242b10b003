/** The whole of a trial at a glance: who was what from when to when, and when nobody was served. */

import type { StreamRecord } from "../record.ts";
import { type Role, Scene } from "./scene.ts";

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface RoleSpan extends Span {
  readonly server: number;
  readonly role: Role;
  readonly epoch: number | null;
}

export interface Painted extends Span {
  readonly roles: readonly RoleSpan[];
  readonly outages: readonly Span[];
  readonly faults: readonly { readonly at: number; readonly fault: string }[];
  /** Where a step from event to event stops. */
  readonly stops: readonly number[];
}

export function painted(records: readonly StreamRecord[]): Painted {
  const scene = new Scene();
  const open = new Map<number, { from: number; role: Role; epoch: number | null }>();
  const roles: RoleSpan[] = [];
  const outages: { from: number; to: number }[] = [];
  const stops = new Set<number>();
  let [first, last] = [0, 0];
  for (const record of records) {
    scene.take(record);
    if (!("at" in record)) continue;
    const { at } = record;
    first = Math.min(first, at);
    last = Math.max(last, at);
    if (record.kind === "fault" || (record.kind === "event" && record.says !== null)) stops.add(at);
    for (const { id, role, epoch } of scene.servers.values()) {
      const known = open.get(id);
      if (known?.role === role && known.epoch === epoch) continue;
      if (known !== undefined)
        roles.push({ server: id, from: known.from, to: at, role: known.role, epoch: known.epoch });
      open.set(id, { from: at, role, epoch });
    }
    const parting = scene.partings.at(-1);
    if (parting !== undefined) {
      if (outages.at(-1)?.from !== parting.from)
        outages.push({ from: parting.from, to: Number.POSITIVE_INFINITY });
      const latest = outages.at(-1);
      if (latest !== undefined) latest.to = parting.until ?? Number.POSITIVE_INFINITY;
      if (parting.until !== null) stops.add(parting.until);
    }
    const { outage } = scene;
    if (outage === null) continue;
    if (outages.at(-1)?.from !== outage.from)
      outages.push({ from: outage.from, to: Number.POSITIVE_INFINITY });
    const latest = outages.at(-1);
    if (latest !== undefined && outage.until !== null) {
      latest.to = outage.until;
      stops.add(outage.until);
    }
  }
  for (const [server, { from, role, epoch }] of open) roles.push({ server, from, to: last, role, epoch });
  return {
    from: first,
    to: last,
    roles,
    outages: outages.map(({ from, to }) => ({ from, to: Math.min(to, last) })),
    faults: scene.faults.map(({ at, fault }) => ({ at, fault })),
    stops: [...stops].sort((a, b) => a - b),
  };
}
