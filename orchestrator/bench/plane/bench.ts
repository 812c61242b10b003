/**
 * How exact and how fast the packet plane is on this machine: what was promised beside what is measured, as a
 * table and as JSON. What others compute meanwhile counts against the plane, so the machine's load stands
 * above the table, and everything is measured several times.
 */

import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { bandwidths, capacity } from "./capacity.ts";
import { changes, exactness, jitter, proberAlone } from "./exactness.ts";
import { type Line, Lines, type Note } from "./line.ts";
import { starts } from "./starts.ts";
import { underLoad } from "./under-load.ts";
import { Interrupted } from "../../terminal/interrupted.ts";

/** Everything in turn, so many times over; `tell` gets the lines after each. */
export async function benchPlane(
  repetitions: number,
  signal: AbortSignal,
  tell: (lines: readonly Line[], repetition: number) => void,
): Promise<readonly Line[]> {
  const lines = new Lines();
  for (let repetition = 1; repetition <= repetitions; repetition++) {
    await measureAll(lines.note, signal);
    tell(lines.all(), repetition);
  }
  return lines.all();
}

async function measureAll(told: Note, signal: AbortSignal): Promise<void> {
  // Whoever measures has its testbed open then, and closes it on the way out.
  const note: Note = (...line) => {
    if (signal.aborted) throw new Interrupted("interrupted between two measurements; nothing was stored");
    told(...line);
    console.error(`measured: ${line[0]}`);
  };
  const stolenBefore = stolen();
  note("load of this machine before", "processes", null, loadavg()[0] ?? 0);
  for (const busy of [false, true]) {
    const state = busy ? "both processors busy" : "idle";
    await exactness(note, `root, ${state}`, { most: 50 }, { most: 200 }, {}, busy);
    await exactness(note, `precise, ${state}`, { most: 15 }, null, { precise: true }, busy);
    if (!busy)
      await exactness(note, "rootless, idle", { most: 100 }, { most: 500 }, { rootless: true }, busy);
  }
  await proberAlone(note);
  await jitter(note, signal);
  await changes(note);
  await capacity(note);
  await bandwidths(note);
  await starts(note);
  await underLoad(note, signal);
  note("load of this machine after", "processes", null, loadavg()[0] ?? 0);
  note("processor time that the host took away meanwhile", "s", null, stolen() - stolenBefore);
}

/**
 * On a virtual machine: seconds in which the host ran somebody else. Every one of them is a stall of all of
 * us.
 */
function stolen(): number {
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  return Number(line.split(/\s+/)[8]) / 100;
}
