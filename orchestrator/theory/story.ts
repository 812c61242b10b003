/**
 * One election as a story: what everybody hears and does, for a transcript, and what is under way between
 * which moments, for a page that shows it. Both are made from what whoever carried the messages has recorded.
 */

import { inStep } from "#node/theory/in-step.ts";
import type { Case, Lecture } from "#node/theory/lecture.ts";
import type { Outcome, Step } from "#node/theory/outcome.ts";
import type { Effect, Message, Way } from "#node/theory/process.ts";

export interface Story {
  readonly lecture: Lecture;
  readonly ids: readonly number[];
  readonly deaths: ReadonlyMap<number, number>;
  readonly lines: readonly Line[];
  readonly flights: readonly Flight[];
  readonly outcome: Outcome;
}

export interface Line {
  readonly at: number;
  readonly place: number;
  readonly text: string;
  /** Whom this place follows from now on, itself included; null when that does not change here. */
  readonly follows: number | null;
}

/** One message on its way. */
export interface Flight {
  readonly from: number;
  readonly to: number;
  readonly way: Way;
  readonly left: number;
  readonly arrives: number;
  readonly kind: string;
  readonly text: string;
}

export interface Telling {
  /** Units that a message takes; in rounds, how many it takes to be heard. */
  readonly late?: number;
  readonly deaths?: ReadonlyMap<number, number>;
}

export function tell(lecture: Lecture, one: Case, { late = 1, deaths }: Telling = {}): Story {
  const cast = lecture.cast(one, null);
  const lines: Line[] = [];
  const flights: Flight[] = [];
  const size = one.ids.length;
  const note = ({ at, place, input, effects }: Step): void => {
    if (input.kind === "round" && effects.length === 0) return;
    const text = [cause(lecture, one, input), ...effects.flatMap((effect) => deed(lecture, one, effect))];
    if (effects.length === 0) text.push("says nothing");
    lines.push({ at, place, text: text.join("; "), follows: followed(effects, one.ids[place]) });
    for (const effect of effects)
      for (const { to, way, message } of sent(effect, place, size)) {
        const said = lecture.say(message);
        flights.push({ from: place, to, way, left: at, arrives: at + late, kind: message.kind, text: said });
      }
  };
  const fates = deaths ?? cast.deaths ?? new Map<number, number>();
  const outcome = inStep({ ...cast, deaths: fates, delay: () => late, watch: note, most: mostOf(lecture) });
  return { lecture, ids: one.ids, deaths: fates, lines, flights, outcome };
}

/** Rounds in which nothing happens cost no line. */
const mostOf = ({ timing }: Lecture): number => (timing === "rounds" ? 300_000 : 10_000);

function cause(lecture: Lecture, { ids }: Case, input: Step["input"]): string {
  switch (input.kind) {
    case "begin":
      return "begins";
    case "message":
      return `hears ${lecture.say(input.message)} from p${ids[input.from]}`;
    case "timeout":
      return `has waited long enough for ${input.timer === "answer" ? "an answer" : "a coordinator"}`;
    case "round":
      return `round ${input.number}`;
  }
}

function deed(lecture: Lecture, { ids }: Case, effect: Effect<Message>): readonly string[] {
  switch (effect.kind) {
    case "pass on":
      return [`says ${lecture.say(effect.message)}`];
    case "pass back":
      return [`says ${lecture.say(effect.message)} the other way`];
    case "send":
      return [
        `says ${lecture.say(effect.message)} to ${effect.to.map((place) => `p${ids[place]}`).join(" ")}`,
      ];
    case "lead":
      return ["LEADS"];
    case "follow":
      return lecture.leader === null ? ["follows"] : [`follows p${effect.leader}`];
    case "arm":
    case "disarm":
      return [];
  }
}

function followed(effects: Step["effects"], self: number | undefined): number | null {
  const decided = effects.find((effect) => effect.kind === "lead" || effect.kind === "follow");
  if (decided === undefined) return null;
  return decided.kind === "follow" ? decided.leader : (self ?? null);
}

interface Parcel {
  readonly to: number;
  readonly way: Way;
  readonly message: Message;
}

function sent(effect: Effect<Message>, place: number, size: number): readonly Parcel[] {
  switch (effect.kind) {
    case "pass on":
      return [{ to: (place + 1) % size, way: "on", message: effect.message }];
    case "pass back":
      return [{ to: (place + size - 1) % size, way: "back", message: effect.message }];
    case "send":
      return effect.to.map((to) => ({ to, way: "on", message: effect.message }));
    default:
      return [];
  }
}

/** For somebody who has not heard the lecture: who stands where, what happens, what it came to. */
export function transcript({ lecture, ids, deaths, lines, outcome }: Story): string {
  const width = Math.max(...ids.map((id) => `p${id}`.length));
  const where =
    lecture.medium === "ring"
      ? `A ring in the direction of travel: ${ids.map((id) => `p${id}`).join(" ")}, and on to p${ids[0]}.`
      : `Everybody reaches everybody: ${ids.map((id) => `p${id}`).join(" ")}.`;
  const dead = [...deaths].map(([place, at]) =>
    at === 0 ? `p${ids[place]} is dead.` : `p${ids[place]} dies at ${at}.`,
  );
  const told = lines.map(
    ({ at, place, text }) => `${String(at).padStart(6)}  ${`p${ids[place]}`.padEnd(width)}  ${text}`,
  );
  return [
    lecture.title,
    "",
    ...brokenAt80(lecture.intuition),
    "",
    [where, ...dead].join(" "),
    `Time is in ${lecture.timing === "rounds" ? "rounds" : "delays of a message"}.`,
    "",
    ...told,
    "",
    summaryOf({ lecture, ids, outcome }),
    "",
  ].join("\n");
}

/** Broken between words. */
function brokenAt80(text: string): readonly string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trimStart();
    if (longer.length > 80) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

export function summaryOf({ ids, outcome }: Pick<Story, "lecture" | "ids" | "outcome">): string {
  const led = outcome.leaders.map(({ place, at }) => `p${ids[place]} at ${at}`);
  const counts = [...outcome.messages].map(([kind, count]) => `${count} ${kind}`).join(", ");
  const who =
    led.length === 0
      ? "Nobody leads."
      : `${led.length === 1 ? "Leads" : "LEAD, all of them"}: ${led.join(", ")}.`;
  const end = outcome.ended === "given up" ? " It goes on; this is where we stopped." : "";
  const open = outcome.undecided > 0 ? ` ${outcome.undecided} never knew.` : "";
  return `${who}${open} Messages: ${counts === "" ? "none" : counts}.${end}`;
}
