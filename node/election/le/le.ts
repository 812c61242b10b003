/**
 * Announce-listen as the election of a replica (Schooler, over Zab): who begins is silent for a while, then
 * says that it leads; whoever hears a greater claim falls silent and follows that.
 *
 * Alone announce-listen lets both halves of a cut network have a leader. Over Zab a claim is a guess: only
 * who gathers a quorum serves, so that a wrong guess costs time and never a write. What a service adds:
 *
 * - Claims are scores, and the server's number decides between equals. Who serves is greater than anybody
 *   who does not, by its epoch; so who comes back unseats nobody, and an old leader gives way.
 * - Silence follows worth. Followers tell their leader what they would claim, and it tells all; when it is
 *   gone, who is next speaks at once, and each worse one a step later, if nobody spoke.
 * - Connections carry every message while they last. So a claim is said to whoever connects, who leads
 *   answers a lesser claim, and who is silent and hears a lesser one speaks at once.
 * - Heartbeats watch a leader that serves; T_L is for one that does not yet.
 */

import { assert, unreachable } from "../../core/assert.ts";
import type { Automaton, Effect, Input } from "../../core/automaton.ts";
import type { ServerId } from "../../core/identity.ts";
import { majority } from "../../core/quorum.ts";
import { Random } from "../../core/random.ts";
import { type Round, round } from "../../core/score.ts";
import { between, type Duration, type Instant, instant, microseconds } from "../../core/time.ts";
import { NO_EPOCH } from "../../core/zxid.ts";
import { candidate } from "../../telemetry/facts.ts";
import type { ElectionOutput, ElectionProtocol, ElectionRequest } from "../election.ts";
import type { Seat } from "../entry.ts";
import { compareKeys, type Key } from "../key.ts";
import { armRetry, RETRY } from "../retry.ts";
import { type Claim, compareClaims, flawOf, type LeMessage } from "./message.ts";
import { INITIAL, type LeState } from "./state.ts";

export interface LeOptions extends Seat {
  /** T_A, T_L and T_S. */
  readonly announce: Duration;
  readonly listen: Duration;
  readonly suppress: Duration;
  /** Is the silence by worth? Else by chance. */
  readonly mapped: boolean;
  /** Does it claim to lead only with a quorum in reach? */
  readonly quorum: boolean;
}

const SUPPRESS = "suppress";
const ANNOUNCE = "announce";
const LISTEN = "listen";

type Protocol = ElectionProtocol<LeMessage>;

export class LeElection implements Automaton<Protocol> {
  readonly #options: LeOptions;
  readonly #others: readonly ServerId[];
  readonly #memory: LeState;
  #now = instant(0);
  #effects: Effect<Protocol>[] = [];

  /** `state` goes on from where another copy of this server was. */
  constructor(options: LeOptions, state: LeState = INITIAL) {
    const { self, servers } = options;
    assert(servers.includes(self), `server ${self} is not of the ensemble ${servers.join(", ")}`);
    this.#options = options;
    this.#others = servers.filter((server) => server !== self);
    this.#memory = { ...state };
  }

  get state(): Readonly<LeState> {
    return this.#memory;
  }

  step(input: Input<Protocol>, now: Instant): readonly Effect<Protocol>[] {
    this.#effects = [];
    this.#now = now;
    this.#react(input);
    if (this.#memory.phase === "waiting" && this.#options.judge.ready(now)) this.#begin();
    return this.#effects;
  }

  #react(input: Input<Protocol>): void {
    switch (input.kind) {
      case "start":
        this.#memory.life = input.life;
        break;
      case "request":
        this.#ask(input.request);
        break;
      case "message":
        this.#hear(input.from, input.message);
        break;
      case "timeout":
        this.#fired(input.timer);
        break;
      case "connected":
        this.#connected(input.server);
        break;
      case "unreachable":
        this.#unreachable(input.server);
        break;
      case "clock":
      case "durable":
      case "turn":
        break;
      default:
        unreachable(input);
    }
  }

  #ask(request: ElectionRequest): void {
    switch (request.kind) {
      case "elect":
        if (this.#memory.phase !== "waiting") this.#elect();
        break;
      case "led":
        this.#isLed(request);
        break;
      case "lost":
        this.#forget();
        break;
      default:
        unreachable(request);
    }
  }

