/**
 * What the contract's tests need of a host, and the automaton they look through.
 *
 * The probe does nothing of its own: it writes down every input, and a request tells it which effects to
 * return. So each test is a short story of effects in and inputs out, and runs alike in virtual time and over
 * real sockets.
 */

import type { Automaton, Effect, Input, Protocol } from "../../core/automaton.ts";
import type { ServerId } from "../../core/identity.ts";
import type { Duration } from "../../core/time.ts";
import type { Channel } from "../../replica/message.ts";
import { Reader } from "../../wire/reader.ts";
import { read, refused } from "../../wire/result.ts";
import { Writer } from "../../wire/writer.ts";
import type { Codec } from "../../host/codec.ts";
import { Scribe } from "./scribe.ts";

/** A host with an ensemble of automata on it. Times are those of the host: virtual, or real. */
export interface HostUnderTest<P extends Protocol = ProbeProtocol> {
  /** Begins a life of this server (again, after a crash). Throws when the host refuses to start it. */
  start(server: ServerId): Promise<void>;
  request(server: ServerId, request: P["request"]): void;
  /**
   * Lets time pass until `condition` holds; throws, naming `what`, when it does not within a generous time.
   */
  until(what: string, condition: () => boolean): Promise<void>;
  /** Lets this much time pass. */
  pass(time: Duration): Promise<void>;
  /** The process of this server ends at once, as by SIGKILL. */
  crashProcess(server: ServerId): Promise<void>;
  /** Ends everything and releases what the host holds. */
  stop(): Promise<void>;

  // What only some hosts can do; a host names in `cannot` what it leaves out.

  /** Power off. `start` turns it on again. */
  crashMachine?(server: ServerId): Promise<void>;
  /** Nothing passes from one to the other, until `heal`. */
  cut?(from: ServerId, to: ServerId): Promise<void>;
  heal?(from: ServerId, to: ServerId): Promise<void>;
  /** The bulk channel of the connection between the two carries nothing any more, and nobody is told. */
  forgetBulk?(one: ServerId, other: ServerId): Promise<void>;
  /** Writes these bytes into the established connection from one to the other, as a broken peer would. */
  inject?(from: ServerId, to: ServerId, bytes: Uint8Array): Promise<void>;
}

export type Ability = "crashMachine" | "cut" | "forgetBulk" | "inject";

export interface HostMaker {
  readonly name: string;
  /** A host whose disks are empty, with no server started. */
  make<P extends Protocol>(
    servers: readonly ServerId[],
    codec: Codec<P>,
    create: (server: ServerId) => Automaton<P>,
    onOutput: (server: ServerId, output: P["output"]) => void,
  ): Promise<HostUnderTest<P>>;
  /** Abilities that this host has not, each with the reason; their sentences are reported as not shown. */
  readonly cannot: { readonly [ability in Ability]?: string };
}

export interface ProbeMessage {
  readonly channel: Channel;
  readonly number: number;
  /** How many bytes of padding travel with it. */
  readonly padding: number;
}

/** The effects that the probe returns for this request. */
export type ProbeRequest = readonly Effect<ProbeProtocol>[];

export interface ProbeProtocol extends Protocol {
  readonly message: ProbeMessage;
  readonly timer: "a" | "b";
  readonly request: ProbeRequest;
  readonly output: string;
}

export type ProbeInput = Input<ProbeProtocol>;

export class Probe extends Scribe<ProbeInput, ProbeRequest[number]> implements Automaton<ProbeProtocol> {
  /** What it does at the next timeout, once. */
  atTimeout: ProbeRequest = [];

  protected answer(input: ProbeInput): ProbeRequest {
    if (input.kind === "request") return input.request;
    if (input.kind !== "timeout") return [];
    const effects = this.atTimeout;
    this.atTimeout = [];
    return effects;
  }
}

/** frame => length:u32 control:flag number:u32 padding */
export const probeCodec: Codec<ProbeProtocol> = {
  encode: ({ channel, number, padding }) =>
    new Writer(9 + padding)
      .u32(5 + padding)
      .flag(channel === "control")
      .u32(number)
      .bytes(new Uint8Array(padding))
      .take(),
  decode: (frame) => {
    const reader = new Reader(frame);
    if (reader.u32() !== reader.left) reader.fail("a frame of another length than it says");
    const channel = reader.flag() ? "control" : "bulk";
    const number = reader.u32();
    const padding = reader.rest().length;
    return reader.finish() ? read({ channel, number, padding }) : refused(reader.failure ?? "");
  },
  channel: ({ channel }) => channel,
};
