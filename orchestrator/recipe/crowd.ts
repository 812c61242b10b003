/**
 * A crowd in one election, and somebody else who writes to the same service: how much slower do the others'
 * writes become when all join at once, and when the leader goes?
 */

import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { connect } from "#node/recipe/recipe.ts";
import { median, statistics, type Statistics } from "../statistics/summary.ts";
import { startEnsemble } from "../system/ensemble.ts";
import type { System } from "../system/system.ts";
import { aligned } from "../terminal/table.ts";
import { child, DIE_WITH_PARENT } from "../testbed/child.ts";
import { hastened, hurried, priority } from "../testbed/priority.ts";

const MAIN = fileURLToPath(new URL("crowd-main.ts", import.meta.url));
export const CROWDS = ["chain", "herd", "priority"] as const;

export interface CrowdPlan {
  readonly recipe: (typeof CROWDS)[number];
  readonly members: number;
  readonly timeout: number;
}

export interface CrowdOutcome {
  /** Of the others' writes, in milliseconds: at rest, while all join, and while the leader goes. */
  readonly rest: Statistics;
  readonly joining: Statistics;
  readonly death: Statistics;
  /** Until all stood, and until the next led, in milliseconds. */
  readonly joinedMs: number;
  readonly handoverMs: number;
}

const SERVERS = 3;
/** Between two writes of the other. */
const PACE_MS = 5;
const REST_MS = 8000;
/** What comes of a leader's end is over by then. */
const DEATH_MS = 4000;
const PATIENCE_MS = 180_000;

export async function runCrowd(
  plan: CrowdPlan,
  system: System,
  tell: (progress: string) => void,
): Promise<CrowdOutcome> {
  const { recipe, members, timeout } = plan;
  await using ensemble = await startEnsemble(system, SERVERS);
  // The members would have machines of their own: the servers and the other come first on this one.
  const first = priority();
  using _ = hurried(first);
  for (const { pid } of ensemble.servers) hastened(first, pid);
  await using other = await connect(ensemble.connectString);
  await other.create("/other");
  const samples: { at: number; ms: number }[] = [];
  const writing = setInterval(() => {
    const at = performance.now();
    void other.set("/other", "x").then(() => samples.push({ at, ms: performance.now() - at }));
  }, PACE_MS);
  try {
    tell("at rest");
    // The code of both ends is compiled as it runs.
    await sleep(REST_MS / 2);
    const rested = performance.now();
    await sleep(REST_MS);
    tell(`${members} members join`);
    const joins = performance.now();
    const args = [recipe, ensemble.connectString, "/crowd", String(members), String(timeout)];
    const command = [...DIE_WITH_PARENT, process.execPath, MAIN, ...args];
    const crowd = child(command, { stdin: "pipe", stderr: "inherit" });
    const heard = new Heard(crowd.stdout);
    try {
      await heard.next("all stand");
      const stood = performance.now();
      await sleep(REST_MS / 2);
      tell("the leader goes");
      const dies = performance.now();
      crowd.stdin?.write("\n");
      await heard.next("led");
      const handoverMs = performance.now() - dies;
      await sleep(DEATH_MS);
      const within = (from: number, to: number): Statistics => {
        const all = statistics(samples.flatMap(({ at, ms }) => (at >= from && at < to ? [ms] : [])));
        if (all === null) throw new Error("the other's writes were not answered");
        return all;
      };
      return {
        rest: within(rested, joins),
        joining: within(joins, stood),
        death: within(dies, dies + DEATH_MS),
        joinedMs: stood - joins,
        handoverMs,
      };
    } finally {
      crowd.kill("SIGKILL");
    }
  } finally {
    clearInterval(writing);
  }
}

class Heard {
  readonly #lines: string[] = [];

  constructor(stream: NodeJS.ReadableStream | null) {
    if (stream !== null) createInterface({ input: stream }).on("line", (line) => this.#lines.push(line));
  }

  async next(line: string): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    while (!this.#lines.includes(line)) {
      if (performance.now() > end) throw new Error(`not within ${PATIENCE_MS / 1e3} s: ${line}`);
      await sleep(2);
    }
  }
}

/** Of several runs: medians, and in brackets from the least to the greatest. */
export function crowdText({ recipe, members }: CrowdPlan, outcomes: readonly CrowdOutcome[]): string {
  const of = (value: (outcome: CrowdOutcome) => number, digits: number): string => {
    const all = outcomes.map(value);
    const [middle, least, most] = [median(all), Math.min(...all), Math.max(...all)].map((each) =>
      each.toFixed(digits),
    );
    return all.length === 1 ? `${middle}` : `${middle} (${least} to ${most})`;
  };
  const row = (name: string, phase: "rest" | "joining" | "death"): string[] => [
    name,
    String(outcomes.reduce((sum, outcome) => sum + outcome[phase].count, 0)),
    ...(["p50", "p99", "max"] as const).map((each) => of((outcome) => outcome[phase][each], 1)),
    of((outcome) => outcome[phase].p99 / outcome.rest.p99, 2),
  ];
  const times = outcomes.length === 1 ? "once" : `${outcomes.length} times`;
  return [
    `${recipe}, ${members} members, ${times}; all stood after ${of(({ joinedMs }) => joinedMs, 0)} ms, ` +
      `the next led after ${of(({ handoverMs }) => handoverMs, 0)} ms. Somebody else's writes, in ms:`,
    ...aligned([
      ["", "writes", "median", "p99", "most", "p99 against rest, x"],
      row("at rest", "rest"),
      row("while all join", "joining"),
      row("while the leader goes", "death"),
    ]).map((line) => `  ${line}`),
  ].join("\n");
}
