/**
 * The page of `polebench peers`: on each deployment the arms side by side, who leads and whether they keep
 * their leaders, and what an operator of each system can do about it.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServiceSummary } from "../measure/summary.ts";
import { AGAIN } from "../plan/matrix.ts";
import { provenanceOf } from "../recording/provenance.ts";
import { middleOf } from "../statistics/middle.ts";
import { aligned } from "../terminal/table.ts";
import {
  type ComparedRun,
  leadersOf,
  meanAfterOf,
  modelAfterOf,
  type OtherAttempt,
  outageOf,
  p99AfterOf,
} from "./compared-run.ts";
import { html, type Markup, table } from "./page/markup.ts";
import { badge, making, page, paragraph, type Section } from "./page/page.ts";

export interface PeersTopology {
  readonly name: string;
  readonly description: string;
  readonly runs: readonly ComparedRun[];
  readonly attempts: readonly OtherAttempt[];
}

export interface Peers {
  /** As it was typed. */
  readonly command: string;
  /** In the order in which they are shown. */
  readonly arms: readonly string[];
  readonly topologies: readonly PeersTopology[];
  readonly failed: readonly string[];
}

export interface PeersWritten {
  readonly text: string;
  readonly json: string;
}

export function writePeers(folder: string, peers: Peers): PeersWritten {
  const { command, topologies, failed } = peers;
  const environments = topologies.flatMap(({ runs }) => runs.map(({ summary }) => summary.environment));
  const made = provenanceOf(command, environments);
  const rows = topologies.map((topology) => ({ topology, rows: rowsOf(topology, peers.arms) }));
  const text = page("Oracles beside ZooKeeper and etcd", lead(topologies, failed), [
    ...rows.map(({ topology, rows: own }) => sideBySide(topology, own)),
    { title: "What an operator can do", content: ADVICE.map(paragraph) },
    { title: "All runs", content: topologies.map(runTable) },
    making(made),
  ]);
  const document = {
    format: "polebench peers 1",
    made,
    topologies: rows.map(({ topology: { name }, rows: arms }) => ({ name, arms })),
    failed,
  };
  const json = JSON.stringify(document, null, 1);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "report.html"), text);
  writeFileSync(join(folder, "peers.json"), `${json}\n`);
  return { text: rows.map(({ topology, rows: own }) => printed(topology, own)).join("\n\n"), json };
}

export interface PeersRow {
  readonly arm: string;
  /** Those that count, of all attempts that there were. */
  readonly runs: number;
  readonly attempts: number;
  readonly before: string;
  readonly after: string;
  readonly meanAfterMs: Told;
  readonly p99AfterMs: Told;
  readonly modelMs: number | null;
  readonly outageMs: Told;
  readonly unknown: Told;
  /** Between servers, a second of the load; what clients write is in it. */
  readonly packetsPerSecond: Told;
  /** Changes of leader beyond the one that the fault made. */
  readonly flaps: number;
}

type Told = ReturnType<typeof middleOf>;

function rowsOf({ runs, attempts }: PeersTopology, arms: readonly string[]): readonly PeersRow[] {
  const again = new Set(runs.map(({ arm }) => arm).filter((arm) => arm.endsWith(AGAIN)));
  return [...arms, ...again].flatMap((arm): PeersRow[] => {
    const own = runs.filter((run) => run.arm === arm);
    const valid = own.filter(({ summary }) => summary.verdict.judgement === "valid");
    const ids = new Set(own.map(({ id }) => id));
    const of = (value: (run: ComparedRun) => number | null): Told =>
      middleOf(valid.map(value).filter((one) => one !== null));
    return [
      {
        arm,
        runs: valid.length,
        attempts: own.length + attempts.filter(({ id }) => ids.has(id)).length,
        before: namesOf(valid.map(({ summary }) => summary.leaders.before)),
        after: leadersOf(valid),
        meanAfterMs: of(meanAfterOf),
        p99AfterMs: of(p99AfterOf),
        modelMs: of(modelAfterOf)?.middle ?? null,
        outageMs: of(outageOf),
        unknown: of(({ summary }) => summary.outcomes.unknown),
        packetsPerSecond: of(({ summary }) => packetsOf(summary)),
        flaps: valid.reduce((sum, { summary }) => sum + flapsOf(summary), 0),
      },
    ];
  });
}

const namesOf = (leaders: readonly (number | null)[]): string =>
  [...new Set(leaders.map((leader) => (leader === null ? "nobody" : `p${leader}`)))].sort().join(", ");

