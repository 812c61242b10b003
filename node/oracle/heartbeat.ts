/**
 * Knock at every door once a period, and remember how long it takes until somebody answers.
 *
 * A ping goes to every connected server when it connects and then each period. Its pong gives the vector
 * RTT_i of the paper, and the request rate it carries the vector F_i (section 3.3). A server that lost its
 * connection, or from which nothing came for some periods, is down until it is heard again: a cut cable
 * closes no connection.
 */

import { unreachable } from "../core/assert.ts";
import type { Automaton, Effect, Input } from "../core/automaton.ts";
import type { ServerId } from "../core/identity.ts";
import { after, between, type Duration, type Instant, microseconds, seconds } from "../core/time.ts";
import { Estimate } from "./estimate.ts";
import type { Report } from "./report.ts";
import type {
  HeartbeatMessage,
  HeartbeatOutput,
  HeartbeatProtocol,
  HeartbeatTimer,
} from "./heartbeat-message.ts";

export interface HeartbeatOptions {
  /** The paper: 100 ms to 1 s is enough in most cases. */
  readonly period?: Duration;
  /** So many periods of silence, beyond what an answer takes, mean that a server is down. */
  readonly missed?: number;
}

/** A pong that so many pings have overtaken says nothing about the network any more. */
const UNDER_WAY = 64;

interface Peer {
  heardAt: Instant;
  silent: boolean;
  rtt: Estimate;
  /**
   * Pings before this one do not count: a server that was paused answers them all when it wakes, seconds
   * late.
   */
  since: number;
}

export class Heartbeat implements Automaton<HeartbeatProtocol> {
  readonly #period: Duration;
  readonly #missed: number;
  /** The connected servers. */
  readonly #peers = new Map<ServerId, Peer>();
  /** When the last pings were sent, by their sequence. */
  readonly #sentAt = new Map<number, Instant>();
  #sequence = 0;
  #perSecond = 0;
  #report: Report | null = null;
  #silenceDue: Instant | null = null;
  #effects: Effect<HeartbeatProtocol>[] = [];

  constructor({ period = seconds(1), missed = 3 }: HeartbeatOptions = {}) {
    this.#period = period;
    this.#missed = missed;
  }

  step(input: Input<HeartbeatProtocol>, now: Instant): readonly Effect<HeartbeatProtocol>[] {
    this.#effects = [];
    switch (input.kind) {
      case "start":
        this.#arm("ping", this.#period);
        break;
      case "connected":
        this.#welcome(input.server, now);
        break;
      case "unreachable":
        if (this.#peers.get(input.server)?.silent === false)
          this.#output({ kind: "down", server: input.server, silent: false, reason: "connection lost" });
        this.#peers.delete(input.server);
        break;
      case "message":
        this.#receive(input.from, input.message, now);
        break;
      case "timeout":
        if (input.timer === "ping") this.#pingAll(now);
        else this.#silence(now);
        break;
      case "request":
        if (input.request.kind === "rate") this.#perSecond = input.request.perSecond;
        else this.#report = input.request.report;
        break;
      case "clock":
      case "durable":
      case "turn":
        break;
      default:
        unreachable(input);
    }
    return this.#effects;
  }

  /** Connected, or back from a silence: what was known of its distance is void. */
  #welcome(server: ServerId, now: Instant): Peer {
    const peer = { heardAt: now, silent: false, rtt: new Estimate(), since: this.#sequence + 1 };
    this.#peers.set(server, peer);
    this.#output({ kind: "up", server });
    this.#ping([server], now);
    this.#watch(now);
    return peer;
  }

  #pingAll(now: Instant): void {
    this.#ping([...this.#peers.keys()], now);
    this.#arm("ping", this.#period);
  }

  #receive(from: ServerId, message: HeartbeatMessage, now: Instant): void {
    const known = this.#peers.get(from);
    if (known === undefined) return;
    const peer = known.silent ? this.#welcome(from, now) : known;
    peer.heardAt = now;
    if (message.kind === "ping") {
      this.#send([from], { kind: "pong", sequence: message.sequence });
      this.#output({ kind: "rate", server: from, perSecond: message.requestsPerSecond });
      return;
    }
    if (message.kind === "report") {
      this.#output({ kind: "report", server: from, report: message.report });
      return;
    }
    const sentAt = this.#sentAt.get(message.sequence);
    if (sentAt === undefined || message.sequence < peer.since) return;
    peer.rtt.add(between(sentAt, now));
    this.#output({ kind: "roundTrip", server: from, rtt: peer.rtt.mean, reach: peer.rtt.reach });
  }

  #silence(now: Instant): void {
    // A timer this late means that this server itself did not run (a pause, a swap storm): whatever came
    // meanwhile is still to be read, and nobody else was silent.
    const slept = this.#silenceDue !== null && between(this.#silenceDue, now) > this.#period;
    for (const [server, peer] of this.#peers) {
      if (slept) peer.heardAt = now;
      if (peer.silent || now < this.#deadline(peer)) continue;
      peer.silent = true;
      const silentFor = Math.round(between(peer.heardAt, now) / 1e3);
      this.#output({ kind: "down", server, silent: true, reason: `nothing heard for ${silentFor} ms` });
    }
    this.#watch(now);
  }

  /**
   * Wakes when the first server may be declared silent. Being heard moves a deadline, but no timer: it may
   * wake early.
   */
  #watch(now: Instant): void {
    const deadlines = [...this.#peers.values()]
      .filter(({ silent }) => !silent)
      .map((peer) => this.#deadline(peer));
    if (deadlines.length === 0) {
      this.#silenceDue = null;
      this.#effects.push({ kind: "disarm", timer: "silence" });
      return;
    }
    const wait = microseconds(Math.max(0, Math.min(...deadlines) - now));
    this.#silenceDue = after(now, wait);
    this.#arm("silence", wait);
  }

  #deadline({ heardAt, rtt }: Peer): Instant {
    return after(heardAt, microseconds(this.#missed * this.#period + rtt.patience));
  }

  #ping(to: readonly ServerId[], now: Instant): void {
    if (to.length === 0) return;
    this.#sequence += 1;
    this.#sentAt.set(this.#sequence, now);
    this.#sentAt.delete(this.#sequence - UNDER_WAY);
    this.#send(to, { kind: "ping", sequence: this.#sequence, requestsPerSecond: this.#perSecond });
    if (this.#report !== null) this.#send(to, { kind: "report", report: this.#report });
  }

  #send(to: readonly ServerId[], message: HeartbeatMessage): void {
    this.#effects.push({ kind: "send", to, message });
  }

  #arm(timer: HeartbeatTimer, wait: Duration): void {
    this.#effects.push({ kind: "arm", timer, after: wait });
  }

  #output(output: HeartbeatOutput): void {
    this.#effects.push({ kind: "output", output });
  }
}
