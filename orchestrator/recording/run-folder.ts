/**
 * The files of a run: raw data first, everything else can be made from them again.
 *
 *   trial.json         the plan, with the network it asked for
 *   operations.csv     one line for each request
 *   events.ndjson      what replicas told, one a line, and the faults among them
 *   measured.json      achieved round trips, final states, resources, environment
 */

import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isEventKind, type ReplicaEvent } from "#node/telemetry/event.ts";
import { RefusedInput } from "../terminal/problem.ts";
import { parsePlan, printPlan } from "../plan/plan-text.ts";
import { OPERATIONS_HEADER, parseOperations, printOperation } from "../workload/operation.ts";
import type { Mark, Recording } from "./recording.ts";
import type { RecordedEvent } from "../system/system.ts";

export function writeRecording(folder: string, recording: Recording): void {
  const { plan, operations, events, marks, ...measured } = recording;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "trial.json"), printPlan(plan));
  const lines = operations.map(printOperation);
  writeFileSync(join(folder, "operations.csv"), OPERATIONS_HEADER + lines.join(""));
  const told = [...events, ...marks].sort((a, b) => a.at - b.at).map((line) => JSON.stringify(line));
  writeFileSync(join(folder, "events.ndjson"), told.map((line) => `${line}\n`).join(""));
  writeFileSync(
    join(folder, "measured.json"),
    `${JSON.stringify({ format: FORMAT, ...measured }, null, 1)}\n`,
  );
}

type Measured = { format: string } & Omit<Recording, "plan" | "operations" | "events" | "marks">;

/** Throws a RefusedInput that names the file and what is wrong with it. */
export function readRecording(folder: string): Recording {
  const plan = parsePlan(read(folder, "trial.json"));
  if (typeof plan === "string") throw refused(folder, "trial.json", plan);
  const operations = parseOperations(read(folder, "operations.csv"));
  if (typeof operations === "string") throw refused(folder, "operations.csv", operations);
  const { events, marks } = parseEvents(folder, plan.subject.election.name);
  return { plan, operations, events, marks, ...readMeasured(folder) };
}

function readMeasured(folder: string): Omit<Measured, "format"> {
  let measured: Measured;
  try {
    measured = JSON.parse(read(folder, "measured.json")) as Measured;
  } catch (error) {
    if (error instanceof RefusedInput) throw error;
    throw refused(folder, "measured.json", "it is no JSON; was the run cut off while it was written?");
  }
  const { format, ...rest } = measured;
  if (format === FORMAT) return rest;
  const told = `its format is "${format}", this version reads "${FORMAT}"`;
  throw refused(folder, "measured.json", `${told}: run the trial again`);
}

/**
 * `latest` beside the run folder points at it; replaced in one step, so that it always points at something.
 */
export function pointLatest(folder: string): void {
  const link = join(dirname(folder), "latest");
  const fresh = `${link}.${process.pid}`;
  rmSync(fresh, { force: true });
  symlinkSync(basename(folder), fresh);
  renameSync(fresh, link);
}

function parseEvents(folder: string, election: string): { events: RecordedEvent[]; marks: Mark[] } {
  const events: RecordedEvent[] = [];
  const marks: Mark[] = [];
  const text = read(folder, "events.ndjson");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  for (const [index, line] of whole.split("\n").entries()) {
    if (line === "") continue;
    let parsed: { at: number; event?: ReplicaEvent };
    try {
      parsed = JSON.parse(line) as typeof parsed;
    } catch {
      throw refused(folder, "events.ndjson", `line ${index + 1} is no JSON`);
    }
    if (parsed.event === undefined) marks.push(parsed as unknown as Mark);
    else events.push({ ...(parsed as RecordedEvent), event: asTold(parsed.event, election) });
  }
  return { events, marks };
}

/** Before elections had words of their own, what they told were kinds of event, `candidate` and `heard`. */
function asTold(event: ReplicaEvent, election: string): ReplicaEvent {
  const { kind, ...fields }: { kind: string } = event;
  return isEventKind(kind) ? event : { kind: "observed", election, facts: { ...fields, name: kind } };
}

function read(folder: string, file: string): string {
  try {
    return readFileSync(join(folder, file), "utf8");
  } catch {
    throw refused(folder, file, "cannot be read; is this the folder of a run?");
  }
}

const refused = (folder: string, file: string, what: string): RefusedInput =>
  new RefusedInput(`${join(folder, file)}: ${what}`);

const FORMAT = "polebench measured 2";
