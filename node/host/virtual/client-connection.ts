/**
 * One connection between a client and a server as their kernels see it, byte by byte in virtual time.
 *
 * Each direction keeps its order. What a cut holds back goes on when it heals, as TCP sends it again. The end
 * of a process is told by its machine; that of a machine by nobody, until whoever speaks to it when it is on
 * again is told that there is no such connection.
 */

import type { ClientId, ServerId } from "../../core/identity.ts";
import { after, type Duration, type Instant } from "../../core/time.ts";

/** What a server that talks to clients is asked by its host. */
export type ConnectionRequest =
  | { readonly kind: "opened"; readonly client: ClientId; readonly address: string; readonly port: number }
  | { readonly kind: "received"; readonly client: ClientId; readonly bytes: Uint8Array }
  | { readonly kind: "closed"; readonly client: ClientId }
  | { readonly kind: "wrote"; readonly written: readonly Written[] };

/** So many bytes of what was said to a client have been written to it. */
export interface Written {
  readonly client: ClientId;
  readonly bytes: number;
}

/** What it wants done with a connection. */
export type ConnectionOutput =
  | { readonly kind: "send"; readonly client: ClientId; readonly bytes: Uint8Array }
  | { readonly kind: "pause" | "resume" | "close" | "cutOff"; readonly client: ClientId };

/** Where clients and servers are, and what is between them. */
export interface ClientWorld {
  readonly now: Instant;
  at(time: Instant, action: () => void): void;
  /** False when no process runs there. */
  request(server: ServerId, request: ConnectionRequest): boolean;
  /** Its machine has power. */
  isOn(server: ServerId): boolean;
  /** One way, by either direction, with what the machine at its end adds. */
  way(from: { readonly place: string } | ServerId, to: { readonly place: string } | ServerId): Duration;
  isCut(place: string, server: ServerId): boolean;
}

/** What a client's kernel tells it. */
export interface ConnectionUser {
  /** So many bytes its process and kernel take, and no more; any number when not given. */
  readonly takes?: number;
  connected(): void;
  received(bytes: Uint8Array): void;
  disconnected(): void;
}

/** What arrives together. */
interface Parcel {
  readonly due: Instant;
  readonly pieces: Uint8Array[];
}

/** What crosses one way: bytes, or that the connection begins or ends. */
type Freight = Uint8Array | "begin" | "end";

/** Whose connection it is, to where, and who is told when neither kernel knows of it any more. */
export interface Ends {
  readonly client: ClientId;
  readonly server: ServerId;
  readonly place: string;
  readonly world: ClientWorld;
  gone(): void;
}

export class ClientConnection {
  readonly client: ClientId;
  readonly server: ServerId;
  readonly #ends: Ends;
  readonly #world: ClientWorld;
  readonly #user: ConnectionUser;
  /** The server's process knows of it. */
  #isServed = false;
  /** The client wants nothing more of it. */
  #isLeft = false;
  /** The server reads no more for now: what arrives waits. */
  #unread: Uint8Array[] | null = null;
  readonly #there: Lane;
  readonly #back: Lane;
  /** Said by the server and not taken. */
  #untaken = 0;
  #taken = 0;

