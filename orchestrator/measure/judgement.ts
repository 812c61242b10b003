/**
 * Is a run a result at all? Only when nothing acknowledged was lost, when something happened, and when the
 * network was what it was said to be. Otherwise its numbers are of nothing, and are never averaged in.
 */

import { serverId } from "#node/core/identity.ts";
import type { Zxid } from "#node/core/zxid.ts";
import { equalDigests } from "../check/convergence.ts";
import type { Digest } from "../check/history.ts";
import { type Finding, finding, type Verdict, verdict } from "../check/verdict.ts";
import type { Recording, ServiceRecording } from "../recording/recording.ts";
import type { Certificate } from "../testbed/network/certificate.ts";
import type { ServicePlan } from "../plan/plan.ts";
import { SYSTEMS } from "../system/catalog.ts";
import type { WriteOperation } from "../workload/operation.ts";
import type { Measures } from "./measures.ts";

/** A network farther from its topology than this is another network. */
const TOLERANCE_MS = 0.2;
const TOLERANCE_SHARE = 0.02;
/**
 * Under load whoever measures is woken later, too. What that adds within a site is nothing beside the ways
 * between sites: a hundredth of the longest may come on top, where there are any.
 */
const LOADED_SHARE = 0.01;
/** Means of a round trip. */
export const isFaithful = (measuredMs: number, wantedMs: number, slackMs = TOLERANCE_MS): boolean =>
  Math.abs(measuredMs - wantedMs) <= slackMs + TOLERANCE_SHARE * wantedMs;

export function judgeRun(recording: ServiceRecording, measures: Measures): Verdict {
  const findings = [
    acknowledgedWritesAreThere(recording),
    oneOrder(recording),
    equalDigests(digests(recording)),
    servedInSteadyState(recording.plan, measures),
    ...fidelity(recording),
  ];
  const { finals, unmeasured } = recording;
  if (finals.length === 0) findings.push(incomplete(unmeasured.finals ?? "nothing was read back"));
  return verdict(recording.interrupted ? interrupted(findings) : findings);
}

/**
 * What was seen of an interrupted run is as true as ever; what was not seen yet proves nothing against it.
 */
function interrupted(findings: readonly Finding[]): readonly Finding[] {
  const open = findings.map((one): Finding => {
    const isOpen = one.operations === 0 || one.property === STEADY;
    return isOpen ? { ...one, judgement: "unknown", reasons: ["interrupted before it could be seen"] } : one;
  });
  return [...open, incomplete("the run was interrupted")];
}

/**
 * Every client writes into a key of its own. In the end each server holds the client's last write, or one
 * that ended as unknown after it, and has counted every write that took effect. The last is the one that was
 * sent last, or, where a client's requests may overtake each other, the one that was told the last place.
 */
function acknowledgedWritesAreThere({ plan, operations, finals }: ServiceRecording): Finding {
  const { clientOrder } = SYSTEMS[plan.subject.system].promises;
  const wrong: string[] = [];
  const ofClient = Map.groupBy(operations, ({ client }) => client);
  const looked = new Set(finals.flatMap(({ keys }) => keys.map(({ client }) => client)));
  const acknowledged = operations.filter(({ outcome, client }) => outcome === "ok" && looked.has(client));
  for (const { server, keys } of finals) {
    for (const { client, lastId, version } of keys) {
      const own = ofClient.get(client) ?? [];
      const ok = own.filter(({ outcome }) => outcome === "ok");
      const unknown = own.filter(({ outcome }) => outcome === "unknown");
      const last = lastOf(ok, clientOrder);
      const there = own.find(({ id }) => id === lastId);
      const isBehind = clientOrder
        ? lastId < (last?.id ?? -1)
        : last !== undefined && (lastId < 0 || (there?.outcome === "ok" && there.zxid < last.zxid));
      if (isBehind) {
        wrong.push(
          `p${server}: client ${client}'s write ${last?.id} was acknowledged, the last there is ${lastId}`,
        );
      } else if (lastId >= 0 && (there === undefined || there.outcome === "failed")) {
        wrong.push(`p${server}: client ${client}'s write ${lastId} is there, although it was not done`);
      }
      if (version < ok.length || version > ok.length + unknown.length) {
        const expected = `${ok.length} to ${ok.length + unknown.length}`;
        wrong.push(`p${server} has counted ${version} writes of client ${client}, not ${expected}`);
      }
    }
  }
  return finding("no acknowledged write lost", acknowledged.length, wrong);
}

