/**
 * A client's session on a real socket: does what `node/client/session.ts` wants done, and passes on what it
 * tells. What its user asks while it is told of events goes out together when all were told.
 */

import { connect, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import type { Policy } from "../../client/policy.ts";
import type { Asked, Question } from "../../client/question.ts";
import { Session } from "../../client/session.ts";
import type {
  SessionEffect,
  SessionEvent,
  SessionInput,
  SessionTimer,
} from "../../client/session-protocol.ts";
import type { Credentials } from "../../wire/client/handshake.ts";
import { type Duration, instant, toMilliseconds } from "../../core/time.ts";

export interface Place {
  readonly host: string;
  readonly port: number;
}

export interface LiveOptions<Tag> {
  readonly places: readonly Place[];
  readonly policy?: Partial<Policy>;
  /** One that it had in an earlier life. */
  readonly session?: Credentials;
  /** In the order in which it happened. */
  readonly heard: (event: SessionEvent<Tag>) => void;
  /** Microseconds on a clock that never goes back; the process's own when not given. */
  readonly now?: () => number;
  /** How to speak TLS; plain TCP when not given. */
  readonly tls?: ConnectionOptions;
}

const FLUSH = { kind: "flush" } as const;
const ROOM = { kind: "room" } as const;
const FULL = { kind: "full" } as const;

const ownClock = (): number => performance.now() * 1e3;

export class LiveSession<Tag> {
  readonly #options: LiveOptions<Tag>;
  readonly #now: () => number;
  readonly #session: Session<Tag>;
  readonly #timers = new Map<SessionTimer, NodeJS.Timeout>();
  #socket: Socket | null = null;
  /** Effects are being done; those that come of them wait. */
  #isBusy = false;
  #later: SessionEffect<Tag>[] = [];

  /** Nothing happens before it is told to `connect`. */
  constructor(options: LiveOptions<Tag>) {
    this.#options = options;
    this.#now = options.now ?? ownClock;
    this.#session = new Session(options.places.length, options.policy, options.session);
  }

  /** What is known of it, to be read only. */
  get state(): Omit<Session<Tag>, "step" | "ask" | "takeWaiting"> {
    return this.#session;
  }

  /** To a server, this one or whose turn it is; `anew`: as if there had never been a session. */
  connect(server?: number, anew?: boolean): void {
    this.#step({ kind: "connect", server, anew });
  }

  /** It goes out with the next `flush`, or when all events at hand were told. */
  ask(question: Question, tag: Tag, id = 0): void {
    this.#session.ask(question, tag, id);
  }

  flush(): void {
    if (!this.#isBusy) this.#step(FLUSH);
  }

  takeWaiting(): readonly Asked<Tag>[] {
    return this.#session.takeWaiting();
  }

  /** On to another server. */
  leave(): void {
    this.#step({ kind: "leave" });
  }

  /** Ends the session; `ended` tells when. */
  close(): void {
    this.#step({ kind: "close" });
  }

  /** Ends the connection for good, and leaves the session to its timeout. */
  abandon(): void {
    this.#step({ kind: "abandon" });
  }

  #step(input: SessionInput): void {
    const effects = this.#session.step(input, instant(this.#now()));
    if (this.#isBusy) {
      for (const effect of effects) this.#later.push(effect);
      return;
    }
    this.#isBusy = true;
    try {
      for (let todo = effects; todo.length > 0; todo = this.#takeLater()) {
        for (const effect of todo) this.#do(effect);
      }
    } finally {
      this.#isBusy = false;
    }
  }

  /** What came of the effects just done, with what was asked by those who were told. */
  #takeLater(): readonly SessionEffect<Tag>[] {
    const flushed = this.#session.waiting === 0 ? [] : this.#session.step(FLUSH, instant(this.#now()));
    if (this.#later.length === 0) return flushed;
    const later = this.#later;
    this.#later = [];
    for (const effect of flushed) later.push(effect);
    return later;
  }

  #do(effect: SessionEffect<Tag>): void {
    switch (effect.kind) {
      case "write":
        if (this.#socket?.write(effect.bytes) === false) this.#step(FULL);
        return;
      case "more":
        if (this.#socket?.writableNeedDrain === false) this.#step(ROOM);
        return;
      case "connect":
        return this.#connect(effect.server);
      case "disconnect":
        this.#socket?.destroy();
        this.#socket = null;
        return;
      case "arm":
        return this.#arm(effect.timer, effect.after);
      case "disarm":
        clearTimeout(this.#timers.get(effect.timer));
        return;
      default:
        this.#options.heard(effect);
    }
  }

  #connect(server: number): void {
    const { places, tls } = this.#options;
    const { host, port } = places[server] as Place;
    const to = { host, port, noDelay: true };
    const socket = tls === undefined ? connect(to) : connectTls({ ...tls, ...to });
    this.#socket = socket;
    const tell = (input: SessionInput): void => {
      if (this.#socket === socket) this.#step(input);
    };
    socket.on(tls === undefined ? "connect" : "secureConnect", () => tell({ kind: "connected" }));
    socket.on("data", (chunk: Buffer) => {
      // A plain array's views cost less than a Buffer's.
      const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length);
      tell({ kind: "received", bytes });
    });
    socket.on("drain", () => tell(ROOM));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      this.#step({ kind: "disconnected" });
    });
  }

  #arm(timer: SessionTimer, after: Duration): void {
    clearTimeout(this.#timers.get(timer));
    const due = Math.ceil(toMilliseconds(after));
    this.#timers.set(
      timer,
      setTimeout(() => this.#step({ kind: "timeout", timer }), due),
    );
  }
}
