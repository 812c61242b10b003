/** The thread that is fed: it may hang, or die of an input, and whoever watches it has the input. */

import { parentPort, workerData } from "node:worker_threads";
import { Coverage } from "./coverage.ts";
import { fuzz } from "./fuzz.ts";
import type { Target } from "./target.ts";
import { type Assignment, UnderWay } from "./watch.ts";

const {
  module,
  target: name,
  seed,
  ms,
  inputs,
  memory,
} = workerData as Assignment & {
  readonly memory: SharedArrayBuffer;
};
const underWay = new UnderWay(memory);
const coverage = Coverage.begin();
// Loaded now, so that coverage sees its blocks.
const { TARGETS } = (await import(module)) as {
  readonly TARGETS: Readonly<Record<string, () => Target | Promise<Target>>>;
};
const target = await TARGETS[name]?.();
if (target === undefined) throw new Error(`no target is named ${name}`);
parentPort?.postMessage(
  await fuzz(target, { seed, ms, inputs, coverage, underWay: (input) => underWay.set(input) }),
);
