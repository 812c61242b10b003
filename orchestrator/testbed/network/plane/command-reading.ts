/**
 * Commands out of whatever comes in on the control channel. The plane carries everybody's packets, so a line
 * that is no command must not be its end: every line is read as a command or refused with a reason, and only
 * what the plane can do gets through.
 */

import type { Duration } from "#node/core/time.ts";
import { type Result, refused } from "#node/wire/result.ts";
import type { Jitter } from "../../../topology/topology.ts";
import { type Fields, readLine } from "../fields.ts";
import type { Command, WireShape } from "./control.ts";

/** Far above the longest command; a line that goes on beyond it is dropped, whatever it is. */
export const LONGEST_LINE = 1 << 16;
/** In microseconds. */
const HOUR = 3.6e9;
const NEWLINE = 10;

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

export const readCommand = (line: string, machines: number): Result<Command> =>
  readLine(line, (fields) => commandOf(fields, machines));

function commandOf(fields: Fields, machines: number): Command {
  const kind = fields.oneOf("kind", ["report", "attach", "shape", "cut", "heal", "forget", "compensate"]);
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
      const inFlight = fields.oneOf("inFlight", ["deliver", "drop"]);
      return { kind, from: machine("from"), to: machine("to"), inFlight };
    }
    case "heal":
      return { kind, from: machine("from"), to: machine("to") };
    case "forget": {
      const which = fields.oneOf("which", ["bulk", "any"]);
      return { kind, from: machine("from"), to: machine("to"), which };
    }
    case "compensate":
      return { kind, microseconds: fields.number("microseconds", -HOUR, HOUR) };
    case "report":
      return { kind };
  }
}

function shapeOf(fields: Fields): WireShape {
  const jitter = fields.isNull("jitter") ? null : jitterOf(fields.inner("jitter"));
  // Slower than a bit a second, and nothing would ever come out again.
  const rate = fields.isNull("rate") ? null : fields.number("rate", 1, Number.MAX_VALUE);
  const shape = { delay: duration(fields, "delay"), jitter, loss: fields.number("loss", 0, 1), rate };
  return { ...shape, ...shareOf(fields, "duplicate"), ...shareOf(fields, "corrupt") };
}

const shareOf = (fields: Fields, name: "duplicate" | "corrupt"): Partial<WireShape> =>
  fields.has(name) ? { [name]: fields.number(name, 0, 1) } : {};

const jitterOf = (fields: Fields): Jitter => ({
  distribution: fields.oneOf("distribution", ["pareto", "normal", "uniform"]),
  scale: duration(fields, "scale"),
  halfLife: duration(fields, "halfLife"),
});

const duration = (fields: Fields, name: string): Duration => fields.number(name, 0, HOUR) as Duration;
