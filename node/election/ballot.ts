/**
 * An election's messages as everybody else sees them: bytes behind the election's name.
 *
 * The election keeps its own messages; here they become bytes on the way out and are read on the way in. Who
 * sends what cannot be read, or speaks of another election, is hung up on: servers that elect in different
 * ways would wait for each other for ever.
 */

import type { Automaton, Effect, Input } from "../core/automaton.ts";
import type { Instant } from "../core/time.ts";
import { Reader } from "../wire/reader.ts";
import { type Result, read, refused } from "../wire/result.ts";
import { Writer } from "../wire/writer.ts";
import type { ElectionProtocol } from "./election.ts";
import type { ElectionEntry } from "./entry.ts";

export interface Ballot {
  /** The name in the catalog. */
  readonly election: string;
  readonly body: Uint8Array;
}

export type BallotProtocol = ElectionProtocol<Ballot>;

type Codec = ElectionEntry["codec"];

const writer = new Writer();

export function writeBallot(election: string, codec: Codec, message: unknown): Ballot {
  writer.clear();
  codec.write(message, writer);
  return { election, body: writer.copy() };
}

export function readBallot(election: string, codec: Codec, ballot: Ballot): Result<unknown> {
  if (ballot.election !== election) {
    return refused(`it speaks of the election ${ballot.election}, and this server elects by ${election}`);
  }
  const reader = new Reader(ballot.body);
  const message = codec.read(reader);
  if (message === null) reader.fail("no message begins so");
  return reader.finish()
    ? read(message)
    : refused(
        `its message of the election ${ballot.election} is none that ${election} knows here: ` +
          `${reader.failure}`,
      );
}

/** An election that speaks in ballots. */
export class ByBallot implements Automaton<BallotProtocol> {
  readonly #name: string;
  readonly #codec: Codec;
  readonly #election: Automaton<ElectionProtocol>;

  constructor(name: string, codec: Codec, election: Automaton<ElectionProtocol>) {
    this.#name = name;
    this.#codec = codec;
    this.#election = election;
  }

  step(input: Input<BallotProtocol>, now: Instant): readonly Effect<BallotProtocol>[] {
    if (input.kind !== "message") return this.#outward(this.#election.step(input, now));
    const opened = readBallot(this.#name, this.#codec, input.message);
    return opened.ok
      ? this.#outward(this.#election.step({ ...input, message: opened.value }, now))
      : [{ kind: "close", server: input.from, reason: opened.reason }];
  }

  #outward(effects: readonly Effect<ElectionProtocol>[]): readonly Effect<BallotProtocol>[] {
    return effects.map((effect) =>
      effect.kind === "send"
        ? { ...effect, message: writeBallot(this.#name, this.#codec, effect.message) }
        : effect,
    );
  }
}
