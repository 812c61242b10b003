/**
 * The least election over the ring: a token goes round, and the greatest id that it met leads. Like
 * `lowest-id` it is of no use but to show what adding one takes.
 */

import { type ServerId, serverId } from "../../../core/identity.ts";
import { majority } from "../../../core/quorum.ts";
import { round } from "../../../core/score.ts";
import { milliseconds } from "../../../core/time.ts";
import type { ElectionProtocol } from "../../../election/election.ts";
import type { Seat } from "../../../election/entry.ts";
import type { RingEffect, RingElection, RingInput } from "../../../election/medium/ring.ts";
import { overRing } from "../../../election/medium/ring-entry.ts";

interface Token {
  /** Whose token it is, whom it met, and how far an announcement has come. */
  readonly owner: ServerId;
  readonly met: readonly ServerId[];
  readonly isAnnouncement: boolean;
}

type Effects = readonly RingEffect<ElectionProtocol<Token>>[];
const RETRY = milliseconds(300);

class GrandTour implements RingElection<Token> {
  readonly #seat: Seat;
  #isAsked = false;
  #attempts = 0;

  constructor(seat: Seat) {
    this.#seat = seat;
  }

  step(input: RingInput<ElectionProtocol<Token>>): Effects {
    switch (input.kind) {
      case "request":
        if (input.request.kind !== "elect") return [];
        this.#isAsked = true;
        this.#attempts += 1;
        return this.#set();
      case "timeout":
      case "successor changed":
        return this.#isAsked ? this.#set() : [];
      case "message":
        return this.#receive(input.message);
      default:
        return [];
    }
  }

  #set(): Effects {
    const { self } = this.#seat;
    const token = { owner: self, met: [self], isAnnouncement: false };
    return [
      { kind: "pass on", message: token },
      { kind: "arm", timer: "retry", after: RETRY },
    ];
  }

  #receive(token: Token): Effects {
    const { self, servers } = this.#seat;
    const isHome = token.owner === self;
    if (token.isAnnouncement) {
      const elected = this.#follow(token.met);
      return isHome ? elected : [{ kind: "pass on", message: token }, ...elected];
    }
    if (!isHome) {
      // Who was not met twice goes on; a token whose owner is gone ends where it was already.
      if (token.met.includes(self)) return [];
      return [{ kind: "pass on", message: { ...token, met: [...token.met, self] } }];
    }
    if (!this.#isAsked || token.met.length < majority(servers.length)) return [];
    return [{ kind: "pass on", message: { ...token, isAnnouncement: true } }, ...this.#follow(token.met)];
  }

  #follow(met: readonly ServerId[]): Effects {
    if (!this.#isAsked) return [];
    this.#isAsked = false;
    const leader = serverId(Math.max(...met));
    return [
      { kind: "disarm", timer: "retry" },
      { kind: "output", output: { kind: "elected", leader, round: round(this.#attempts) } },
    ];
  }
}

export const grandTour = overRing<Token, Record<never, never>>({
  create: (seat) => new GrandTour(seat),
  codec: {
    /** token => owner:u8 isAnnouncement:flag count:u8 met:u8* */
    write({ owner, met, isAnnouncement }, writer) {
      writer.u8(owner).flag(isAnnouncement).u8(met.length);
      for (const server of met) writer.u8(server);
    },
    read(reader) {
      const [owner, isAnnouncement] = [reader.server(), reader.flag()];
      const met = Array.from({ length: reader.u8() }, () => reader.server());
      return { owner, isAnnouncement, met };
    },
    examples: [{ owner: serverId(1), met: [serverId(1), serverId(3)], isAnnouncement: false }],
  },
  options: {},
  assumes: { failures: "crash", messages: "lossy", timing: "partially synchronous" },
  source: "nobody's",
  summary: "a token goes round, and the greatest id that it met leads",
});