const lastOf = (ok: readonly WriteOperation[], clientOrder: boolean): WriteOperation | undefined =>
  ok.toSorted((a, b) => (clientOrder ? a.id - b.id : a.zxid - b.zxid)).at(-1);

/**
 * Every write has a place of its own in one order, which the reply tells. A session is told of ever later
 * places, where that is promised, and so is everybody: what was sent after another write was acknowledged
 * comes after it. All instants are of one clock.
 */
function oneOrder({ plan, operations }: ServiceRecording): Finding {
  const { clientOrder } = SYSTEMS[plan.subject.system].promises;
  const ok = operations.filter(({ outcome, zxid }) => outcome === "ok" && zxid > 0);
  const wrong: string[] = [];
  const said = ({ client, id, zxid }: WriteOperation): string => `${zxid} for ${id} of client ${client}`;
  for (const [client, own] of clientOrder ? Map.groupBy(ok, (operation) => operation.client) : []) {
    let before: WriteOperation | undefined;
    for (const operation of own.toSorted((a, b) => a.completed - b.completed || a.id - b.id)) {
      if (before !== undefined && operation.zxid < before.zxid) {
        wrong.push(`client ${client} was told of ${before.zxid} for ${before.id}, then ${operation.zxid}`);
      }
      before = operation;
    }
  }
  for (const sharing of Map.groupBy(ok, ({ zxid }) => zxid).values()) {
    if (sharing.length > 1) wrong.push(`one place for several writes: ${sharing.map(said).join(", ")}`);
  }
  const byCompletion = ok.toSorted((a, b) => a.completed - b.completed);
  let [latest, ended] = [undefined as WriteOperation | undefined, 0];
  for (const operation of ok.toSorted((a, b) => a.sent - b.sent)) {
    for (; (byCompletion[ended]?.completed ?? Infinity) < operation.sent; ended += 1) {
      const completed = byCompletion[ended];
      if (completed !== undefined && completed.zxid > (latest?.zxid ?? 0)) latest = completed;
    }
    if (
      latest !== undefined &&
      operation.zxid < latest.zxid &&
      (!clientOrder || latest.client !== operation.client)
    )
      wrong.push(
        `${said(latest)} was acknowledged, and what was sent later came before it: ${said(operation)}`,
      );
  }
  return finding("sessions see one order", ok.length, wrong);
}

function digests({ finals }: ServiceRecording): readonly Digest[] {
  return finals.map(({ server, zxid, digest }) => ({
    kind: "digest",
    server: serverId(server),
    zxid: zxid as Zxid,
    digest,
  }));
}

