/**
 * The same script put to two services, step by step: replies, error codes, stats and watch events must be the
 * same, but for what no two runs share. Lists that are sets to the server are sorted. Sessions are named by
 * their number in the script, zxids by the step that made them, and of times only whether there is one.
 */

import type { WatchEvent } from "#node/wire/client/watch.ts";
import type { Heard } from "./endpoint.ts";
import { printBytes, printStep, type Step } from "./script.ts";
import type { Answer } from "./session.ts";

export interface Divergence {
  readonly step: Step;
  /** How many steps went well. */
  readonly after: number;
  readonly heard: readonly [string, string];
  /** The steps before it, for whoever wants to know how it came to this. */
  readonly story: readonly string[];
}

const STORY_STEPS = 12;

export interface Service {
  readonly sessions: readonly { readonly id: number }[];
  perform(step: Step): Promise<Heard>;
}

/** The first step on which the two differ, or null. */
export async function compareEndpoints(
  one: Service,
  other: Service,
  script: readonly Step[],
): Promise<Divergence | null> {
  const story: string[] = [];
  const [ofOne, ofOther] = [new Names(one), new Names(other)];
  for (const [index, step] of script.entries()) {
    const [a, b] = await Promise.all([one.perform(step), other.perform(step)]);
    const heard: [string, string] = [ofOne.print(index, step, a), ofOther.print(index, step, b)];
    if (heard[0] !== heard[1]) return { step, after: index, heard, story: story.slice(-STORY_STEPS) };
    story.push(`${printStep(step)}  ->  ${heard[0]}`);
  }
  return null;
}

export const printDivergence = ({ step, after, heard, story }: Divergence): string =>
  [
    ...story,
    `step ${after}: ${printStep(step)}`,
    `    one service:   ${heard[0]}`,
    `    the other one: ${heard[1]}`,
  ].join("\n");

/** What the numbers of one service stand for. */
class Names {
  readonly #service: Service;
  readonly #sessions = new Map<number, string>();
  readonly #steps = new Map<number, string>();

  constructor(service: Service) {
    this.#service = service;
    this.#learnSessions(-1);
  }

  print(index: number, step: Step, { answer, events }: Heard): string {
    const news = this.#learnSessions(index);
    if (answer.kind === "reply" && !this.#steps.has(answer.zxid)) this.#steps.set(answer.zxid, `#${index}`);
    const heard = events.map((ofSession, session) => printEvents(session, ofSession, step));
    return [this.#printAnswer(answer), ...heard, ...news].filter((text) => text !== "").join(" ");
  }

  /** Whose sessions are new with this step. */
  #learnSessions(index: number): string[] {
    return this.#service.sessions.flatMap(({ id }, number) => {
      if (this.#sessions.has(id)) return [];
      this.#sessions.set(id, `s${number} of step ${index}`);
      return [`s${number} has a new session`];
    });
  }

  #printAnswer(answer: Answer): string {
    if (answer.kind !== "reply") return JSON.stringify(answer);
    const { error, reply } = answer;
    return `${error} ${JSON.stringify(reply, (key, value: unknown) => this.#name(key, value))}`;
  }

  #name(key: string, value: unknown): unknown {
    if (key === "users" && Array.isArray(value))
      return value.map((user) => JSON.stringify(user)).toSorted(byText);
    if (Array.isArray(value) && key === "names") return (value as string[]).toSorted(byText);
    if (typeof value !== "number") return printBytes(key, value);
    if (key === "czxid" || key === "mzxid" || key === "pzxid")
      return this.#steps.get(value) ?? (value === 0 ? 0 : "?");
    if (key === "ephemeralOwner") return value === 0 ? 0 : (this.#sessions.get(value) ?? "nobody");
    if (key === "ctime" || key === "mtime") return value === 0 ? 0 : "time";
    return value;
  }
}

const byText = (a: string, b: string): number => (a < b ? -1 : 1);

/** A session that ends takes its ephemerals along in no particular order. */
function printEvents(session: number, events: readonly WatchEvent[], step: Step): string {
  if (events.length === 0) return "";
  const texts = events.map(({ type, state, path }) => `${type}/${state} ${JSON.stringify(path)}`);
  return `s${session} heard [${(step.kind === "close" ? texts.toSorted() : texts).join(", ")}]`;
}
