/** One's own ring, checked: what an algorithm assumes of it is said before anything starts. */

import { type Case, type Lecture, places } from "#node/theory/lecture.ts";
import { RefusedInput, suggestion } from "../terminal/problem.ts";

export interface CaseFlags {
  readonly ring?: string;
  readonly initiators?: string;
  readonly dead?: string;
  readonly late?: string;
  readonly seed?: string;
}

/** More is no story any more. */
const MOST = 60;
/** A hop takes 2 to the id rounds, a slice n times the id. */
const GREATEST_IN_ROUNDS = 12;

export function caseOf(name: string, lecture: Lecture, flags: CaseFlags): Case {
  const ids = flags.ring ? idsOf(name, lecture, flags.ring) : lecture.example.ids;
  const initiators =
    flags.initiators === undefined
      ? flags.ring
        ? places(ids.length)
        : lecture.example.initiators
      : initiatorsOf(flags.initiators, ids, lecture);
  const seed = Number(flags.seed ?? lecture.example.seed);
  if (flags.dead === undefined) return { ids, initiators, seed };
  const dead = deadOf(name, lecture, flags.dead, ids);
  if (flags.initiators === undefined)
    return { ids, initiators: initiators.filter((place) => !dead.includes(ids[place] ?? 0)), seed, dead };
  const early = initiators.map((place) => ids[place] ?? 0).find((id) => dead.includes(id));
  if (early !== undefined) throw new RefusedInput(`--initiators: ${early} is dead and begins nothing`);
  return { ids, initiators, seed, dead };
}

function deadOf(name: string, lecture: Lecture, text: string, ids: readonly number[]): readonly number[] {
  if (lecture.medium === "ring")
    throw new RefusedInput(`--dead: ${name} assumes a ring in which nobody fails`);
  const dead = list("dead", text);
  const stranger = dead.find((id) => !ids.includes(id));
  if (stranger !== undefined) throw new RefusedInput(`--dead: ${stranger} is not among ${ids.join(",")}`);
  if (ids.every((id) => dead.includes(id)))
    throw new RefusedInput("--dead: somebody must live to be elected");
  return dead;
}

function idsOf(name: string, lecture: Lecture, text: string): readonly number[] {
  const ids = list("ring", text);
  if (ids.length < 2) throw new RefusedInput(`--ring: ${text} is alone; a ring has two members or more`);
  if (ids.length > MOST)
    throw new RefusedInput(`--ring: ${ids.length} are too many for a story, ${MOST} at most`);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined && lecture.leader !== null)
    throw new RefusedInput(`--ring: ${twice} is in it twice, and ${name} assumes that ids differ`);
  const great = ids.find((id) => id > GREATEST_IN_ROUNDS);
  if (great !== undefined && lecture.timing === "rounds")
    throw new RefusedInput(
      `--ring: ${great} is too great for ${name}, whose rounds grow with ids: 0 to ${GREATEST_IN_ROUNDS}`,
    );
  const misplaced = ids.findIndex((id, place) => id !== place + 1);
  if (misplaced !== -1 && lecture.medium !== "ring")
    throw new RefusedInput(`--ring: ${name} has no ring; its processes are 1,2,3 and so on`);
  return ids;
}

function initiatorsOf(text: string, ids: readonly number[], { timing }: Lecture): readonly number[] {
  if (timing === "rounds") throw new RefusedInput("--initiators: in rounds all begin together");
  return list("initiators", text).map((id) => {
    const place = ids.indexOf(id);
    if (place === -1) throw new RefusedInput(`--initiators: ${id} is not among ${ids.join(",")}`);
    return place;
  });
}

export function lateOf(name: string, { timing }: Lecture, text: string | undefined): number {
  if (text === undefined) return 1;
  if (!/^[1-9]\d?$/.test(text))
    throw new RefusedInput(`--late: "${text}" is no number of rounds or delays from 1 to 99`);
  if (timing === "asynchronous")
    throw new RefusedInput(`--late: ${name} waits for nothing, so no message is too late for it`);
  return Number(text);
}

/** Any order of arrivals: only for what assumes no time. */
export function isAnyOrder(name: string, { timing }: Lecture, text: string | undefined): boolean {
  if (text === undefined || text === "step") return false;
  if (text !== "any") throw new RefusedInput(`--order: there is no "${text}"${suggestion(text, ORDERS)}`);
  if (timing === "rounds")
    throw new RefusedInput(
      `--order: ${name} assumes rounds in which all step together, and in any order nobody waits for them`,
    );
  if (timing === "bounded delays")
    throw new RefusedInput(
      `--order: ${name} assumes that a message takes a bounded time, and in any order none has a bound`,
    );
  return true;
}

const ORDERS = ["step", "any"] as const;

function list(flag: string, text: string): readonly number[] {
  const words = text.split(",");
  const wrong = words.find((word) => !/^\s*p?\d{1,6}\s*$/.test(word));
  if (wrong !== undefined) throw new RefusedInput(`--${flag}: "${wrong}" is no id; write them as 3,37,19`);
  return words.map((word) => Number(word.trim().replace("p", "")));
}
