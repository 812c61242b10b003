/**
 * The leader's own clients are answered first; where each waits for its answer, they therefore send most, and
 * an oracle that counts what was sent takes that for their being the most. By what clients offer it does not.
 *
 * Four clients are at one site, twelve at another, 80 ms away; a third site lies between. Each begins at
 * either of the two.
 */

import { serverId } from "#node/core/identity.ts";
import { milliseconds, seconds } from "#node/core/time.ts";
import { planTrial } from "../../plan/flags.ts";
import { simulateWith } from "../../runner/virtual/trial.ts";
import { parseTopology } from "../../topology/topology.ts";
import type { Schedule } from "../../workload/schedule.ts";
import { sweepLines } from "../../report/chart/sweep-lines.ts";
import { middleOf } from "../../statistics/middle.ts";
import type { Found, HandoverExperiment } from "./experiment.ts";
import { gainsOf, leaderAt, leadersOf, meanMs, sentIn, shortest, unanswered } from "./reign.ts";

const MAP = `sites:
  few: { servers: [p1, p2], load: 1 }
  many: { servers: [p3, p4], load: 1 }
  between: { servers: [p5], load: 0 }
links:
  - { between: [few, many], rtt: 80ms }
  - { between: [few, between], rtt: 10ms }
  - { between: [many, between], rtt: 10ms }
`;
const CLIENTS = { few: 4, many: 12 } as const;
const THINK = milliseconds(5);
const RESIGN = "margin=10%,hold=2s,quiet=3s,most=100";

const ARMS = [
  { oracle: "request", requests: "sent" },
  { oracle: "request", requests: "offered" },
  { oracle: "latency", requests: "sent" },
  { oracle: "latency", requests: "offered" },
] as const;

type Arm = (typeof ARMS)[number];

export const feedback: HandoverExperiment = {
  name: "feedback",
  title: "Clients that wait confirm the leader that they are near",
  question:
    "Four clients are at one site and twelve at another, each asks again when it is answered, and the " +
    "leader may move. Does it go to where most clients are, wherever it began?",
  run: ({ quick, seed }) => {
    const lasts = quick ? 24 : 40;
    const runs = ARMS.flatMap((arm) =>
      [1, 3].map((begin) => ({ arm, begin, ...one(arm, begin, lasts, seed) })),
    );
    return foundOf(runs, lasts);
  },
};

function one({ oracle, requests }: Arm, begin: number, lasts: number, seed: number) {
  const flags = { oracle, requests, resign: RESIGN, duration: `${lasts}s`, warmUp: "1s", killAt: "never" };
  const plan = planTrial({ ...flags, firstLeader: `p${begin}`, seed: String(seed), topology: "3dc" }, "sim");
  const topology = parseTopology(MAP, "feedback.yaml");
  const moved = { ...plan, topology, subject: { ...plan.subject, firstLeader: serverId(begin) } };
  const load = { schedule: firstWrites(), closed: { think: THINK, until: seconds(lasts) } };
  const recording = simulateWith(moved, { load });
  const late = sentIn(recording.operations, (lasts - 10) * 1e6, (lasts - 1) * 1e6);
  const clients = new Map<number, (typeof late)[number][]>();
  for (const operation of late) {
    const own = clients.get(operation.client);
    if (own === undefined) clients.set(operation.client, [operation]);
    else own.push(operation);
  }
  const ofClients = [...clients.values()].map(meanMs);
  const perSecond = Array.from(
    { length: lasts },
    (_, at) => sentIn(recording.operations, at * 1e6, (at + 1) * 1e6).length,
  );
  return {
    recording,
    perSecond,
    end: leaderAt(recording, lasts * 1e6),
    rate: late.length / 9,
    clientMs: ofClients.reduce((sum, value) => sum + value, 0) / ofClients.length,
    missed: unanswered(recording),
  };
}

/** Each client begins a little later than the one before. */
function firstWrites(): Schedule {
  const clients = [
    ...Array.from({ length: CLIENTS.few }, (_, index) => ({ site: "few", home: 1 + (index % 2) })),
    ...Array.from({ length: CLIENTS.many }, (_, index) => ({ site: "many", home: 3 + (index % 2) })),
  ].map((client, index) => ({ id: index + 1, ...client }));
  return {
    payloadBytes: 1024,
    clients,
    intended: Float64Array.from(clients, (_, index) => index * 1000),
    client: Uint16Array.from(clients, ({ id }) => id),
  };
}

type Run = { readonly arm: Arm; readonly begin: number } & ReturnType<typeof one>;

const siteOf = (leader: number): string => (leader <= 2 ? "few" : leader <= 4 ? "many" : "between");
const nameOf = ({ arm, begin }: Run): string =>
  `${arm.oracle} by what is ${arm.requests}, from ${siteOf(begin)}`;

function foundOf(runs: readonly Run[], lasts: number): Found {
  const sent = runs.filter(({ arm }) => arm.requests === "sent");
  const offered = runs.filter(({ arm }) => arm.requests === "offered");
  const drawn = runs.filter(({ begin }) => begin === 1);
  const xs = Array.from({ length: lasts - 1 }, (_, at) => at);
  const rateOf = (some: readonly Run[]): number =>
    some.reduce((sum, { rate }) => sum + rate, 0) / some.length;
  return {
    figures: [
      sweepLines({
        name: "feedback",
        title: "Who waits for each answer sends more once its leader is near",
        caption: "writes a second of all 16 clients; the leader begins among the four, and may move",
        xAxis: "time (s)",
        yAxis: "writes/s",
        xs,
        lines: drawn.map((run) => ({
          label: `${run.arm.oracle}, ${run.arm.requests}`,
          points: xs.map((at) => middleOf([run.perSecond[at] ?? 0])),
        })),
        bound: null,
      }),
    ],
    numbers: {
      columns: [
        "oracle, and where the leader began",
        "it ends at",
        "changes",
        "writes/s",
        "a client's mean, ms",
        "not answered",
      ],
      rows: runs.map((run) => [
        nameOf(run),
        `p${run.end}, ${siteOf(run.end)}`,
        leadersOf(run.recording).length - 1,
        Math.round(run.rate),
        shortest(run.clientMs),
        run.missed,
      ]),
    },
    checks: [
      {
        what: "by what is sent, the leader stays at the site where it began",
        holds: sent.every(({ begin, end }) => siteOf(begin) === siteOf(end)),
      },
      {
        what: "by what is offered, it ends where most clients are",
        holds: offered.every(({ end }) => siteOf(end) === "many"),
      },
      {
        what: "begun among the few, what is offered has them write at least 1.5 times as much",
        holds:
          rateOf(offered.filter(({ begin }) => begin === 1)) >=
          1.5 * rateOf(sent.filter(({ begin }) => begin === 1)),
      },
      { what: "no write failed or is unknown", holds: runs.every(({ missed }) => missed === 0) },
      {
        what: "every change gained",
        holds: runs
          .flatMap(({ recording }) => gainsOf(recording))
          .every(({ beforeMs, afterMs }) => afterMs < beforeMs),
      },
    ],
  };
}
