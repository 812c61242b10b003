/**
 * One server: heartbeats, an oracle, an election, the broadcast and the service, composed into one automaton.
 *
 * The parts know nothing of each other. The replica passes on what concerns them: a leader found by the
 * election is followed by the broadcast; a leader lost by the broadcast is replaced by the election;
 * heartbeats feed the view that the oracle looks at, and a server they hear nothing of is disconnected, which
 * tells everyone. To the host the whole is an automaton like any of its parts.
 */

import type { BroadcastOutput, BroadcastProtocol, BroadcastTimer } from "../broadcast/broadcast.ts";
import { unreachable } from "../core/assert.ts";
import type { Automaton, Effect, Input, Protocol } from "../core/automaton.ts";
import type { ServerId } from "../core/identity.ts";
import type { Duration, Instant } from "../core/time.ts";
import type { Epoch, Zxid } from "../core/zxid.ts";
import type { BallotProtocol } from "../election/ballot.ts";
import type { ElectionOutput, ElectionRequest } from "../election/election.ts";
import type { HeartbeatOutput, HeartbeatProtocol, HeartbeatTimer } from "../oracle/heartbeat-message.ts";
import type { ReplicaEvent } from "../telemetry/event.ts";
import { Clients } from "./clients.ts";
import type { PeerMessage } from "./message.ts";
import { assemble, type Parts, type ReplicaOptions } from "./parts.ts";
import type { ReplicaOutput, ReplicaProtocol, ReplicaRequest, ReplicaTimer } from "./replica-protocol.ts";

export interface ReplicaStatus {
  readonly role: "looking" | "following" | "leading";
  readonly leader: ServerId | null;
  readonly epoch: Epoch | null;
}

/** `Tag`: see `Inquiry`. */
export class Replica<Tag = number> implements Automaton<ReplicaProtocol<Tag>> {
  readonly #self: ServerId;
  readonly #clients: Clients<Tag>;
  readonly #parts: Parts;
  #effects: Effect<ReplicaProtocol<Tag>>[] = [];
  #status: ReplicaStatus = LOOKING;
  #retired = false;
  #now = 0 as Instant;

