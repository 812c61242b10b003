/**
 * The files of a run: raw data first, everything else can be made from them again.
 *
 *   trial.json         the plan, with the network it asked for
 *   operations.csv     of a service, one line for each request
 *   events.ndjson      what replicas or members told, one a line, and the faults among them
 *   measured.json      achieved round trips, final states, message counts, resources, environment
 */

import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isEventKind, type ReplicaEvent } from "#node/telemetry/event.ts";
import { RefusedInput } from "../terminal/problem.ts";
import { parsePlan, printPlan } from "../plan/plan-text.ts";
import { OPERATIONS_HEADER, parseOperations, printOperation } from "../workload/operation.ts";
import { isOfService } from "../plan/plan.ts";
import {
  type ElectionRecording,
  isServiceRecording,
  type Mark,
  type MemberEvent,
  type Recording,
  type ServiceRecording,
} from "./recording.ts";
import type { RecordedEvent } from "../system/system.ts";

export function writeRecording(folder: string, recording: Recording): void {
  mkdirSync(folder, { recursive: true });
  if (isServiceRecording(recording)) {
    const { operations, ...rest } = recording;
    writeFileSync(
      join(folder, "operations.csv"),
      OPERATIONS_HEADER + operations.map(printOperation).join(""),
    );
    writeCommon(folder, rest);
  } else writeCommon(folder, recording);
}

type Common = Pick<Recording, "plan" | "events" | "marks">;

function writeCommon(folder: string, { plan, events, marks, ...measured }: Common): void {
  writeFileSync(join(folder, "trial.json"), printPlan(plan));
  const told = [...events, ...marks].sort((a, b) => a.at - b.at).map((line) => JSON.stringify(line));
  writeFileSync(join(folder, "events.ndjson"), told.map((line) => `${line}\n`).join(""));
  writeFileSync(
    join(folder, "measured.json"),
    `${JSON.stringify({ format: FORMAT, ...measured }, null, 1)}\n`,
  );
}

type Measured<R extends Recording> = { format: string } & Omit<R, "plan" | "operations" | "events" | "marks">;

/** Throws a RefusedInput that names the file and what is wrong with it. */
export function readRecording(folder: string): Recording {
  const plan = parsePlan(read(folder, "trial.json"));
  if (typeof plan === "string") throw refused(folder, "trial.json", plan);
  const { told, marks } = parseEvents(folder);
  if (!isOfService(plan)) {
    return { plan, events: told as MemberEvent[], marks, ...readMeasured<ElectionRecording>(folder) };
  }
  const operations = parseOperations(read(folder, "operations.csv"));
  if (typeof operations === "string") throw refused(folder, "operations.csv", operations);
  const { name } = plan.subject.election;
  const events = (told as RecordedEvent[]).map((one) => ({ ...one, event: asTold(one.event, name) }));
  const measured = readMeasured<ServiceRecording>(folder, { lifted: false });
  return { plan, operations, events, marks, ...measured };
}

/** `otherwise`: for what runs of before did not say. */
function readMeasured<R extends Recording>(folder: string, otherwise = {}): Omit<Measured<R>, "format"> {
  let measured: Measured<R>;
  try {
    measured = JSON.parse(read(folder, "measured.json")) as Measured<R>;
  } catch (error) {
    if (error instanceof RefusedInput) throw error;
    throw refused(folder, "measured.json", "it is no JSON; was the run cut off while it was written?");
  }
  const { format, ...rest }: { format: string } & object = measured;
  if (format === FORMAT) return { ...otherwise, unmeasured: {}, ...rest } as Omit<Measured<R>, "format">;
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

/** What was told, and what was done; a fault has no event. */
function parseEvents(folder: string): { told: unknown[]; marks: Mark[] } {
  const told: unknown[] = [];
  const marks: Mark[] = [];
  const text = read(folder, "events.ndjson");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  for (const [index, line] of whole.split("\n").entries()) {
    if (line === "") continue;
    let parsed: { at: number; event?: unknown };
    try {
      parsed = JSON.parse(line) as typeof parsed;
    } catch {
      throw refused(folder, "events.ndjson", `line ${index + 1} is no JSON`);
    }
    if (parsed.event === undefined) marks.push(parsed as unknown as Mark);
    else told.push(parsed);
  }
  return { told, marks };
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
