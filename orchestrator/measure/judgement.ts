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
import type { WriteOperation } from "../workload/operation.ts";
import type { Measures } from "./measures.ts";

/** A network farther from its topology than this is another network. */
const TOLERANCE_MS = 0.2;
const TOLERANCE_SHARE = 0.02;
/** Means of a round trip. */
export const isFaithful = (measuredMs: number, wantedMs: number): boolean =>
  Math.abs(measuredMs - wantedMs) <= TOLERANCE_MS + TOLERANCE_SHARE * wantedMs;

export function judgeRun(recording: ServiceRecording, measures: Measures): Verdict {
  const findings = [
    acknowledgedWritesAreThere(recording),
    oneOrder(recording.operations),
    equalDigests(digests(recording)),
    servedInSteadyState(measures),
    ...fidelity(recording),
  ];
  if (recording.finals.length === 0) findings.push(incomplete("nothing was read back"));
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
 * Every client writes into a key of its own, in the order of its requests. In the end each server holds the
 * client's last write, or one that ended as unknown after it, and has counted every write that took effect.
 */
function acknowledgedWritesAreThere({ operations, finals }: ServiceRecording): Finding {
  const wrong: string[] = [];
  const ofClient = Map.groupBy(operations, ({ client }) => client);
  const acknowledged = operations.filter(({ outcome }) => outcome === "ok").length;
  for (const { server, keys } of finals) {
    for (const { client, lastId, version } of keys) {
      const own = ofClient.get(client) ?? [];
      const ok = own.filter(({ outcome }) => outcome === "ok");
      const unknown = own.filter(({ outcome }) => outcome === "unknown");
      const lastOk = ok.reduce((latest, { id }) => Math.max(latest, id), -1);
      const there = own.find(({ id }) => id === lastId);
      if (lastId < lastOk) {
        wrong.push(
          `p${server}: client ${client}'s write ${lastOk} was acknowledged, its last one there is ${lastId}`,
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
  return finding("no acknowledged write lost", finals.length === 0 ? 0 : acknowledged, wrong);
}

/** Replies of one session tell ever newer states, and no two writes have one place. */
function oneOrder(operations: readonly WriteOperation[]): Finding {
  const ok = operations.filter(({ outcome, zxid }) => outcome === "ok" && zxid > 0);
  const wrong: string[] = [];
  for (const [client, own] of Map.groupBy(ok, (operation) => operation.client)) {
    let before: WriteOperation | undefined;
    for (const operation of own.toSorted((a, b) => a.completed - b.completed || a.id - b.id)) {
      if (before !== undefined && operation.zxid < before.zxid) {
        wrong.push(`client ${client} was told of ${before.zxid} for ${before.id}, then ${operation.zxid}`);
      }
      before = operation;
    }
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
function servedInSteadyState({ latencies }: Measures): Finding {
  const wrong: string[] = [];
  let acknowledged = 0;
  for (const phase of ["before", "after"] as const) {
    const { latency, failed, unknown } = latencies.overall[phase];
    const served = latency?.count ?? 0;
    acknowledged += served;
    const lost = failed + unknown;
    if (lost > served * MOST_LOST)
      wrong.push(`${phase} the fault, ${lost} writes failed against ${served} served`);
  }
  return finding(STEADY, acknowledged, wrong);
}

export function fidelity({ plan, certificates: { idle, loaded } }: Recording): readonly Finding[] {
  if (plan.runtime === "sim") return [];
  const property = "the network is the topology's";
  const before = finding(property, between(idle).length, unfaithful(plan, idle));
  if (loaded === null) return [before];
  const wrong = [...unfaithful(plan, loaded)];
  const { late } = loaded;
  if (late !== null && late > MOST_LATE) wrong.push(`${(100 * late).toFixed(1)} % of the packets were late`);
  return [before, finding(`${property}, under load too`, between(loaded).length, wrong)];
}

/** The ways between sites. */
const between = (certificate: Certificate | null): Certificate["ways"] =>
  (certificate?.ways ?? []).filter(({ from, to }) => from !== to);

const unfaithful = (
  plan: Pick<ServicePlan, "topology">,
  certificate: Certificate | null,
): readonly string[] =>
  between(certificate).flatMap(({ from, to, roundTrip }) => {
    const wanted = (plan.topology.link(from, to).delay + plan.topology.link(to, from).delay) / 1e3;
    const meanMs = roundTrip.udp / 1e3;
    return isFaithful(meanMs, wanted)
      ? []
      : [`${from} to ${to}: ${meanMs.toFixed(2)} ms instead of ${wanted.toFixed(2)}`];
  });

const incomplete = (reason: string): Finding => ({
  property: "the run is whole",
  judgement: "unknown",
  operations: 0,
  reasons: [reason],
});

/** Of all packets, by more than a millisecond. */
const MOST_LATE = 0.01;
const STEADY = "writes are served in steady state";
/** Requests under way at the end of a phase, when the fault comes. */
const MOST_LOST = 0.02;