  constructor(options: ReplicaOptions) {
    this.#self = options.self;
    this.#clients = new Clients<Tag>(
      options.self,
      options.machine,
      options.mutant ?? null,
      (output) => this.#output(output),
      (client) => this.#parts.demand.answered(client, this.#now),
    );
    this.#parts = assemble(options, this.#clients);
  }

  get status(): ReplicaStatus {
    return this.#status;
  }

  /** How long its election waits for others, as far away as they are now. */
  get electionWait(): Duration {
    return this.#parts.electionWait();
  }

  /** The last transaction executed. */
  get applied(): Zxid {
    return this.#clients.applied;
  }

  step(input: Input<ReplicaProtocol<Tag>>, now: Instant): readonly Effect<ReplicaProtocol<Tag>>[] {
    this.#now = now;
    this.#react(input, now);
    // What a turn delivers may let clients go on; that belongs to the same turn.
    while (this.#submit(now) && input.kind === "turn") this.#broadcast(input, now);
    // Most steps have no effect: none of them need cost an array.
    if (this.#effects.length === 0) return NOTHING;
    const effects = this.#effects;
    this.#effects = [];
    return effects;
  }

  /** Hands what clients may ask now to the broadcast; false when there is nothing. */
  #submit(now: Instant): boolean {
    const submissions = this.#clients.takeSubmissions();
    for (const request of submissions) this.#broadcast({ kind: "request", request }, now);
    return submissions.length > 0;
  }

  #react(input: Input<ReplicaProtocol<Tag>>, now: Instant): void {
    switch (input.kind) {
      case "start":
        this.#clients.begin(input.life);
        this.#tellOwn(now);
        this.#tellAll(input, now);
        this.#look("it has just started", now);
        break;
      case "connected":
      case "unreachable":
        this.#tellAll(input, now);
        break;
      case "clock":
      case "durable":
      case "turn":
        this.#broadcast(input, now);
        break;
      case "message":
        this.#receive(input.from, input.message, now);
        break;
      case "timeout":
        this.#timeout(input.timer, now);
        break;
      case "request":
        this.#ask(input.request, now);
        break;
      default:
        unreachable(input);
    }
  }

  #tellAll(input: ForAll, now: Instant): void {
    this.#heartbeat(input, now);
    this.#election(input, now);
    this.#broadcast(input, now);
  }

  #receive(from: ServerId, received: PeerMessage, now: Instant): void {
    switch (received.part) {
      case "heartbeat":
        this.#heartbeat({ kind: "message", from, message: received.message }, now);
        break;
      case "election":
        if (!this.#retired) this.#election({ kind: "message", from, message: received.message }, now);
        break;
      case "broadcast":
        this.#broadcast({ kind: "message", from, message: received.message }, now);
        break;
      default:
        unreachable(received);
    }
  }

  #timeout(timer: ReplicaTimer, now: Instant): void {
    const of = partOf(timer);
    switch (of.part) {
      case "heartbeat":
        this.#tellOwn(now);
        this.#heartbeat({ kind: "timeout", timer: of.timer }, now);
        this.#resign(now);
        break;
      case "election":
        this.#election({ kind: "timeout", timer: of.timer }, now);
        break;
      case "broadcast":
        this.#broadcast({ kind: "timeout", timer: of.timer }, now);
        break;
      default:
        unreachable(of);
    }
  }

  #ask(request: ReplicaRequest<Tag>, now: Instant): void {
    if (request.kind === "retire") {
      const reason = "it retires";
      this.#askElection({ kind: "lost", reason }, now);
      this.#retired = true;
      this.#broadcast({ kind: "request", request: { kind: "abandon", reason } }, now);
      return;
    }
    if (request.kind === "transfer") {
      this.#broadcast({ kind: "request", request }, now);
      return;
    }
    if (request.kind === "write") {
      this.#parts.meter.count(now);
      this.#parts.demand.asked(request.client, now);
    } else if (request.kind === "detach") this.#parts.demand.gone(request.client, now);
    this.#clients.request(request);
  }

  /** The next heartbeats carry how many requests the own clients send, and what else others may judge by. */
  #tellOwn(now: Instant): void {
    const perSecond = this.#parts.meter.perSecond(now);
    this.#heartbeat({ kind: "request", request: { kind: "rate", perSecond } }, now);
    this.#heartbeat({ kind: "request", request: { kind: "report", report: this.#parts.report(now) } }, now);
  }

  /** A leader that would be beaten gives its place away, where it is told to. */
  #resign(now: Instant): void {
    const { resignation, lookWithLeader } = this.#parts;
    if (resignation === null || this.#retired) return;
    const { to, events } = resignation.look(lookWithLeader(now), this.#status.role === "leading", now);
    for (const event of events) this.#tell(event);
    if (to !== null) this.#broadcast({ kind: "request", request: { kind: "transfer", to } }, now);
  }

  #heartbeat(input: Input<HeartbeatProtocol>, now: Instant): void {
    const effects = this.#parts.heartbeat.step(input, now);
    for (const output of this.#lift("heartbeat", effects)) this.#observe(output);
  }

  #election(input: Input<BallotProtocol>, now: Instant): void {
    const effects = this.#parts.election.step(input, now);
    for (const output of this.#lift("election", effects)) this.#judge(output, now);
  }

  #broadcast(input: Input<BroadcastProtocol>, now: Instant): void {
    const effects = this.#parts.broadcast.step(input, now);
    for (const output of this.#lift("broadcast", effects)) this.#conclude(output, now);
  }

  #observe(output: HeartbeatOutput): void {
    this.#parts.vectors.observe(output);
    if (output.kind !== "down" && output.kind !== "up") return;
    this.#tell(output);
    // A silent server may still be connected (its machine died, its cable was cut): ending the connection
    // tells everyone here, and whatever is still under way from it will not arrive in the middle of something
    // else.
    if (output.kind === "down" && output.silent) {
      this.#effects.push({ kind: "close", server: output.server, reason: output.reason });
    }
  }

  #judge(output: ElectionOutput, now: Instant): void {
    switch (output.kind) {
      case "observed":
        this.#tell({ ...output, election: this.#parts.electionName });
        break;
      case "elected": {
        const { leader, round } = output;
        this.#tell(output);
        this.#broadcast({ kind: "request", request: { kind: "follow", leader, round } }, now);
        break;
      }
      case "deposed":
        this.#broadcast({ kind: "request", request: { kind: "abandon", reason: output.reason } }, now);
        break;
      default:
        unreachable(output);
    }
  }

  #conclude(output: BroadcastOutput, now: Instant): void {
    switch (output.kind) {
      case "serving": {
        const { leader, epoch, settled } = output;
        this.#status = { role: leader === this.#self ? "leading" : "following", leader, epoch };
        this.#parts.lastLeader = leader;
        this.#parts.resignation?.served(leader, now);
        this.#tell({ kind: "serving", leader, epoch });
        this.#clients.serve(settled);
        this.#askElection({ kind: "led", leader, epoch }, now);
        break;
      }
      case "lost":
        this.#clients.suspend();
        this.#tell({ kind: "lost", leader: output.leader, reason: output.reason });
        this.#askElection({ kind: "lost", reason: output.reason }, now);
        this.#look(output.reason, now, output.heir);
        break;
      case "synced":
        this.#clients.synced(output.sequence);
        break;
      case "event":
        if (output.event.kind === "kept") this.#parts.resignation?.kept(now);
        this.#tell(output.event);
        break;
      default:
        unreachable(output);
    }
  }

  #look(reason: string, now: Instant, heir: ServerId | null = null): void {
    this.#status = LOOKING;
    if (this.#retired) return;
    this.#tell({ kind: "looking", reason });
    this.#askElection(heir === null ? ELECT : { kind: "elect", heir }, now);
  }

  #askElection(request: ElectionRequest, now: Instant): void {
    if (!this.#retired) this.#election({ kind: "request", request }, now);
  }

  /** Makes a part's effects the replica's own, and returns its outputs. */
  #lift<P extends Protocol>(part: Part, effects: readonly Effect<P>[]): readonly P["output"][] {
    let outputs: P["output"][] | null = null;
    for (const effect of effects) {
      switch (effect.kind) {
        case "send":
          this.#effects.push({
            kind: "send",
            to: effect.to,
            message: { part, message: effect.message } as PeerMessage,
          });
          break;
        case "arm":
          this.#effects.push({
            kind: "arm",
            timer: `${part}/${effect.timer}` as ReplicaTimer,
            after: effect.after,
          });
          break;
        case "disarm":
          this.#effects.push({ kind: "disarm", timer: `${part}/${effect.timer}` as ReplicaTimer });
          break;
        case "append":
        case "close":
          this.#effects.push(effect);
          break;
        case "output":
          outputs ??= [];
          outputs.push(effect.output);
          break;
        default:
          unreachable(effect);
      }
    }
    return outputs ?? NOTHING;
  }

  #tell(event: ReplicaEvent): void {
    this.#output({ kind: "event", event });
  }

  #output(output: ReplicaOutput<Tag>): void {
    this.#effects.push({ kind: "output", output });
  }
}

type Part = PeerMessage["part"];

/** Inputs that concern every part, and are the same for all. */
type ForAll = Extract<Input<Protocol>, { kind: "start" | "connected" | "unreachable" }>;

type PartTimer =
  | { readonly part: "heartbeat"; readonly timer: HeartbeatTimer }
  | { readonly part: "election"; readonly timer: string }
  | { readonly part: "broadcast"; readonly timer: BroadcastTimer };

function partOf(timer: ReplicaTimer): PartTimer {
  const slash = timer.indexOf("/");
  return { part: timer.slice(0, slash), timer: timer.slice(slash + 1) } as PartTimer;
}

const ELECT: ElectionRequest = { kind: "elect" };

const LOOKING: ReplicaStatus = { role: "looking", leader: null, epoch: null };

const NOTHING: readonly never[] = [];
