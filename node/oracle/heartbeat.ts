/**
 * Knock at every door once a period, and remember how long it takes until somebody answers.
 *
 * A ping goes to every connected server when it connects and then each period; the pong brings back when the
 * ping was sent, so nothing need be remembered about pings under way. That gives the vector RTT_i of the
 * paper, and because every message carries its sender's request rate, the vector F_i too (section 3.3). A
 * server that lost its connection, or from which nothing came for some periods, is down until it is heard
 * again: a cut cable closes no connection.
 */

import { unreachable } from "../core/assert.ts";
import type { Automaton, Effect, Input } from "../core/automaton.ts";
import type { ServerId } from "../core/identity.ts";
import { after, between, type Duration, type Instant, microseconds, seconds } from "../core/time.ts";
import { Estimate } from "./estimate.ts";
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

interface Peer {
  heardAt: Instant;
  silent: boolean;
  readonly rtt: Estimate;
}

export class Heartbeat implements Automaton<HeartbeatProtocol> {
  readonly #period: Duration;
  readonly #missed: number;
  /** The connected servers. */
  readonly #peers = new Map<ServerId, Peer>();
  #perSecond = 0;
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
        this.#peers.set(input.server, { heardAt: now, silent: false, rtt: new Estimate() });
        this.#welcome(input.server, now);
        break;
      case "unreachable":
        if (this.#peers.get(input.server)?.silent === false)
          this.#output({ kind: "down", server: input.server, reason: "connection lost" });
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
        this.#perSecond = input.request.perSecond;
        break;
      case "durable":
      case "turn":
        break;
      default:
        unreachable(input);
    }
    return this.#effects;
  }

  #welcome(server: ServerId, now: Instant): void {
    this.#output({ kind: "up", server });
    this.#ping([server], now);
    this.#watch(now);
  }

  #pingAll(now: Instant): void {
    this.#ping([...this.#peers.keys()], now);
    this.#arm("ping", this.#period);
  }

  #receive(from: ServerId, message: HeartbeatMessage, now: Instant): void {
    const peer = this.#peers.get(from);
    if (peer === undefined) return;
    const flaw = flawOf(message, now);
    if (flaw !== null) {
      this.#effects.push({ kind: "close", server: from, reason: flaw });
      return;
    }
    peer.heardAt = now;
    if (peer.silent) {
      peer.silent = false;
      this.#welcome(from, now);
    }
    if (message.kind === "ping")
      this.#send([from], { kind: "pong", sentAt: message.sentAt, perSecond: this.#perSecond });
    else {
      peer.rtt.add(between(message.sentAt, now));
      this.#output({ kind: "roundTrip", server: from, rtt: peer.rtt.mean });
    }
    this.#output({ kind: "rate", server: from, perSecond: message.perSecond });
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
      this.#output({ kind: "down", server, reason: `nothing heard for ${silentFor} ms` });
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
    if (to.length > 0) this.#send(to, { kind: "ping", sentAt: now, perSecond: this.#perSecond });
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

/** What makes a message one that no server would send, or null. */
function flawOf({ kind, sentAt, perSecond }: HeartbeatMessage, now: Instant): string | null {
  if (!(perSecond >= 0 && perSecond < Infinity)) return `${kind} tells of ${perSecond} requests a second`;
  if (kind === "pong" && !(sentAt <= now)) return "pong answers a ping that was not sent yet";
  return null;
}
