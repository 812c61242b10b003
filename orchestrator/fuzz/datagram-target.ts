/**
 * Datagrams at a member of a group, with and without a secret: of anybody, or of a member that knows the
 * secret and lies. Whatever they say, each is given or counted, and the member lives on.
 *
 *   input => election:u8 manner:u8 (length:u8 bytes)*      manner: 1 with a secret, 2 sealed by a liar
 */

import type { GroupEffect, Member } from "#node/core/group.ts";
import { memberId } from "#node/core/identity.ts";
import { instant } from "#node/core/time.ts";
import { groupElections } from "#node/election/group-catalog.ts";
import type { GroupElectionEntry, GroupElectionProtocol } from "#node/election/group-election.ts";
import type { Values } from "#node/election/options.ts";
import { Envelope } from "#node/host/group-datagram.ts";
import { groupKeyFor, GroupProof } from "#node/host/group-proof.ts";
import type { Target } from "./target.ts";

const ELECTIONS: readonly GroupElectionEntry[] = Object.values(groupElections);
const MANNER = { secret: 1, liar: 2 } as const;
const KEY = groupKeyFor("a secret that the liar has");
const NOW = 1.8e15;
const [self, liar] = [memberId(5), memberId(255)];
/** Timers that fire after what was said, so that what it left behind shows. */
const AFTERWARDS = 6;

type Codec = GroupElectionEntry["codec"];

const envelopeOf = (codec: Codec, manner: number): Envelope<GroupElectionProtocol> =>
  new Envelope("fuzz", codec, (manner & MANNER.secret) === 0 ? null : new GroupProof(KEY, () => NOW));

/** Says bytes as they are. */
const RAW: Codec = {
  write: (bytes, writer) => void writer.bytes(bytes as Uint8Array),
  read: (reader) => reader.bytes(reader.left),
  kind: () => "raw",
  examples: [],
};

export function datagramTarget(): Target {
  return {
    seeds: ELECTIONS.flatMap(({ codec }, election) =>
      [0, MANNER.secret, MANNER.liar, MANNER.secret | MANNER.liar].map((manner) => {
        const said = codec.examples.flatMap((message) => {
          const sealed = envelopeOf(codec, manner).seal(liar, message);
          const bytes = sealed.ok && (manner & MANNER.liar) === 0 ? sealed.value : bodyOf(codec, message);
          return [bytes.length, ...bytes];
        });
        return Uint8Array.of(election, manner, ...said);
      }),
    ),
    feed([election = 0, manner = 0, ...said]) {
      const entry = ELECTIONS[election % ELECTIONS.length] as GroupElectionEntry;
      const options = Object.entries(entry.options).map(([name, option]) => [name, option.default]);
      const scene = new Scene(entry, entry.create(self, Object.fromEntries(options) as Values));
      const envelope = envelopeOf(entry.codec, manner);
      const lying = envelopeOf(RAW, manner);
      for (let at = 0; at < said.length; ) {
        const length = said[at++] ?? 0;
        const bytes = Uint8Array.from(said.slice(at, at + length));
        at += length;
        const sealed = lying.seal(liar, bytes);
        const isLie = (manner & MANNER.liar) !== 0 && sealed.ok;
        const opened = envelope.open(isLie ? sealed.value : bytes);
        if (opened.kind === "message") scene.step(opened);
        else if (opened.reason === "") throw new Error("refused, and no word why");
      }
      scene.end();
    },
  };
}

function bodyOf(codec: Codec, message: unknown): Uint8Array {
  const raw = new Envelope<GroupElectionProtocol>("fuzz", RAW);
  const sealed = new Envelope<GroupElectionProtocol>("fuzz", codec).seal(liar, message);
  if (!sealed.ok) return new Uint8Array(0);
  const opened = raw.open(sealed.value);
  return opened.kind === "message" ? (opened.message as Uint8Array) : new Uint8Array(0);
}

class Scene {
  readonly #member: Member<GroupElectionProtocol>;
  readonly #armed = new Set<string>();
  /** Who counts rounds and has decided waits for nothing but for what it has to pass on. */
  readonly #mayRest: boolean;
  #hasDecided = false;

  constructor({ assumes }: GroupElectionEntry, member: Member<GroupElectionProtocol>) {
    this.#mayRest = assumes.timing === "rounds";
    this.#member = member;
    this.step({ kind: "start", life: 1 });
  }

  step(input: Parameters<Member<GroupElectionProtocol>["step"]>[0]): void {
    for (const effect of this.#member.step(input, instant(0))) this.#do(effect);
  }

  end(): void {
    for (let left = AFTERWARDS; left > 0; left--) {
      const [timer] = this.#armed;
      if (timer === undefined && this.#mayRest && this.#hasDecided) return;
      if (timer === undefined) throw new Error("it waits for nothing any more");
      this.#armed.delete(timer);
      this.step({ kind: "timeout", timer });
    }
  }

  #do(effect: GroupEffect<GroupElectionProtocol>): void {
    if (effect.kind === "arm") {
      if (!(effect.after >= 0)) throw new Error(`${effect.timer} is armed for ${effect.after}`);
      this.#armed.add(effect.timer);
    } else if (effect.kind === "disarm") this.#armed.delete(effect.timer);
    else if (effect.kind === "output" && effect.output.kind === "elected") this.#hasDecided = true;
  }
}
