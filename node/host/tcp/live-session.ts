/** A client's session on a real socket. */

import { connect, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import { type Driven, DrivenSession } from "../../client/driven-session.ts";
import type { SessionInput, SessionTimer } from "../../client/session-protocol.ts";
import { type Duration, type Instant, instant, toMilliseconds } from "../../core/time.ts";

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

export interface LiveOptions<Tag> extends Driven<Tag> {
  readonly places: readonly ServerAddress[];
  /** Microseconds on a clock that never goes back; the process's own when not given. */
  readonly now?: () => number;
  /** How to speak TLS; plain TCP when not given. */
  readonly tls?: ConnectionOptions;
}

const ownClock = (): number => performance.now() * 1e3;

export class LiveSession<Tag> extends DrivenSession<Tag> {
  readonly #places: readonly ServerAddress[];
  readonly #clock: () => number;
  readonly #tls: ConnectionOptions | undefined;
  readonly #timers = new Map<SessionTimer, NodeJS.Timeout>();
  #socket: Socket | null = null;

  constructor(options: LiveOptions<Tag>) {
    super(options.places.length, options);
    this.#places = options.places;
    this.#clock = options.now ?? ownClock;
    this.#tls = options.tls;
  }

  protected override get now(): Instant {
    return instant(this.#clock());
  }

  protected override get takesMore(): boolean {
    return this.#socket?.writableNeedDrain === false;
  }

  protected override dial(server: number): void {
    const { host, port } = this.#places[server] as ServerAddress;
    const to = { host, port, noDelay: true };
    const socket = this.#tls === undefined ? connect(to) : connectTls({ ...this.#tls, ...to });
    this.#socket = socket;
    const tell = (input: SessionInput): void => {
      if (this.#socket === socket) this.tell(input);
    };
    socket.on(this.#tls === undefined ? "connect" : "secureConnect", () => tell({ kind: "connected" }));
    socket.on("data", (chunk: Buffer) => {
      // A plain array's views cost less than a Buffer's.
      tell({ kind: "received", bytes: new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length) });
    });
    socket.on("drain", () => tell({ kind: "room" }));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      this.tell({ kind: "disconnected" });
    });
  }

  protected override hangUp(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }

  protected override write(bytes: Uint8Array): void {
    this.#socket?.write(bytes);
  }

  protected override arm(timer: SessionTimer, after: Duration): void {
    clearTimeout(this.#timers.get(timer));
    const due = Math.ceil(toMilliseconds(after));
    this.#timers.set(
      timer,
      setTimeout(() => this.tell({ kind: "timeout", timer }), due),
    );
  }

  protected override disarm(timer: SessionTimer): void {
    clearTimeout(this.#timers.get(timer));
  }
}
