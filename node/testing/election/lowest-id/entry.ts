/**
 * The least election that a replica can use: the lowest id leads among those who stand.
 *
 * It is of no use but to show what adding an election takes: `adding.system.test.ts` puts this folder among
 * the elections of a copy, with a line in the catalog, and changes nothing else.
 */

import type { Automaton, Effect, Input } from "../../../core/automaton.ts";
import { type ServerId, serverId } from "../../../core/identity.ts";
import { majority } from "../../../core/quorum.ts";
import { type Round, round } from "../../../core/score.ts";
import { milliseconds } from "../../../core/time.ts";
import type { ElectionOutput, ElectionProtocol, ElectionRequest } from "../../../election/election.ts";
import type { ElectionEntry, Seat } from "../../../election/entry.ts";
import type { Schema, Values } from "../../../election/options.ts";
import { settledBy, type Vote, type Votes, withVote } from "../../../election/vote.ts";

type Message = { readonly kind: "stands" } | ({ readonly kind: "vote" } & Vote);

const OPTIONS = {
  patience: {
    kind: "duration",
    default: milliseconds(100),
    sentence: "how long others are waited for",
    drawn: [50, 200].map(milliseconds),
  },
  reign: {
    kind: "duration",
    default: milliseconds(0),
    sentence: "after so long its own election deposes a leader, 0 never",
  },
} as const satisfies Schema;

class LowestId implements Automaton<ElectionProtocol<Message>> {
  readonly #seat: Seat;
  readonly #options: Values<typeof OPTIONS>;
  #round: Round = round(0);
  #leader: ServerId | null = null;
  #isAsked = false;
  #standing = new Set<ServerId>();
  #votes: Votes = [];

  constructor(seat: Seat, options: Values<typeof OPTIONS>) {
    this.#seat = seat;
    this.#options = options;
  }

  step(input: Input<ElectionProtocol<Message>>): readonly Effect<ElectionProtocol<Message>>[] {
    switch (input.kind) {
      case "request":
        return this.#ask(input.request);
      case "timeout":
        if (input.timer === "reign") return [output({ kind: "deposed", reason: "its time is over" })];
        return this.#isAsked ? this.#close() : [];
      case "connected":
        // Nothing said before has reached it.
        return this.#isAsked ? [{ kind: "send", to: [input.server], message: { kind: "stands" } }] : [];
      case "unreachable":
        this.#standing.delete(input.server);
        return [];
      case "message":
        return input.message.kind === "stands"
          ? this.#hear(input.from)
          : this.#receiveVote(input.from, input.message);
      default:
        return [];
    }
  }

  #ask(request: ElectionRequest): readonly Effect<ElectionProtocol<Message>>[] {
    if (request.kind === "elect") return this.#begin();
    const { kind: name, ...fields } = request;
    const facts = output({ kind: "observed", facts: { name, ...fields } });
    const reigns = request.kind === "led" && request.leader === this.#seat.self && this.#options.reign > 0;
    return reigns ? [facts, { kind: "arm", timer: "reign", after: this.#options.reign }] : [facts];
  }

  #begin(): readonly Effect<ElectionProtocol<Message>>[] {
    this.#round = round(this.#round + 1);
    this.#leader = null;
    this.#isAsked = true;
    this.#standing = new Set([this.#seat.self]);
    this.#votes = [];
    return this.#stand();
  }

  #stand(): readonly Effect<ElectionProtocol<Message>>[] {
    const others = this.#seat.servers.filter((server) => server !== this.#seat.self);
    return [
      ...(others.length === 0 ? [] : [{ kind: "send", to: others, message: { kind: "stands" } } as const]),
      { kind: "arm", timer: "patience", after: this.#options.patience },
    ];
  }

  #close(): readonly Effect<ElectionProtocol<Message>>[] {
    if (this.#standing.size < majority(this.#seat.servers.length)) return this.#stand();
    return this.#follow(serverId(Math.min(...this.#standing)), this.#round);
  }

  #hear(from: ServerId): readonly Effect<ElectionProtocol<Message>>[] {
    if (this.#leader === null) {
      if (!this.#isAsked || this.#standing.has(from)) return [];
      this.#standing.add(from);
      // What was said before it was asked did not count for it.
      return [{ kind: "send", to: [from], message: { kind: "stands" } }];
    }
    const vote = { kind: "vote", round: this.#round, leader: this.#leader } as const;
    return [{ kind: "send", to: [from], message: vote }];
  }

  #receiveVote(from: ServerId, vote: Vote): readonly Effect<ElectionProtocol<Message>>[] {
    if (!this.#isAsked) return [];
    this.#votes = withVote(this.#votes, from, vote);
    const settled = settledBy(this.#votes, this.#seat.servers.length);
    return settled === null ? [] : this.#follow(settled.leader, settled.round);
  }

  #follow(leader: ServerId, inRound: Round): readonly Effect<ElectionProtocol<Message>>[] {
    this.#leader = leader;
    this.#isAsked = false;
    const facts = { name: "counted", standing: [...this.#standing] };
    return [
      { kind: "disarm", timer: "patience" },
      output({ kind: "observed", facts }),
      output({ kind: "elected", leader, round: inRound }),
    ];
  }
}

const output = (said: ElectionOutput) => ({ kind: "output", output: said }) as const;

export const lowestId: ElectionEntry<Message, typeof OPTIONS> = {
  create: (seat, options) => new LowestId(seat, options),
  codec: {
    /** stands => 0; vote => 1 round:u64 leader:u8 */
    write(message, writer) {
      if (message.kind === "stands") writer.u8(0);
      else writer.u8(1).u64(message.round).u8(message.leader);
    },
    read(reader) {
      const type = reader.u8();
      if (type === 0) return { kind: "stands" };
      return type === 1 ? { kind: "vote", round: round(reader.u64()), leader: reader.server() } : null;
    },
    examples: [{ kind: "stands" }, { kind: "vote", round: round(1), leader: serverId(2) }],
  },
  options: OPTIONS,
  assumes: {
    medium: "peers",
    failures: "crash",
    messages: "lossy",
    timing: "partially synchronous",
  },
  source: "nobody's",
  summary: "the lowest id leads among those who stand",
};
