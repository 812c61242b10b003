/** Elections among peers on paper: places, counts by kind, and how an outcome is said. */

import { type ServerId, serverId } from "../../core/identity.ts";
import { type Duration, milliseconds } from "../../core/time.ts";
import type { Rehearsal, Sent } from "./rehearsal.ts";

/** Round-trip times in ms between sites, and the sites of p1, p2, ... p5 (Deployment 1). */
const RTTS: Readonly<Record<string, number>> = {
  "slac caltech": 9.88,
  "fnal slac": 53.26,
  "fnal caltech": 77.06,
};
const SITES = ["fnal", "slac", "slac", "caltech", "caltech"];
/** A LAN, as the paper measured it. */
const WITHIN_SITE = 0.1;

export function deployment1(from: ServerId, to: ServerId): Duration {
  const [a, b] = [SITES[from - 1] ?? "", SITES[to - 1] ?? ""];
  const rtt = a === b ? WITHIN_SITE : (RTTS[`${a} ${b}`] ?? RTTS[`${b} ${a}`] ?? Number.NaN);
  return milliseconds(rtt / 2);
}

/** How many messages of each kind were sent to one server each, since a time. */
export function countsOf<Message extends { readonly kind: string }>(
  { sent }: { readonly sent: readonly Sent<Message>[] },
  since = 0,
): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { at, message } of sent) if (at >= since) counts[message.kind] = (counts[message.kind] ?? 0) + 1;
  return counts;
}

/** `p1: p4` for each server that lives and has a leader. */
export const outcomeOf = <Message>({ elected }: Rehearsal<Message>): readonly string[] =>
  [...elected].map(([server, { leader }]) => `p${server}: p${leader}`).sort();

/** From a time until the first and the last that lives has elected, in ms. */
export function timesOf<Message>(
  { elected }: Rehearsal<Message>,
  since: Duration,
): readonly [number, number] {
  const times = [...elected.values()].map(({ at }) => (at - since) / 1e3);
  return [Math.min(...times), Math.max(...times)];
}

export const ids = (...numbers: readonly number[]): readonly ServerId[] => numbers.map(serverId);
