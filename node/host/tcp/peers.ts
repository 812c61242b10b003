/** All other servers: one link to each, and the port on which those with larger ids call. */

import net, { type Socket } from "node:net";
import type { ServerId } from "../../core/identity.ts";
import type { Random } from "../../core/random.ts";
import type { Channel } from "../../replica/message.ts";
import { Connection } from "./connection.ts";
import { Corks } from "./corks.ts";
import { encodeRefusal, type Greeting } from "./greeting.ts";
import { type Address, Link, PATIENCE_MS } from "./link.ts";

export interface PeersOptions {
  readonly self: ServerId;
  /** The whole ensemble; this server listens at its own address. */
  readonly servers: ReadonlyMap<ServerId, Address>;
  readonly cluster: string;
  readonly life: number;
  readonly random: Random;
  readonly queueLimit: number;
  readonly events: PeerEvents;
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
  readonly #strangers = new Set<Connection>();
  readonly #port: net.Server;

  private constructor(options: PeersOptions) {
    this.#options = options;
    for (const [peer, address] of options.servers) {
      if (peer !== options.self) this.#links.set(peer, this.#link(peer, address));
    }
    this.#port = net.createServer((socket) => this.#answer(socket));
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
    for (const stranger of this.#strangers) stranger.end();
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
      random: this.#options.random.fork(),
      events: {
        up: () => events.up(peer),
        frame: (frame) => events.frame(peer, frame),
        down: (reason) => events.down(peer, reason),
        failing: (reason) => events.failing(peer, reason),
      },
    });
  }

  #answer(socket: Socket): void {
    const address = `${socket.remoteAddress ?? "?"}:${socket.remotePort ?? "?"}`;
    const connection = new Connection(socket, this.#corks, PATIENCE_MS, {
      greeted: (greeting) => {
        this.#strangers.delete(connection);
        const objection = this.#objectionTo(greeting);
        if (objection === null) this.#links.get(greeting.from)?.accept(connection, greeting);
        else {
          connection.greet(encodeRefusal(objection));
          connection.leave();
          this.#options.events.refused(address, objection);
        }
      },
      ended: (reason) => {
        this.#strangers.delete(connection);
        this.#options.events.refused(address, reason);
      },
    });
    this.#strangers.add(connection);
  }

  #objectionTo({ from, to, cluster }: Greeting): string | null {
    const { self } = this.#options;
    if (cluster !== this.#options.cluster) {
      return `this is cluster "${this.#options.cluster}", and server ${from} is of cluster "${cluster}"`;
    }
    if (to !== self) return `this is server ${self}, and server ${from} wants server ${to}`;
    if (!this.#links.has(from)) return `server ${from} is none of this ensemble`;
    if (from < self) return `server ${self} is the one to call server ${from}, not the other way round`;
    return null;
  }
}
