/**
 * The port for clients: bytes in, to whatever serves clients; answers out, together at the end of the turn.
 *
 * Clients are strangers. Each may be slow, greedy or mad, and only its own connection may suffer from it.
 * What is to be done about one that does not read is the service's to say; it is told here how much of what
 * it sends has been written. Mostly that is all, at once, and need not be told each time; as long as anybody
 * does not take what is sent, it is told in each turn.
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
  /** Since the last time: once for each that was sent to meanwhile, or that has taken more of it. */
  wrote(written: readonly Written[]): void;
  /** Called once for each that was opened, whoever closed it. */
  closed(client: ClientId): void;
}

export interface Written {
  readonly client: ClientId;
  readonly bytes: number;
}

export interface ClientListenerOptions {
  readonly address: Address;
  /** Connections in all, and from one address; 0 is no limit. */
  readonly connections?: number;
  readonly connectionsPerAddress?: number;
  /** Clients speak TLS, and are shown this certificate (PEM). */
  readonly tls?: { readonly cert: string; readonly key: string } | null;
}

/** What may have been sent, to all, before it is told that it was written. */
const TELL_BYTES = 64 << 10;
const TELL_SENDS = 64;
/** A client that is closed has so long to take the rest. */
const LAST_PATIENCE_MS = 10_000;
const NOTHING = new Uint8Array(0);

/** As long as a client has for the first frame. */
const TLS_PATIENCE_MS = 5000;

interface Client {
  readonly id: ClientId;
  readonly socket: Socket;
  readonly address: string;
  isOpen: boolean;
  /** Bytes sent that the service does not know as written. */
  untold: number;
  /** Its socket did not take everything, and will tell when it has. */
  isStuck: boolean;
}

export class ClientListener {
  readonly #service: ClientService;
  readonly #options: Required<ClientListenerOptions>;
  readonly #clients = new Map<ClientId, Client>();
  readonly #perAddress = new Map<string, number>();
  readonly #corks = new Corks();
  readonly #port: net.Server;
  /** Those whom the next report to the service is about. */
  readonly #changed = new Set<Client>();
  #stuck = 0;
  /** One of them has taken everything. */
  #hasNews = false;
  #untoldBytes = 0;
  #untoldSends = 0;
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
    this.#flushSoon();
    this.#changed.add(client);
    client.untold += bytes.length;
    this.#untoldBytes += bytes.length;
    this.#untoldSends += 1;
  }

  /** Nothing more is read from it until `release`. */
  hold(id: ClientId): void {
    this.#clients.get(id)?.socket.pause();
  }

  release(id: ClientId): void {
    this.#clients.get(id)?.socket.resume();
  }

  /** Whatever it has not taken is dropped. Who it was; undefined when it had gone. */
  cutOff(id: ClientId): string | undefined {
    const client = this.#clients.get(id);
    // A reset lets the kernel forget its part, too; TLS sockets have none.
    if (client?.socket instanceof tls.TLSSocket) client.socket.destroy();
    else client?.socket.resetAndDestroy();
    return client?.address;
  }

  /** Once what was sent to it has gone out. */
  close(id: ClientId): void {
    const client = this.#clients.get(id);
    if (client === undefined) return;
    this.flush();
    client.isOpen = false;
    client.socket.destroySoon();
    if (client.socket.writableLength > 0) setTimeout(() => client.socket.destroy(), LAST_PATIENCE_MS).unref();
  }

  /** What was sent in this turn goes out. Done by itself a moment later, if nobody does it. */
  flush(): void {
    if (this.#flush !== null) clearImmediate(this.#flush);
    this.#flush = null;
    this.#corks.flush();
    const isMuch = this.#untoldBytes >= TELL_BYTES || this.#untoldSends >= TELL_SENDS;
    if (isMuch || this.#hasNews || this.#stuck > 0) this.#tell();
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
      untold: 0,
      isStuck: false,
    };
    this.#clients.set(client.id, client);
    socket.on("data", (bytes) => {
      if (client.isOpen) this.#service.received(client.id, bytes);
    });
    socket.on("close", () => this.#forget(client));
    this.#service.opened(client.id, address, socket.remotePort ?? 0);
  }

  #flushSoon(): void {
    this.#flush ??= setImmediate(() => this.flush());
  }

  #tell(): void {
    this.#hasNews = false;
    if (this.#changed.size === 0) return;
    const written: Written[] = [];
    for (const client of this.#changed) {
      const left = client.socket.writableLength;
      written.push({ client: client.id, bytes: client.untold - left });
      client.untold = left;
      if (left > 0) this.#awaitRoom(client);
    }
    this.#changed.clear();
    this.#untoldBytes = this.#untoldSends = 0;
    this.#service.wrote(written);
  }

  /** An empty write is done when those before it are. */
  #awaitRoom(client: Client): void {
    if (client.isStuck || !client.socket.writable) return;
    client.isStuck = true;
    this.#stuck += 1;
    client.socket.write(NOTHING, () => {
      if (!client.isStuck) return;
      client.isStuck = false;
      this.#stuck -= 1;
      this.#changed.add(client);
      // In the turn's end, with all others that read: what each is told next counts towards one turn.
      this.#hasNews = true;
      this.#flushSoon();
    });
  }

  #forget(client: Client): void {
    client.isOpen = false;
    if (client.isStuck) this.#stuck -= 1;
    client.isStuck = false;
    this.#changed.delete(client);
    this.#clients.delete(client.id);
    const left = (this.#perAddress.get(client.address) ?? 1) - 1;
    if (left > 0) this.#perAddress.set(client.address, left);
    else this.#perAddress.delete(client.address);
    this.#service.closed(client.id);
  }
}