  #fired(timer: string): void {
    if (timer === RETRY) {
      if (this.#memory.phase === "waiting") this.#push(armRetry(this.#options.announce));
    } else if (timer === ANNOUNCE) this.#repeat();
    else if (this.#memory.phase !== "electing") return;
    else if (timer === SUPPRESS) this.#speak();
    else this.#elect();
  }

  #elect(): void {
    const { heard, own } = this.#memory;
    this.#forget();
    if (own !== null || this.#options.judge.ready(this.#now)) {
      this.#begin(heard);
      return;
    }
    this.#memory.phase = "waiting";
    this.#push(armRetry(this.#options.announce));
    if (heard !== null && heard.claim.epoch > NO_EPOCH && this.#isFresh(heard)) this.#follow(heard);
    else this.#memory.heard = heard;
  }

  #forget(): void {
    const memory = this.#memory;
    memory.phase = "resting";
    memory.leader = null;
    memory.claim = null;
    memory.epoch = NO_EPOCH;
    memory.due = false;
    for (const timer of [SUPPRESS, ANNOUNCE, LISTEN]) this.#push({ kind: "disarm", timer });
  }

  /** Believes in nobody, and speaks when its time has come; or follows whom it has heard already. */
  #begin(heard: LeState["heard"] = this.#memory.heard): void {
    const memory = this.#memory;
    this.#forget();
    this.#join(round(Math.max(memory.round, memory.latest) + 1));
    memory.heard = null;
    if (heard !== null && this.#isFresh(heard) && this.#compare(heard.claim, this.#present) > 0) {
      this.#follow(heard);
      return;
    }
    const wait = this.#silence();
    this.#observe({ name: "is silent", wait });
    if (wait === 0) this.#speak();
    else this.#push({ kind: "arm", timer: SUPPRESS, after: wait });
  }

  /** What it claims is drawn once a round. */
  #join(inRound: Round): void {
    const memory = this.#memory;
    const { judge, self } = this.#options;
    memory.phase = "electing";
    memory.round = inRound;
    memory.latest = latest(memory.latest, inRound);
    const score = judge.score(inRound, this.#now);
    memory.own = { score, server: self };
    this.#observe(candidate(inRound, score, judge.explain(inRound, this.#now)));
  }

  /** By worth a step for each better one that lives, and as long as it takes to hear of those. */
  #silence(): Duration {
    const { suppress, mapped, reach } = this.#options;
    const memory = this.#memory;
    if (suppress === 0) return suppress;
    if (!mapped) {
      memory.draws += 1;
      return microseconds(suppress * new Random(memory.life, memory.draws).unit());
    }
    const better = this.#better;
    const ways = better.map((server) => (reach?.(server) ?? 0) / 2);
    return microseconds(Math.max((suppress * better.length) / Math.max(1, this.#others.length), ...ways));
  }

  /** Those that live and were last heard to be better. Who was never heard has the own score. */
  get #better(): readonly ServerId[] {
    const { own, keys, down } = this.#memory;
    if (own === null) return [];
    const { judge } = this.#options;
    return this.#others.filter((server) => {
      const key = keys.find((one) => one.server === server) ?? { score: own.score, server };
      return !down.includes(server) && compareKeys(judge, key, own) > 0;
    });
  }

  #speak(): void {
    const memory = this.#memory;
    memory.due = true;
    if (this.#options.quorum && !this.#reachesQuorum) return;
    memory.leader = this.#options.self;
    memory.claim = null;
    this.#push({ kind: "disarm", timer: SUPPRESS });
    this.#announce(memory.connected);
    this.#push({ kind: "arm", timer: ANNOUNCE, after: this.#options.announce });
    this.#output({ kind: "elected", leader: this.#options.self, round: memory.round });
  }

  get #reachesQuorum(): boolean {
    const { connected } = this.#memory;
    return connected.length + 1 >= majority(this.#options.servers.length);
  }

  get #leads(): boolean {
    return this.#memory.leader === this.#options.self;
  }

  #repeat(): void {
    if (!this.#leads) return;
    if (this.#options.mutant !== "claim-not-repeated") this.#announce(this.#memory.connected);
    this.#push({ kind: "arm", timer: ANNOUNCE, after: this.#options.announce });
  }

  #announce(to: readonly ServerId[]): void {
    const { round: inRound, epoch, own, keys } = this.#memory;
    if (own === null || to.length === 0) return;
    const claimed = this.#options.mutant === "claim-without-epoch" ? NO_EPOCH : epoch;
    const message = { kind: "claim", round: inRound, epoch: claimed, key: own, keys } as const;
    this.#push({ kind: "send", to, message });
  }

  #isLed({ leader, epoch }: Extract<ElectionRequest, { kind: "led" }>): void {
    const memory = this.#memory;
    memory.phase = "led";
    memory.leader = leader;
    memory.epoch = epoch;
    for (const timer of [SUPPRESS, LISTEN]) this.#push({ kind: "disarm", timer });
    if (this.#leads) this.#announce(memory.connected);
    else this.#push({ kind: "disarm", timer: ANNOUNCE });
  }

  #connected(server: ServerId): void {
    const memory = this.#memory;
    memory.down = memory.down.filter((other) => other !== server);
    memory.connected = [...memory.connected.filter((other) => other !== server), server].sort(ascending);
    if (this.#leads) this.#tell(server);
    else if (memory.phase === "electing" && memory.leader === null && memory.due) this.#speak();
  }

  #unreachable(server: ServerId): void {
    const memory = this.#memory;
    memory.connected = memory.connected.filter((other) => other !== server);
    memory.down = [...memory.down.filter((other) => other !== server), server].sort(ascending);
    if (memory.heard?.from === server) memory.heard = null;
  }

  /** Who has not heard, or has forgotten. */
  #tell(server: ServerId): void {
    if (this.#options.mutant !== "claim-not-repeated") this.#announce([server]);
  }

  #hear(from: ServerId, message: LeMessage): void {
    const flaw = flawOf(message, from, this.#options.servers);
    if (flaw !== null) {
      this.#push({ kind: "close", server: from, reason: flaw });
      return;
    }
    this.#learn(message.kind === "claim" ? [...message.keys, message.key] : [message.key]);
    if (message.kind === "claim") this.#hearClaim(from, message);
  }

  #learn(keys: readonly Key[]): void {
    const memory = this.#memory;
    const later = keys.filter(({ server }) => server !== this.#options.self);
    const isOld = (key: Key): boolean => later.every(({ server }) => server !== key.server);
    memory.keys = [...memory.keys.filter(isOld), ...later].sort((a, b) => a.server - b.server);
  }

  #hearClaim(from: ServerId, claim: Claim): void {
    const memory = this.#memory;
    memory.latest = latest(memory.latest, claim.round);
    if (from === memory.leader) this.#hearLeader(from, claim);
    else if (memory.phase === "electing") this.#compete(from, claim);
    else {
      if (memory.heard === null || this.#compare(claim, memory.heard.claim) >= 0)
        memory.heard = { from, claim, at: this.#now };
      if (memory.phase === "waiting" && claim.epoch > NO_EPOCH) this.#follow(memory.heard);
      else if (this.#leads) this.#tell(from);
    }
  }

  #hearLeader(from: ServerId, claim: Claim): void {
    const memory = this.#memory;
    memory.claim = claim;
    if (memory.phase === "electing") this.#push({ kind: "arm", timer: LISTEN, after: this.#options.listen });
    this.#tellWorth(from);
  }

  #tellWorth(leader: ServerId): void {
    const { mapped, judge, self } = this.#options;
    if (!mapped || !judge.ready(this.#now)) return;
    const key = { score: judge.score(this.#memory.round, this.#now), server: self };
    this.#push({ kind: "send", to: [leader], message: { kind: "worth", key } });
  }

  #compete(from: ServerId, claim: Claim): void {
    const memory = this.#memory;
    const isLater = claim.round > memory.round && memory.own !== null;
    if (isLater) this.#join(claim.round);
    if (this.#compare(claim, this.#present) > 0) this.#follow({ from, claim });
    else if (memory.leader === null && !memory.due) this.#speak();
    else if (this.#leads && isLater) this.#tell(from);
  }

  /** The claim that is to be surpassed. */
  get #present(): Pick<Claim, "epoch" | "key"> {
    const { claim, own } = this.#memory;
    if (claim !== null) return claim;
    assert(own !== null, "who follows nobody has drawn its key");
    return { epoch: NO_EPOCH, key: own };
  }

  #compare(a: Pick<Claim, "epoch" | "key">, b: Pick<Claim, "epoch" | "key">): number {
    return compareClaims(this.#options.judge, a, b);
  }

  #isFresh({ at }: NonNullable<LeState["heard"]>): boolean {
    return between(at, this.#now) <= this.#options.listen;
  }

  #follow({ from, claim }: Pick<NonNullable<LeState["heard"]>, "from" | "claim">): void {
    const memory = this.#memory;
    memory.phase = "electing";
    memory.leader = from;
    memory.claim = claim;
    memory.heard = null;
    memory.due = false;
    for (const timer of [SUPPRESS, ANNOUNCE, RETRY]) this.#push({ kind: "disarm", timer });
    this.#push({ kind: "arm", timer: LISTEN, after: this.#options.listen });
    this.#output({ kind: "elected", leader: from, round: claim.round });
    this.#tellWorth(from);
  }

  #observe(facts: Extract<ElectionOutput, { kind: "observed" }>["facts"]): void {
    this.#output({ kind: "observed", facts });
  }

  #output(output: ElectionOutput): void {
    this.#push({ kind: "output", output });
  }

  #push(...effects: readonly Effect<Protocol>[]): void {
    this.#effects.push(...effects);
  }
}

const latest = (a: Round, b: Round): Round => (a > b ? a : b);
const ascending = (a: number, b: number): number => a - b;
