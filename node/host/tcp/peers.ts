/**
 * All other servers: one link to each, and the port on which those with larger ids call. Nobody who calls
 * touches a link before it has proved who it is.
 */

import type { Server } from "node:net";
import type { ServerId } from "../../core/identity.ts";
import type { Random } from "../../core/random.ts";
import type { Channel } from "../../replica/message.ts";
import { type Certificates, connect, listenerFor } from "./certificates.ts";
import { Corks } from "./corks.ts";
import { type Address, Link, PATIENCE_MS } from "./link.ts";
import { Prover } from "./proof.ts";
import { Reception } from "./reception.ts";

export interface PeersOptions {
  readonly self: ServerId;
  /** The whole ensemble; this server listens at its own address. */
  readonly servers: ReadonlyMap<ServerId, Address>;
  readonly cluster: string;
  readonly protection?: Protection | undefined;
  readonly life: number;
  readonly random: Random;
  readonly queueLimit: number;
  readonly events: PeerEvents;
}

/** What keeps strangers from being taken for servers; without any of it, only loopback is safe. */
export interface Protection {
  /** Made of the ensemble's secret by `keyFor`. */
  readonly key: Uint8Array | null;
  /** The servers' connections are encrypted, and both sides show a certificate of this authority. */
  readonly tls: Certificates | null;
}

export interface PeerEvents {
  up(server: ServerId): void;
  frame(server: ServerId, frame: Uint8Array): void;
  down(server: ServerId, reason: string): void;
  failing(server: ServerId, reason: string): void;
  /** Somebody called and was sent away. */
  refused(address: string, reason: string): void;
}

/** Two connections a server, those they replace, and a few strangers until they are sent away. */
const CONNECTIONS_PER_SERVER = 8;

export class Peers {
  readonly #options: PeersOptions;
  readonly #corks = new Corks();
  readonly #links = new Map<ServerId, Link>();
  readonly #reception: Reception;
  readonly #port: Server;
  readonly #prover: Prover;

  private constructor(options: PeersOptions) {
    this.#options = options;
    this.#prover = new Prover(options.protection?.key ?? null);
    for (const [peer, address] of options.servers) {
      if (peer !== options.self) this.#links.set(peer, this.#link(peer, address));
    }
    const refused = (address: string, reason: string): void => options.events.refused(address, reason);
    this.#reception = new Reception({
      ...options,
      corks: this.#corks,
      prover: this.#prover,
      patienceMs: PATIENCE_MS,
      accepted: (connection, greeting) => this.#links.get(greeting.from)?.accept(connection, greeting),
      refused,
    });
    this.#port = listenerFor(options.protection?.tls ?? null, PATIENCE_MS, {
      came: (socket) => this.#reception.receive(socket),
      refused,
    });
    this.#port.maxConnections = CONNECTIONS_PER_SERVER * options.servers.size;
  }

  /** Listens. Rejects when the port cannot be had. */
  static async open(options: PeersOptions): Promise<Peers> {
    const peers = new Peers(options);
    const own = options.servers.get(options.self);
    if (own === undefined) throw new Error(`server ${options.self} is not in its own ensemble`);
    await new Promise<void>((resolve, reject) => {
      peers.#port.once("error", reject);
      peers.#port.listen(own.port, own.host, () => resolve());
    });
    return peers;
  }

  get port(): number {
    const address = this.#port.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /** Calls those with smaller ids. */
  begin(): void {
    for (const link of this.#links.values()) link.begin();
  }

  send(server: ServerId, channel: Channel, bytes: Uint8Array): void {
    this.#links.get(server)?.send(channel, bytes);
  }

  drop(server: ServerId, reason: string): void {
    this.#links.get(server)?.drop(reason);
  }

  /** The end of the turn: what was sent in it goes out. */
  flush(): void {
    this.#corks.flush();
  }

  async close(abruptly: boolean): Promise<void> {
    this.flush();
    const closed = new Promise<void>((resolve) => {
      this.#port.close(() => resolve());
    });
    this.#reception.end();
    for (const link of this.#links.values()) link.stop(abruptly);
    await closed;
  }

  #link(peer: ServerId, address: Address): Link {
    const { events } = this.#options;
    return new Link({
      ...this.#options,
      peer,
      address,
      corks: this.#corks,
      prover: this.#prover,
      connect: (to) => connect(to, this.#options.protection?.tls ?? null),
      random: this.#options.random.fork(),
      events: {
        up: () => events.up(peer),
        frame: (frame) => events.frame(peer, frame),
        down: (reason) => events.down(peer, reason),
        failing: (reason) => events.failing(peer, reason),
      },
    });
  }
}
