/**
 * How exact and how fast the packet plane is on this machine: what was promised beside what is measured, as a
 * table and as JSON. What others compute meanwhile counts against the plane, so the machine's load stands
 * above the table.
 */

import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { bandwidths, capacity } from "./bench/capacity.ts";
import { changes, exactness, jitter, proberAlone } from "./bench/exactness.ts";
import type { Line } from "./bench/line.ts";
import { starts } from "./bench/starts.ts";
import { underLoad } from "./bench/under-load.ts";

/** Runs every measurement in turn; `tell` gets each line as soon as it is known. */
export async function benchPlane(tell: (line: Line) => void): Promise<readonly Line[]> {
  const lines: Line[] = [];
  const note = (what: string, unit: string, asked: Line["asked"], measured: number): void => {
    const line = { what, unit, asked, measured };
    lines.push(line);
    tell(line);
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
  await jitter(note);
  await changes(note);
  await capacity(note);
  await bandwidths(note);
  await starts(note);
  await underLoad(note);
  note("load of this machine after", "processes", null, loadavg()[0] ?? 0);
  note("processor time that the host took away meanwhile", "s", null, stolen() - stolenBefore);
  return lines;
}

/**
 * On a virtual machine: seconds in which the host ran somebody else. Every one of them is a stall of all of
 * us.
 */
function stolen(): number {
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  return Number(line.split(/\s+/)[8]) / 100;
}