/** A run in which hardly anything was acknowledged in a steady phase measured something else. */
function servedInSteadyState(plan: ServicePlan, { latencies }: Measures): Finding {
  const wrong: string[] = [];
  let acknowledged = 0;
  const apart = cutOffToTheEnd(plan);
  for (const phase of ["before", "after"] as const) {
    const reached = Object.entries(latencies.sites).flatMap(([site, byPhase]) =>
      phase === "after" && apart.has(site) ? [] : [byPhase[phase]],
    );
    const served = sum(reached.map((one) => one.acknowledged));
    acknowledged += served;
    const lost = sum(reached.map(({ failed, unknown }) => failed + unknown));
    if (lost > served * MOST_LOST)
      wrong.push(`${phase} the fault, ${lost} writes failed against ${served} served`);
  }
  return finding(STEADY, acknowledged, wrong);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Sites whose clients wait for a network, and not for the service. */
function cutOffToTheEnd({ faults }: ServicePlan): ReadonlySet<string> {
  const apart = new Set<string>();
  for (const { fault } of faults) {
    if (fault.kind === "heal") {
      if (fault.from === null) apart.clear();
      else if (fault.from.kind === "site") apart.delete(fault.from.site);
    } else if ((fault.kind === "cut" || fault.kind === "cut-one-way") && fault.from.kind === "site") {
      if (fault.to === null) apart.add(fault.from.site);
    }
  }
  return apart;
}

export function fidelity({
  plan,
  certificates: { idle, loaded },
  unmeasured,
}: Recording): readonly Finding[] {
  if (plan.runtime === "sim") return [];
  const property = "the network is the topology's";
  const before = [
    finding(property, (idle?.ways ?? []).length, unfaithful(plan, idle)),
    ...handshakes(plan, idle, ""),
    ...multicast(idle),
  ];
  const underLoad = `${property}, under load too`;
  if (unmeasured.loaded !== undefined) return [...before, unseen(underLoad, unmeasured.loaded)];
  if (loaded === null) return before;
  const wrong = [...unfaithful(plan, loaded, slackUnderLoad(plan, loaded))];
  const { late } = loaded;
  if (late !== null && late > MOST_LATE) wrong.push(`${(100 * late).toFixed(1)} % of the packets were late`);
  return [
    ...before,
    finding(underLoad, loaded.ways.length, wrong),
    ...handshakes(plan, loaded, ", under load too"),
  ];
}

/**
 * Kernels shake hands and measure that by themselves: neither the clients' packets nor the clocks of the
 * probes have a part in it, so who shaped, or measured, datagrams only is found out.
 */
function handshakes(
  plan: Pick<ServicePlan, "topology">,
  certificate: Certificate | null,
  when: string,
): readonly Finding[] {
  if (certificate === null) return [];
  const property = `TCP handshakes find the same network${when}`;
  const seen = certificate.ways.flatMap(({ from, to, roundTrip: { tcp } }) =>
    tcp === null ? [] : [{ from, to, wanted: wantedMs(plan, from, to), found: tcp / 1e3 }],
  );
  if (seen.length === 0) return [unseen(property, "no hands were shaken")];
  const wrong = seen.filter(
    ({ wanted, found }) => Math.abs(found - wanted) > HANDSHAKES_MS + TOLERANCE_SHARE * wanted,
  );
  const told = wrong.map(
    ({ from, to, wanted, found }) =>
      `${from} to ${to}: ${found.toFixed(2)} ms instead of ${wanted.toFixed(2)}`,
  );
  return [finding(property, seen.length, told)];
}

function multicast(certificate: Certificate | null): readonly Finding[] {
  if (certificate?.multicast === undefined) return [];
  const { messages, faults } = certificate.multicast;
  return [finding("multicast is lost as the topology says", messages, faults)];
}

const wantedMs = ({ topology }: Pick<ServicePlan, "topology">, from: string, to: string): number =>
  (topology.link(from, to).delay + topology.link(to, from).delay) / 1e3;

const slackUnderLoad = (plan: Pick<ServicePlan, "topology">, { ways }: Certificate): number =>
  Math.max(TOLERANCE_MS, LOADED_SHARE * Math.max(0, ...ways.map(({ from, to }) => wantedMs(plan, from, to))));

const unfaithful = (
  plan: Pick<ServicePlan, "topology">,
  certificate: Certificate | null,
  slackMs = TOLERANCE_MS,
): readonly string[] =>
  (certificate?.ways ?? []).flatMap(({ from, to, roundTrip }) => {
    const wanted = wantedMs(plan, from, to);
    const meanMs = roundTrip.udp / 1e3;
    return isFaithful(meanMs, wanted, slackMs)
      ? []
      : [`${from} to ${to}: ${meanMs.toFixed(2)} ms instead of ${wanted.toFixed(2)}`];
  });

const unseen = (property: string, reason: string): Finding => ({
  property,
  judgement: "unknown",
  operations: 0,
  reasons: [reason],
});

const incomplete = (reason: string): Finding => unseen("the run is whole", reason);

/** A way has some twenty handshakes, so that one which a stall of the machine held up moves their mean. */
const HANDSHAKES_MS = 1;
/** Of all packets, by more than a millisecond. */
const MOST_LATE = 0.01;
const STEADY = "writes are served in steady state";
/** Requests under way at the end of a phase, when the fault comes. */
const MOST_LOST = 0.02;
