/**
 * Where those who call are received. Whoever calls is a stranger: it is heard out, a few hundred bytes and a
 * few seconds at most, and passed on when it is a server of this ensemble and has proved it. Until then it
 * touches nothing.
 */

import type { Socket } from "node:net";
import type { ServerId } from "../../core/identity.ts";
import { PeerConnection } from "./peer-connection.ts";
import type { Corks } from "./corks.ts";
import {
  decodeGreeting,
  decodeProof,
  encodeGreeting,
  encodeRefusal,
  type Introduction,
} from "./introduction.ts";
import type { Prover } from "./proof.ts";

export interface ReceptionOptions {
  readonly self: ServerId;
  readonly servers: ReadonlyMap<ServerId, unknown>;
  readonly cluster: string;
  readonly corks: Corks;
  readonly prover: Prover;
  readonly patienceMs: number;
  accepted(connection: PeerConnection, greeting: Introduction): void;
  refused(address: string, reason: string): void;
}

export class Reception {
  readonly #options: ReceptionOptions;
  readonly #strangers = new Set<PeerConnection>();

  constructor(options: ReceptionOptions) {
    this.#options = options;
  }

  receive(socket: Socket): void {
    const { corks, patienceMs } = this.#options;
    const address = addressOf(socket);
    const stranger = new PeerConnection(socket, corks, patienceMs, {
      greeted: (body) => {
        const greeting = decodeGreeting(body);
        const objection = greeting.ok ? this.#objectionTo(greeting.value) : greeting.reason;
        if (!greeting.ok || objection !== null) this.#sendAway(stranger, address, objection ?? "");
        else this.#greet(stranger, address, greeting.value);
      },
      ended: (reason) => this.#forget(stranger, address, reason),
    });
    this.#strangers.add(stranger);
  }

  end(): void {
    for (const stranger of this.#strangers) stranger.end();
  }

  #greet(stranger: PeerConnection, address: string, greeting: Introduction): void {
    const { self, prover } = this.#options;
    const challenge = prover.challenge();
    const proof = prover.prove("listener", greeting, challenge);
    stranger.greet(encodeGreeting({ ...greeting, from: self, to: greeting.from, challenge, proof }));
    if (!prover.asks) return this.#accept(stranger, greeting);
    stranger.handOver({
      greeted: (body) => {
        const answer = decodeProof(body);
        if (!answer.ok) this.#sendAway(stranger, address, answer.reason);
        else if (prover.holds(answer.value, "dialer", greeting, challenge)) this.#accept(stranger, greeting);
        else {
          const reason = `who calls itself server ${greeting.from} does not know the secret`;
          this.#sendAway(stranger, address, reason);
        }
      },
      ended: (reason) => this.#forget(stranger, address, reason),
    });
    stranger.expect();
  }

  #accept(stranger: PeerConnection, greeting: Introduction): void {
    this.#strangers.delete(stranger);
    this.#options.accepted(stranger, greeting);
  }

  #sendAway(stranger: PeerConnection, address: string, reason: string): void {
    stranger.greet(encodeRefusal(reason));
    stranger.leave();
    this.#forget(stranger, address, reason);
  }

  #forget(stranger: PeerConnection, address: string, reason: string): void {
    this.#strangers.delete(stranger);
    this.#options.refused(address, reason);
  }

  #objectionTo({ from, to, cluster, challenge }: Introduction): string | null {
    const { self, servers, prover } = this.#options;
    if (cluster !== this.#options.cluster) {
      return `this is cluster "${this.#options.cluster}", and server ${from} is of cluster "${cluster}"`;
    }
    if (to !== self) return `this is server ${self}, and server ${from} wants server ${to}`;
    if (from === self || !servers.has(from)) return `server ${from} is none of this ensemble`;
    if (from < self) return `server ${self} is the one to call server ${from}, not the other way round`;
    return prover.objectionTo(challenge);
  }
}

export const addressOf = ({ remoteAddress, remotePort }: Socket): string =>
  `${remoteAddress ?? "?"}:${remotePort ?? "?"}`;
