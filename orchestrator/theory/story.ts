/**
 * One election as a story: what everybody hears and does, for a transcript, and what is under way between
 * which moments, for a page that shows it. Both are made from what whoever carried the messages has recorded.
 */

import type { Random } from "#node/core/random.ts";
import { inAnyOrder } from "#node/theory/in-any-order.ts";
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
  readonly order: Order;
}

/** In which messages arrive: all as fast as each other, or any. */
export type Order = "in step" | "any";

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
  /** Draws which message arrives next; in step when not given. */
  readonly anyOrder?: Random;
}

export function tell(lecture: Lecture, one: Case, { late = 1, deaths, anyOrder }: Telling = {}): Story {
  const cast = lecture.cast(one, null);
  const lines: Line[] = [];
  const sky = new Sky();
  const size = one.ids.length;
  const watch = ({ at, place, input, effects }: Step): void => {
    if (input.kind === "round" && effects.length === 0) return;
    if (input.kind === "message") sky.land(input.from, place, input.way, at);
    const text = [cause(lecture, one, input), ...effects.flatMap((effect) => deed(lecture, one, effect))];
    if (effects.length === 0) text.push("says nothing");
    lines.push({ at, place, text: text.join("; "), follows: followed(effects, one.ids[place]) });
    for (const effect of effects)
      for (const { to, way, message } of sent(effect, place, size)) {
        const said = lecture.say(message);
        sky.leave({ from: place, to, way, left: at, arrives: at + late, kind: message.kind, text: said });
      }
  };
  const fates = deaths ?? cast.deaths ?? new Map<number, number>();
  const most = mostOf(lecture);
  const outcome =
    anyOrder === undefined
      ? inStep({ ...cast, deaths: fates, delay: () => late, watch, most })
      : inAnyOrder({ ...cast, deaths: fates, watch, most }, anyOrder);
  return {
    lecture,
    ids: one.ids,
    deaths: fates,
    lines,
    flights: sky.flights,
    outcome,
    order: anyOrder === undefined ? "in step" : "any",
  };
}

/** What is on its way. Each link keeps its order, so what arrives by one is the first that left by it. */
class Sky {
  readonly flights: Flight[] = [];
  readonly #under = new Map<string, number[]>();

  leave(flight: Flight): void {
    const { from, to, way } = flight;
    const link = `${from} ${to} ${way}`;
    this.#under.set(link, [...(this.#under.get(link) ?? []), this.flights.length]);
    this.flights.push(flight);
  }

  land(from: number, to: number, way: Way, arrives: number): void {
    const index = this.#under.get(`${from} ${to} ${way}`)?.shift();
    const flight = index === undefined ? undefined : this.flights[index];
    if (index !== undefined && flight !== undefined) this.flights[index] = { ...flight, arrives };
  }
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
export function transcript({ lecture, ids, deaths, lines, outcome, order }: Story): string {
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
    `Time is in ${clockOf(lecture, order)}.`,
    "",
    ...told,
    "",
    summaryOf({ lecture, ids, outcome }),
    "",
  ].join("\n");
}

function clockOf({ timing }: Lecture, order: Order): string {
  if (order === "any") return "arrivals, of which chance chose the order";
  return timing === "rounds" ? "rounds" : "delays of a message";
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