/** Leaders that came while the load lasted, but for the one that had to. */
export const flapsOf = ({ reigns, leaders }: ServiceSummary): number => {
  const during = reigns.filter(({ fromMs }) => fromMs >= 0).length;
  return Math.max(0, during - (leaders.after === null || leaders.after === leaders.before ? 0 : 1));
};

function packetsOf({ resources, trial }: ServiceSummary): number | null {
  const packets = resources.find(({ who }) => who === "network")?.packets;
  const { duration } = trial["phasesUs"] as { readonly duration: number };
  return packets === undefined ? null : packets / (duration / 1e6);
}

function lead(topologies: readonly PeersTopology[], failed: readonly string[]): Markup {
  const runs = topologies.flatMap((topology) => topology.runs);
  const valid = runs.filter(({ summary }) => summary.verdict.judgement === "valid").length;
  const attempts = topologies.flatMap((topology) => topology.attempts).length;
  return html`<p>${`${valid} of ${runs.length} runs are valid and counted; ${attempts} other attempts and \
${failed.length} failures are listed below.`}</p>`;
}

export const PEERS_COLUMNS = [
  "arm",
  "valid runs",
  "attempts",
  "led before",
  "leads after",
  "mean (ms)",
  "p99 (ms)",
  "physics of that leader (ms)",
  "outage (ms)",
  "unknown writes",
  "packets/s",
  "flaps",
] as const;

export const peersCells = (row: PeersRow): readonly (string | number)[] => [
  row.arm,
  row.runs,
  row.attempts,
  row.before,
  row.after,
  told(row.meanAfterMs, 1),
  told(row.p99AfterMs, 1),
  row.modelMs?.toFixed(1) ?? "",
  told(row.outageMs, 0),
  told(row.unknown, 0),
  told(row.packetsPerSecond, 0),
  row.flaps,
];

/** The median, with its interval where there are runs enough for one. */
function told(value: Told, digits: number): string {
  if (value === null) return "";
  const { middle, low, high } = value;
  const print = (one: number): string => one.toFixed(digits);
  return low === null || high === null ? print(middle) : `${print(middle)} (${print(low)} to ${print(high)})`;
}

const sideBySide = ({ name, description }: PeersTopology, rows: readonly PeersRow[]): Section => ({
  title: name,
  content: [paragraph(description), table(PEERS_COLUMNS, rows.map(peersCells)), paragraph(MEANING)],
});

const printed = ({ name, description }: PeersTopology, rows: readonly PeersRow[]): string =>
  [
    `${name}: ${description}`,
    ...aligned([PEERS_COLUMNS, ...rows.map((row) => peersCells(row).map(String))]),
  ].join("\n");

function runTable({ name, runs, attempts }: PeersTopology): Markup {
  const all = runs.map(({ id, folder, summary }) => [
    html`<a href="${folder}/report.html">${id}</a>`,
    badge(summary.verdict.judgement),
    "",
  ]);
  const others = attempts.map(({ id, name: attempt, judgement, reason }) => [
    `${id}, ${attempt}`,
    judgement,
    reason,
  ]);
  return table([name, "verdict", "why it does not count"], [...all, ...others], "text");
}

const MEANING =
  "Medians; in parentheses 95 % intervals, from six runs on. Mean and p99 are of writes after the " +
  "leader's process was killed and another led; outage is from its death to the first write that " +
  "the next leader acknowledged. Unknown writes were never answered. Packets are between servers, " +
  "the writes' own included. A flap is a change of leader that no fault asked for.";

const ADVICE = [
  "polebench: choose the oracle by what matters (latency for the mean, worst-case for the farthest " +
    "clients); timers follow the distances by themselves.",
  "ZooKeeper elects whoever has the newest history, and among equals the highest id: give the " +
    "highest ids to the servers that should lead. It cannot be told to move its leader; restarting " +
    "the leader is the way. Ticks say how long silence is borne (syncLimit times tickTime): ten of " +
    "the longest round trips here when tuned. A leader whose process dies is noticed at once, " +
    "whatever the ticks.",
  "etcd elects whoever stands first, after a time that is drawn between one and two election " +
    "timeouts: a dead leader costs at least that much, also where its connections end at once. Its " +
    "guide: a heartbeat each round trip, an election timeout of ten. Leadership is moved by etcdctl " +
    "move-leader; a larger election timeout at members that should not lead makes them stand last. " +
    "Writes that were on their way to the dead leader are answered after seven seconds with an error," +
    " and nobody knows whether they were done.",
];
