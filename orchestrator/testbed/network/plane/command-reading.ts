/**
 * Commands out of whatever comes in on the control channel. The plane carries everybody's packets, so a line
 * that is no command must not be its end: every line is read as a command or refused with a reason, and only
 * what the plane can do gets through.
 */

import type { Duration } from "#node/core/time.ts";
import { type Result, read, refused } from "#node/wire/result.ts";
import type { Jitter } from "../../../topology.ts";
import type { Command, WireShape } from "./control.ts";

/** Far above the longest command; a line that goes on beyond it is dropped, whatever it is. */
export const LONGEST_LINE = 1 << 16;
/** In microseconds: an hour stands for ever. */
const LONGEST = 3.6e9;
const NEWLINE = 10;
const DISTRIBUTIONS = ["pareto", "normal", "uniform"] as const;

/** The lines of the channel, however the pipe cut them into pieces. */
export class CommandReader {
  readonly #machines: number;
  readonly #decoder = new TextDecoder();
  /** The beginning of a line whose end has not come. */
  #begun = "";
  #isTooLong = false;

  constructor(machines: number) {
    this.#machines = machines;
  }

  /** What the lines that end in this piece say. */
  *take(piece: Uint8Array): Generator<Result<Command>> {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      this.#keep(piece.subarray(start, end), false);
      start = end + 1;
      yield this.#isTooLong ? refused("a line without end") : readCommand(this.#begun, this.#machines);
      this.#begun = "";
      this.#isTooLong = false;
    }
    this.#keep(piece.subarray(start), true);
  }

  #keep(bytes: Uint8Array, goesOn: boolean): void {
    const text = this.#decoder.decode(bytes, { stream: goesOn });
    this.#isTooLong ||= this.#begun.length + text.length > LONGEST_LINE;
    this.#begun = this.#isTooLong ? "" : this.#begun + text;
  }
}

export function readCommand(line: string, machines: number): Result<Command> {
  let said: unknown;
  try {
    said = JSON.parse(line);
  } catch {
    return refused("not JSON");
  }
  if (!isObject(said)) return refused("not a command");
  const fields = new Fields(said);
  const command = commandOf(fields, machines);
  return fields.mistake === null && command !== null ? read(command) : refused(fields.mistake ?? "");
}

function commandOf(fields: Fields, machines: number): Command | null {
  const kind = fields.text("kind", /^/, "the name of a command");
  const machine = (name: string): number => fields.index(name, machines);
  switch (kind) {
    case "attach": {
      const namespace = fields.text("namespace", /^\/[^\0\n]*$/, "the path of a namespace");
      // It becomes a word of a script.
      const address = fields.text("address", /^\d{1,3}(?:\.\d{1,3}){3}$/, "an IPv4 address");
      return { kind, machine: machine("machine"), namespace, address };
    }
    case "shape":
      return { kind, from: machine("from"), to: machine("to"), shape: shapeOf(fields.inner("shape")) };
    case "cut": {
      const inFlight = fields.oneOf("inFlight", ["deliver", "drop"] as const);
      return { kind, from: machine("from"), to: machine("to"), inFlight };
    }
    case "heal":
      return { kind, from: machine("from"), to: machine("to") };
    case "compensate":
      return { kind, microseconds: fields.number("microseconds", -LONGEST, LONGEST) };
    case "report":
      return { kind };
    default:
      fields.refuse("kind", "the name of a command");
      return null;
  }
}

function shapeOf(fields: Fields): WireShape {
  const jitter = fields.isNull("jitter") ? null : jitterOf(fields.inner("jitter"));
  // Slower than a bit a second, and nothing would ever come out again.
  const rate = fields.isNull("rate") ? null : fields.number("rate", 1, Number.MAX_VALUE);
  return { delay: fields.duration("delay"), jitter, loss: fields.number("loss", 0, 1), rate };
}

const jitterOf = (fields: Fields): Jitter => ({
  distribution: fields.oneOf("distribution", DISTRIBUTIONS),
  scale: fields.duration("scale"),
  halfLife: fields.duration("halfLife"),
});

/**
 * The fields of one object. The first that is not what it must be is the mistake, and what is read after it
 * counts no more.
 */
class Fields {
  readonly #object: Readonly<Record<string, unknown>>;
  readonly #path: string;
  readonly #outer: Fields | null;
  #mistake: string | null = null;

  constructor(object: Readonly<Record<string, unknown>>, path = "", outer: Fields | null = null) {
    this.#object = object;
    this.#path = path;
    this.#outer = outer;
  }

  get mistake(): string | null {
    return this.#mistake;
  }

  refuse(name: string, wanted: string): void {
    if (this.#outer === null) this.#mistake ??= `${this.#path}${name} is not ${wanted}`;
    else this.#outer.refuse(`${this.#path}${name}`, wanted);
  }

  isNull(name: string): boolean {
    return this.#get(name) === null;
  }

  number(name: string, least: number, most: number): number {
    const value = this.#get(name);
    if (typeof value === "number" && value >= least && value <= most) return value;
    this.refuse(name, `a number from ${least} to ${most}`);
    return least;
  }

  duration(name: string): Duration {
    return this.number(name, 0, LONGEST) as Duration;
  }

  index(name: string, count: number): number {
    const value = this.#get(name);
    if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value < count) return value;
    this.refuse(name, `one of ${count} machines`);
    return 0;
  }

  text(name: string, pattern: RegExp, wanted: string): string {
    const value = this.#get(name);
    if (typeof value === "string" && pattern.test(value)) return value;
    this.refuse(name, wanted);
    return "";
  }

  oneOf<T extends string>(name: string, words: readonly [T, ...T[]]): T {
    const value = this.#get(name);
    const word = words.find((each) => each === value);
    if (word === undefined) this.refuse(name, words.join(" or "));
    return word ?? words[0];
  }

  inner(name: string): Fields {
    const value = this.#get(name);
    if (!isObject(value)) this.refuse(name, "an object");
    return new Fields(isObject(value) ? value : {}, `${name}.`, this);
  }

  #get(name: string): unknown {
    return Object.hasOwn(this.#object, name) ? this.#object[name] : undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
