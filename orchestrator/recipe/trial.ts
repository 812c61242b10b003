/**
 * Members of an election as real processes, before real servers on this machine: leaders are killed, stand
 * still or leave one after the other, and what each handover took is measured by stages.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { monotonic } from "#node/host/monotonic.ts";
import { connect } from "#node/recipe/recipe.ts";
import { LEADERSHIP } from "../check/leadership/leadership.ts";
import { quantileOf } from "../statistics/summary.ts";
import { startEnsemble } from "../system/ensemble.ts";
import type { System } from "../system/system.ts";
import { Interrupted } from "../terminal/interrupted.ts";
import { ELECTION, type Recipe } from "./member-line.ts";
import { type Heard, MemberProcess } from "./member-process.ts";
import { type Handover, handoverOf, type Seen } from "./stages.ts";

/** What befalls a leader: its process is killed, stands still beyond its session's end, or leaves. */
export const TROUBLES = ["kill", "hang", "leave"] as const;
export type Trouble = (typeof TROUBLES)[number];

export interface RecipeTrial {
  readonly recipe: Recipe;
  readonly members: number;
  readonly trouble: Trouble;
  readonly times: number;
  /** Of the members' sessions, and what taking over takes, in milliseconds. */
  readonly timeout: number;
  readonly takeover: number;
}

export interface RecipeSummary extends RecipeTrial {
  readonly version: 1;
  readonly system: string;
  readonly handovers: readonly Handover[];
  /** Until the next acts, in milliseconds. */
  readonly outage: { readonly median: number; readonly p90: number; readonly most: number };
  readonly writes: { readonly taken: number; readonly refused: number };
  /** Writes of an earlier term that were taken after a later one's; nothing may stand here. */
  readonly wrong: readonly string[];
}

const SERVERS = 3;
const PATIENCE_MS = 60_000;

export async function runRecipe(
  trial: RecipeTrial,
  system: System,
  signal: AbortSignal,
  tell: (progress: string) => void,
): Promise<{
  readonly summary: RecipeSummary;
  readonly heard: readonly Heard[];
  readonly seen: readonly Seen[];
}> {
  await using ensemble = await startEnsemble(system, SERVERS);
  const { connectString } = ensemble;
  await using observer = await connect(connectString);
  const [heard, seen]: [Heard[], Seen[]] = [[], []];
  observer.on("change", ({ path, kind }) => seen.push({ at: monotonic() / 1e3, path, kind }));
  await observer.createAll(ELECTION);
  await observer.watch(ELECTION, "recursive");
  const members = Array.from({ length: trial.members }, (_, index) => {
    const id = `m${index + 1}`;
    const args = [
      trial.recipe,
      connectString,
      id,
      `site-${index % 3}`,
      String(trial.timeout),
      String(trial.takeover),
    ];
    return new MemberProcess(id, args, (line) => heard.push(line));
  });
  try {
    for (const member of members) member.start();
    const handovers: Handover[] = [];
    for (let time = 0; time < trial.times; time++) {
      const leader = await untilOne(members, heard, signal);
      tell(`handover ${time + 1} of ${trial.times}: ${leader.id}`);
      handovers.push(await handover(leader, trial, { members, heard, seen, signal }));
    }
    return { summary: summaryOf(trial, system.name, handovers, heard), heard, seen };
  } finally {
    await Promise.all(members.map(async (member) => member.kill()));
  }
}

interface Scene {
  readonly members: readonly MemberProcess[];
  readonly heard: readonly Heard[];
  readonly seen: readonly Seen[];
  readonly signal: AbortSignal;
}

async function handover(leader: MemberProcess, { trouble }: RecipeTrial, scene: Scene): Promise<Handover> {
  const { heard, seen, signal } = scene;
  const since = monotonic() / 1e3;
  if (trouble === "kill") await leader.kill();
  else if (trouble === "hang") leader.signal("SIGSTOP");
  else await leader.leave();
  const isNext = ({ kind, member, at }: Heard): boolean =>
    kind === "acts" && member !== leader.id && at >= since;
  await until(`somebody leads after ${leader.id}`, signal, () => heard.some(isNext));
  const next = heard.find(isNext) as Heard;
  await sleep(200);
  const goesOn = trouble === "hang" ? monotonic() / 1e3 : since;
  if (trouble === "hang") {
    leader.signal("SIGCONT");
    await until(`${leader.id} knows that it leads no more`, signal, () => !leader.acts);
  } else leader.start();
  return handoverOf(leader.id, { since, goesOn }, next, heard, seen);
}

/** All stand, and one of them acts. */
async function untilOne(
  members: readonly MemberProcess[],
  heard: readonly Heard[],
  signal: AbortSignal,
): Promise<MemberProcess> {
  const stands = ({ id, acts }: MemberProcess): boolean => acts || heard.some(({ member }) => member === id);
  await until(
    "somebody leads",
    signal,
    () => members.filter(({ acts }) => acts).length === 1 && members.every(stands),
  );
  // Who has just come back stands, too, before the next trouble.
  await sleep(500);
  return members.find(({ acts }) => acts) ?? untilOne(members, heard, signal);
}

async function until(what: string, signal: AbortSignal, condition: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!condition()) {
    if (signal.aborted) throw new Interrupted("interrupted; members and servers were taken down");
    if (performance.now() > end) throw new Error(`not within ${PATIENCE_MS / 1e3} s: ${what}`);
    await sleep(2);
  }
}

function summaryOf(
  trial: RecipeTrial,
  system: string,
  handovers: readonly Handover[],
  heard: readonly Heard[],
): RecipeSummary {
  // In the order of the service, which answers reach their members late.
  const history = heard
    .flatMap((line) => (line.kind === "wrote" ? [line] : []))
    .toSorted((a, b) => a.order - b.order);
  const outages = handovers.map(({ acts }) => acts);
  const taken = history.filter(({ isTaken }) => isTaken).length;
  return {
    version: 1,
    ...trial,
    system,
    handovers,
    outage: { median: quantileOf(outages, 0.5), p90: quantileOf(outages, 0.9), most: Math.max(...outages) },
    writes: { taken, refused: history.length - taken },
    wrong: LEADERSHIP.fenced(history),
  };
}
