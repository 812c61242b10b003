/**
 * The made recording with everything unequal, so that no number can stand for another: latencies with a tail
 * that differ by site, requests that failed or ended as unknown, clients that are late, unequal certificates,
 * resources and traffic.
 *
 * Request number `n` of the client at index `i` takes 20 + 10 i + n mod 100 ms before the fault, 200 ms more
 * where n mod 100 is 99, and half of all that afterwards. It fails after 700 ms where n mod 197 is 5, and
 * is given up after 900 ms where n mod 131 is 7.
 */

import { PURPOSES, type Volumes } from "#node/telemetry/traffic.ts";
import type { ServiceRecording } from "../recording/recording.ts";
import type { RecordedEvent } from "../system/system.ts";
import type { WriteOperation } from "../workload/operation.ts";
import type { Certificate } from "../testbed/network/certificate.ts";
import { madeCertificate } from "./made-certificate.ts";
import { FAULT, inOrder, madeRecording } from "./made-recording.ts";

const SERVED_AGAIN = FAULT + 360_000;

export function unevenRecording(): ServiceRecording {
  const made = madeRecording();
  const clients = made.clients.length;
  const operations = inOrder(
    made.operations.map((one) => uneven(one, Math.floor(one.id / clients), one.id % clients)),
    FAULT,
  );
  const finals = made.finals.map((final) => ({
    ...final,
    keys: final.keys.map(({ client }) => {
      const own = operations.filter((one) => one.client === client && one.outcome === "ok");
      return { client, lastId: Math.max(...own.map(({ id }) => id)), version: own.length };
    }),
  }));
  const ways = [
    ["slac", "fnal", 53.3],
    ["fnal", "slac", 53.4],
    ["slac", "caltech", 10.1],
  ] as const;
  return {
    ...made,
    operations,
    finals,
    plan: { ...made.plan, runtime: "netns" },
    events: [...made.events, ...tellings()].toSorted((a, b) => a.at - b.at),
    certificates: {
      idle: madeCertificate(ways),
      loaded: {
        ...asked(madeCertificate(ways.map(([from, to, ms]) => [from, to, ms + 0.15] as const))),
        condition: "loaded",
        verdict: "invalid",
        reasons: ["slac to fnal: the p99 is 393 us too long"],
        late: 0.004,
      },
    },
    machine: { syncMs: 1.25, exitMs: 31.5 },
    resources: [
      { who: "orchestrator", cpuSeconds: 1.5, peakBytes: 2 ** 27 },
      { who: "clients-slac", cpuSeconds: 2.25, peakBytes: 2 ** 26 },
      { who: "p1", cpuSeconds: 9, peakBytes: 3 * 2 ** 26 },
      { who: "network", cpuSeconds: 4, peakBytes: 2 ** 25 },
    ],
    environment: {
      command: "make run TOPOLOGY=3dc",
      startedAt: "2026-01-02",
      sources: "5e",
      version: "0.1.0",
      commit: "c0ffee",
      node: "v24",
      kernel: "6.1",
      machine: "two cores",
      engine: "plane",
    },
  };
}

/** The middle way is the farthest from what was asked, and shorter. */
const asked = (certificate: Certificate): Certificate => ({
  ...certificate,
  ways: certificate.ways.map((way, index) => ({
    ...way,
    roundTrip: {
      ...way.roundTrip,
      asked: way.roundTrip.udp + ([-50, 210, -120][index] ?? 0),
      tcp: way.roundTrip.udp + 310,
    },
    meanError: 11 * (index + 1),
    ks: 0.01 * (index + 1),
    loss: { asked: 0, achieved: 0.003 * (index + 1) },
    reordered: index,
  })),
});

function uneven(one: WriteOperation, number: number, index: number): WriteOperation {
  const late = { ...one, sent: one.intended + 100 * (number % 10) + 50 * index };
  if (number % 197 === 5) return { ...late, completed: one.intended + 700e3, outcome: "failed" };
  if (number % 131 === 7) return { ...late, completed: one.intended + 900e3, outcome: "unknown" };
  const usual = 1e3 * (20 + 10 * index + (number % 100) + (number % 100 === 99 ? 200 : 0));
  // What the old leader could not answer any more, the next one does, in the order of the requests.
  const isHeld = one.intended < SERVED_AGAIN && one.intended + usual >= FAULT;
  const completed = isHeld
    ? SERVED_AGAIN + 10e3 * index + number
    : one.intended + (one.intended < FAULT ? usual : usual / 2);
  return { ...late, completed };
}

/** p1 has sent twice as much as p3, of every purpose another number, and more each second. */
function tellings(): RecordedEvent[] {
  const sent = (times: number): Volumes =>
    Object.fromEntries(
      PURPOSES.map((purpose, index) => [
        purpose,
        { messages: (index + 1) * times, bytes: (index + 2) * 111 * times },
      ]),
    ) as Volumes;
  const moments = [3, 5, 8, 10.005, 10.2, 10.365, 11, 14, 18];
  return moments.flatMap((second, index) =>
    [1, 3].map((server) => ({
      at: second * 1e6,
      server,
      event: { kind: "traffic" as const, sent: sent(index * index * (server === 1 ? 20 : 10)) },
    })),
  );
}
