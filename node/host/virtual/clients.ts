/**
 * Clients beside the servers of a virtual ensemble: the sessions that live programs have, with connections
 * and a clock that only pretend.
 */

import { type Driven, DrivenSession } from "../../client/driven-session.ts";
import type { SessionInput, SessionTimer } from "../../client/session-protocol.ts";
import { type ClientId, clientId, type ServerId } from "../../core/identity.ts";
import { after, type Duration, type Instant } from "../../core/time.ts";
import {
  ClientConnection,
  type ClientWorld,
  type ConnectionOutput,
  type ConnectionUser,
  type Written,
} from "./client-connection.ts";

/** All connections of clients to the servers of one ensemble. */
export class VirtualClients {
  readonly world: ClientWorld;
  readonly #connections = new Map<ClientId, ClientConnection>();
  readonly #written = new Map<ServerId, Written[]>();
  #count = 0;

  constructor(world: ClientWorld) {
    this.world = world;
  }

  /** A server wants this done. */
  heard(output: ConnectionOutput): void {
    const connection = this.#connections.get(output.client);
    if (connection === undefined) return;
    connection.heard(output);
    if (output.kind === "send")
      this.#note(connection.server, output.client, connection.take(output.bytes.length));
  }

  /** Bytes that a server has said to this client, and that nobody takes. */
  unreadBy(client: ClientId): number {
    return this.#connections.get(client)?.untaken ?? 0;
  }

  /** A kernel takes whatever its process writes, and the process is told at the end of the turn. */
  #note(server: ServerId, client: ClientId, bytes: number): void {
    const noted = this.#written.get(server);
    if (noted !== undefined) return void noted.push({ client, bytes });
    const written: Written[] = [{ client, bytes }];
    this.#written.set(server, written);
    this.world.at(this.world.now, () => {
      this.#written.delete(server);
      this.world.request(server, { kind: "wrote", written });
    });
  }

  /** Its machine says so to those connected. */
  processDied(server: ServerId): void {
    for (const connection of this.#of(server)) connection.serverEnded();
  }

  /** Nobody says so. */
  machineDied(server: ServerId): void {
    for (const connection of this.#of(server)) connection.serverForgot();
  }

  /** Some of what was cut is cut no more. */
  healed(): void {
    for (const connection of this.#connections.values()) connection.healed();
  }

  connect(server: ServerId, place: string, user: ConnectionUser): ClientConnection {
    const id = clientId(++this.#count);
    const gone = (): void => void this.#connections.delete(id);
    const connection = new ClientConnection({ client: id, server, place, world: this.world, gone }, user);
    this.#connections.set(id, connection);
    return connection;
  }

  #of(server: ServerId): ClientConnection[] {
    return [...this.#connections.values()].filter((connection) => connection.server === server);
  }
}

export interface VirtualOptions<Tag> extends Driven<Tag> {
  /** Where its machine is. */
  readonly place: string;
  readonly servers: readonly ServerId[];
}

export class VirtualSession<Tag> extends DrivenSession<Tag> {
  protected override readonly takesMore = true;
  readonly #clients: VirtualClients;
  readonly #place: string;
  readonly #servers: readonly ServerId[];
  /** Each arming has a number of its own; a timer fires only for its latest. */
  readonly #armed = new Map<SessionTimer, number>();
  #armings = 0;
  #connection: ClientConnection | null = null;

  constructor(clients: VirtualClients, options: VirtualOptions<Tag>) {
    super(options.servers.length, options);
    this.#clients = clients;
    this.#place = options.place;
    this.#servers = options.servers;
  }

  protected override get now(): Instant {
    return this.#clients.world.now;
  }

  protected override dial(server: number): void {
    const connection: ClientConnection = this.#clients.connect(
      this.#servers[server] as ServerId,
      this.#place,
      {
        connected: () => this.#tellOf(connection, { kind: "connected" }),
        received: (bytes) => this.#tellOf(connection, { kind: "received", bytes }),
        disconnected: () => {
          if (this.#connection !== connection) return;
          this.#connection = null;
          this.tell({ kind: "disconnected" });
        },
      },
    );
    this.#connection = connection;
  }

  protected override hangUp(): void {
    this.#connection?.leave();
    this.#connection = null;
  }

  protected override write(bytes: Uint8Array): void {
    this.#connection?.write(bytes);
  }

  protected override arm(timer: SessionTimer, duration: Duration): void {
    const arming = ++this.#armings;
    this.#armed.set(timer, arming);
    this.#clients.world.at(after(this.now, duration), () => {
      if (this.#armed.get(timer) === arming) this.tell({ kind: "timeout", timer });
    });
  }

  protected override disarm(timer: SessionTimer): void {
    this.#armed.delete(timer);
  }

  #tellOf(connection: ClientConnection, input: SessionInput): void {
    if (this.#connection === connection) this.tell(input);
  }
}
