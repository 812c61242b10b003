/**
 * One server of five on a stage of its own, p1 unless told otherwise: what is said to it, and what it
 * answers.
 */

import type { Effect } from "../../../core/automaton.ts";
import { ensemble, type ServerId, serverId } from "../../../core/identity.ts";
import { round, type Score } from "../../../core/score.ts";
import { type Instant, instant, milliseconds, toMilliseconds } from "../../../core/time.ts";
import type { ElectionProtocol } from "../../../election/election.ts";
import { PoleElection, type PoleOptions } from "../../../election/pole/pole.ts";
import { candidateOf, type Facts } from "../../../telemetry/facts.ts";
import type { PoleMessage } from "../../../election/pole/message.ts";
import { epoch } from "../../../core/zxid.ts";
import { scripted } from "../scripted-judge.ts";

/**
 * What one step did, in words: `P1 p3 (30) -> p2 p3`, `V1 p3 -> p2`, `arm election 200`, `elects p3 in 1`.
 */
export type Deeds = readonly string[];

export const FIVE = ensemble([1, 2, 3, 4, 5]);

export class Soloist {
  readonly #election: PoleElection;
  readonly #now: Instant = instant(0);

  constructor(options: Partial<PoleOptions> = {}) {
    this.#election = new PoleElection({
      self: serverId(1),
      servers: FIVE,
      judge: scripted({ score: 10 }),
      timeout: milliseconds(200),
      knownDown: false,
      succession: false,
      ...options,
    });
  }

  /** `heir`: whom the leader named when it gave its place away. */
  elect(heir: number | null = null): Deeds {
    const named = heir === null ? {} : { heir: serverId(heir) };
    return this.#deeds({ kind: "request", request: { kind: "elect", ...named } });
  }

  isLed(leader: number): Deeds {
    const request = { kind: "led", leader: serverId(leader), epoch: epoch(1) } as const;
    return this.#deeds({ kind: "request", request });
  }

  /** A proposal arrives; its candidate is its sender, unless told otherwise. */
  hearProposal(from: number, inRound: number, score: number, candidate = from): Deeds {
    return this.hear(from, {
      kind: "proposal",
      round: round(inRound),
      score: [score],
      candidate: serverId(candidate),
    });
  }

  hearVote(from: number, inRound: number, leader: number): Deeds {
    return this.hear(from, { kind: "vote", round: round(inRound), leader: serverId(leader) });
  }

  hear(from: number, message: PoleMessage): Deeds {
    return this.#deeds({ kind: "message", from: serverId(from), message });
  }

  fire(timer: "election" | "retry" | "standing"): Deeds {
    return this.#deeds({ kind: "timeout", timer });
  }

  lose(server: number): Deeds {
    return this.#deeds({ kind: "unreachable", server: serverId(server) });
  }

  connect(server: number): Deeds {
    return this.#deeds({ kind: "connected", server: serverId(server) });
  }

  /** The end of what is at hand. */
  turn(): Deeds {
    return this.#deeds({ kind: "turn" });
  }

  #deeds(input: Parameters<PoleElection["step"]>[0]): Deeds {
    return this.#election.step(input, this.#now).flatMap(describe);
  }
}

function describe(effect: Effect<ElectionProtocol<PoleMessage>>): string[] {
  switch (effect.kind) {
    case "send":
      return [`${describeMessage(effect.message)} -> ${effect.to.map(name).join(" ")}`];
    case "arm":
      return [`arm ${effect.timer} ${toMilliseconds(effect.after)}`];
    case "disarm":
      return [`disarm ${effect.timer}`];
    case "close":
      return [`close p${effect.server}: ${effect.reason}`];
    case "output":
      if (effect.output.kind === "elected")
        return [`elects ${name(effect.output.leader)} in ${effect.output.round}`];
      if (effect.output.kind === "deposed") return [`deposed: ${effect.output.reason}`];
      return effect.output.kind === "observed" ? describeFacts(effect.output.facts) : [];
    default:
      return [];
  }
}

function describeFacts(facts: Facts): string[] {
  const stands = candidateOf(facts);
  return stands === null ? [] : [`scores ${describeScore(stands.score)} in ${stands.round}`];
}

const name = (server: ServerId): string => `p${server}`;
const describeScore = (score: Score): string => `(${score.join(" ")})`;

function describeMessage(message: PoleMessage): string {
  switch (message.kind) {
    case "proposal":
      return `P${message.round} ${name(message.candidate)} ${describeScore(message.score)}`;
    case "vote":
      return `V${message.round} ${name(message.leader)}`;
    case "standing":
      return `S${message.round} ${describeScore(message.score)}`;
    case "heir":
      return `H${message.round} ${name(message.heir)}`;
  }
}