  constructor(ends: Ends, user: ConnectionUser) {
    const { client, server, place, world } = ends;
    this.client = client;
    this.server = server;
    this.#ends = ends;
    this.#world = world;
    this.#user = user;
    const at = { place };
    this.#there = new Lane(
      world,
      () => world.way(at, server),
      (freight) => this.#atServer(freight),
    );
    this.#back = new Lane(
      world,
      () => world.way(server, at),
      (freight) => this.#atClient(freight),
    );
    this.#send(this.#there, "begin");
  }

  /** The client says so. */
  write(bytes: Uint8Array): void {
    this.#send(this.#there, bytes);
  }

  /** The client hangs up. */
  leave(): void {
    this.#isLeft = true;
    this.#send(this.#there, "end");
  }

  get untaken(): number {
    return this.#untaken;
  }

  /** So many more bytes were said; how many of all that was said its kernels take now. */
  take(bytes: number): number {
    this.#untaken += bytes;
    const taken = Math.min(this.#untaken, (this.#user.takes ?? Infinity) - this.#taken);
    this.#untaken -= taken;
    this.#taken += taken;
    return taken;
  }

  /** The server's process wants this done. */
  heard(output: ConnectionOutput): void {
    switch (output.kind) {
      case "send":
        return this.#send(this.#back, output.bytes);
      case "close":
      case "cutOff":
        return this.serverEnded();
      case "pause":
        this.#unread ??= [];
        return;
      case "resume":
        return this.#readOn();
    }
  }

  /** The server's kernel closes it: its process did, or is dead. */
  serverEnded(): void {
    if (!this.#isServed) return;
    this.#isServed = false;
    this.#send(this.#back, "end");
  }

  /** The server's machine lost power, and with it what it knew. */
  serverForgot(): void {
    this.#isServed = false;
    this.#back.drop();
  }

  healed(): void {
    if (this.#isCut) return;
    this.#there.go();
    this.#back.go();
  }

  get #isCut(): boolean {
    return this.#world.isCut(this.#ends.place, this.server);
  }

  #send(lane: Lane, freight: Freight): void {
    lane.send(freight, this.#isCut);
  }

  #atServer(freight: Freight): void {
    const { client, server } = this;
    if (freight === "end") return this.#endAtServer();
    if (!this.#world.isOn(server)) return;
    if (freight === "begin") {
      this.#isServed = this.#world.request(server, {
        kind: "opened",
        client,
        address: "127.0.0.1",
        port: client,
      });
      return this.#send(this.#back, this.#isServed ? "begin" : "end");
    }
    // Of a connection that its kernel does not know, it says so.
    if (!this.#isServed) return this.#send(this.#back, "end");
    if (this.#unread !== null) this.#unread.push(freight);
    else this.#world.request(server, { kind: "received", client, bytes: freight });
  }

  #endAtServer(): void {
    if (this.#isServed) this.#world.request(this.server, { kind: "closed", client: this.client });
    this.#isServed = false;
    this.#ends.gone();
  }

  #readOn(): void {
    const unread = this.#unread ?? [];
    this.#unread = null;
    for (const bytes of unread) {
      this.#world.request(this.server, { kind: "received", client: this.client, bytes });
    }
  }

  #atClient(freight: Freight): void {
    if (this.#isLeft) return;
    if (freight === "begin") return this.#user.connected();
    if (freight !== "end") return this.#user.received(freight);
    this.#isLeft = true;
    this.#ends.gone();
    this.#user.disconnected();
  }
}

/** One direction. */
class Lane {
  readonly #world: ClientWorld;
  readonly #way: () => Duration;
  readonly #arrived: (freight: Freight) => void;
  /** What a cut holds back; null when it holds nothing. */
  #held: Freight[] | null = null;
  #lastDue = 0;
  /** Bytes under way that more may travel with, when they are sent at the same instant. */
  #parcel: Parcel | null = null;
  #life = 0;

  constructor(world: ClientWorld, way: () => Duration, arrived: (freight: Freight) => void) {
    this.#world = world;
    this.#way = way;
    this.#arrived = arrived;
  }

  send(freight: Freight, isCut: boolean): void {
    if (this.#held !== null) this.#held.push(freight);
    else if (isCut) this.#held = [freight];
    else this.#dispatch(freight);
  }

  /** Goes on with what was held back. */
  go(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const freight of held) this.#dispatch(freight);
  }

  /** Nobody is left to send any of it. */
  drop(): void {
    this.#life += 1;
    this.#held = null;
    this.#parcel = null;
  }

  #dispatch(freight: Freight): void {
    const due = Math.max(after(this.#world.now, this.#way()), this.#lastDue) as Instant;
    this.#lastDue = due;
    if (typeof freight === "string") {
      this.#parcel = null;
      return this.#plan(due, () => this.#arrived(freight));
    }
    if (this.#parcel?.due === due) {
      this.#parcel.pieces.push(freight);
      return;
    }
    const parcel: Parcel = { due, pieces: [freight] };
    this.#parcel = parcel;
    this.#plan(due, () => {
      if (this.#parcel === parcel) this.#parcel = null;
      this.#arrived(joined(parcel.pieces));
    });
  }

  #plan(due: Instant, action: () => void): void {
    const life = this.#life;
    this.#world.at(due, () => {
      if (this.#life === life) action();
    });
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces;
  if (pieces.length === 1 && first !== undefined) return first;
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
