/**
 * The port for clients: bytes in, to whatever serves clients; answers out, together at the end of the turn.
 *
 * Clients are strangers. Each may be slow, greedy or mad, and only its own connection may suffer from it: a
 * client that does not read is not read from, and one that lets too much pile up is gone.
 */

import net, { type Socket } from "node:net";
import tls from "node:tls";
import { type ClientId, clientId } from "../../core/identity.ts";
import { Corks } from "./corks.ts";
import type { Address } from "./link.ts";

/** Whatever serves clients, on the other side of the bytes. */
export interface ClientService {
  opened(client: ClientId, address: string, port: number): void;
  /** The bytes are the service's from now on. */
  received(client: ClientId, bytes: Uint8Array): void;
  /** Called once for each that was opened, whoever closed it. */
  closed(client: ClientId): void;
}

export interface ClientListenerOptions {
  readonly address: Address;
  /** Connections in all, and from one address; 0 is no limit. */
  readonly connections?: number;
  readonly connectionsPerAddress?: number;
  /** Clients speak TLS, and are shown this certificate (PEM). */
  readonly tls?: { readonly cert: string; readonly key: string } | null;
}

/** Beyond the first, a client is not read from until it has read; beyond the second, it is closed. */
const READ_FIRST = 4 << 20;
const TOO_MUCH = 64 << 20;

/** As long as a client has for the first frame. */
const TLS_PATIENCE_MS = 5000;

interface Client {
  readonly id: ClientId;
  readonly socket: Socket;
  readonly address: string;
  isOpen: boolean;
  /** Not read from because the service says so, or until it reads what it was sent. */
  isHeld: boolean;
  isFull: boolean;
}

export class ClientListener {
  readonly #service: ClientService;
  readonly #options: Required<ClientListenerOptions>;
  readonly #clients = new Map<ClientId, Client>();
  readonly #perAddress = new Map<string, number>();
  readonly #corks = new Corks();
  readonly #port: net.Server;
  #flush: NodeJS.Immediate | null = null;
  #last = 0;

  private constructor(service: ClientService, options: ClientListenerOptions) {
    this.#service = service;
    this.#options = {
      connections: 0,
      connectionsPerAddress: 0,
      tls: null,
      ...options,
    };
    const welcome = (socket: Socket): void => this.#welcome(socket);
    const certificate = this.#options.tls;
    if (certificate === null) this.#port = net.createServer({ noDelay: true }, welcome);
    else {
      const terms = { ...certificate, minVersion: "TLSv1.2", handshakeTimeout: TLS_PATIENCE_MS } as const;
      this.#port = tls.createServer({ ...terms, noDelay: true }, welcome);
      this.#port.on("tlsClientError", (_, socket) => socket.destroy());
    }
  }

  static async open(service: ClientService, options: ClientListenerOptions): Promise<ClientListener> {
    const listener = new ClientListener(service, options);
    const { host, port } = options.address;
    await new Promise<void>((resolve, reject) => {
      listener.#port.once("error", reject);
      listener.#port.listen({ host, port, backlog: 1024 }, resolve);
    });
    return listener;
  }

  get port(): number {
    const address = this.#port.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  get count(): number {
    return this.#clients.size;
  }

  /** Goes out at the end of the turn, with everything else for this client. */
  send(id: ClientId, bytes: Uint8Array): void {
    const client = this.#clients.get(id);
    if (client?.isOpen !== true) return;
    this.#corks.write(client.socket, bytes);
    this.#flush ??= setImmediate(() => this.flush());
    const waiting = client.socket.writableLength;
    if (waiting > TOO_MUCH) client.socket.destroy();
    if (waiting > READ_FIRST && !client.isFull) {
      client.isFull = true;
      this.#regulate(client);
    }
  }

  /** Nothing more is read from it until `release`. */
  hold(id: ClientId): void {
    const client = this.#clients.get(id);
    if (client === undefined) return;
    client.isHeld = true;
    this.#regulate(client);
  }

  release(id: ClientId): void {
    const client = this.#clients.get(id);
    if (client === undefined) return;
    client.isHeld = false;
    this.#regulate(client);
  }

  /** Once what was sent to it has gone out. */
  close(id: ClientId): void {
    const client = this.#clients.get(id);
    if (client === undefined) return;
    this.flush();
    client.isOpen = false;
    client.socket.destroySoon();
  }

  /** What was sent in this turn goes out. Done by itself a moment later, if nobody does it. */
  flush(): void {
    if (this.#flush !== null) clearImmediate(this.#flush);
    this.#flush = null;
    this.#corks.flush();
  }

  async stop(): Promise<void> {
    this.flush();
    const closed = new Promise<void>((resolve) => {
      this.#port.close(() => resolve());
    });
    for (const { socket } of this.#clients.values()) socket.destroySoon();
    await closed;
  }

  #welcome(socket: Socket): void {
    const { connections, connectionsPerAddress } = this.#options;
    const address = socket.remoteAddress ?? "?";
    const sameAddress = this.#perAddress.get(address) ?? 0;
    socket.on("error", () => {});
    if (
      (connections > 0 && this.#clients.size >= connections) ||
      (connectionsPerAddress > 0 && sameAddress >= connectionsPerAddress)
    ) {
      socket.destroy();
      return;
    }
    this.#perAddress.set(address, sameAddress + 1);
    const client: Client = {
      id: clientId(++this.#last),
      socket,
      address,
      isOpen: true,
      isHeld: false,
      isFull: false,
    };
    this.#clients.set(client.id, client);
    socket.on("data", (bytes) => {
      if (client.isOpen) this.#service.received(client.id, bytes);
    });
    socket.on("drain", () => {
      client.isFull = false;
      this.#regulate(client);
    });
    socket.on("close", () => this.#forget(client));
    this.#service.opened(client.id, address, socket.remotePort ?? 0);
  }

  #regulate({ socket, isHeld, isFull }: Client): void {
    if (isHeld || isFull) socket.pause();
    else socket.resume();
  }

  #forget(client: Client): void {
    client.isOpen = false;
    this.#clients.delete(client.id);
    const left = (this.#perAddress.get(client.address) ?? 1) - 1;
    if (left > 0) this.#perAddress.set(client.address, left);
    else this.#perAddress.delete(client.address);
    this.#service.closed(client.id);
  }
}
