/**
 * A session and whoever drives it: does what the session wants done in a world that is real or pretends, and
 * tells its user what happened, in order. What the user asks while it is told goes out together when all was
 * told.
 */

import type { Duration, Instant } from "../core/time.ts";
import type { Credentials } from "../wire/client/handshake.ts";
import type { Policy } from "./policy.ts";
import type { Asked, Question } from "./question.ts";
import { ClientSession } from "./session.ts";
import type { SessionEffect, SessionEvent, SessionInput, SessionTimer } from "./session-protocol.ts";

export interface Driven<Tag> {
  readonly policy?: Partial<Policy>;
  /** One that it had in an earlier life. */
  readonly session?: Credentials;
  /** In the order in which it happened. */
  readonly heard: (event: SessionEvent<Tag>) => void;
}

const FLUSH = { kind: "flush" } as const;
const ROOM = { kind: "room" } as const;
const FULL = { kind: "full" } as const;

export abstract class DrivenSession<Tag> {
  readonly #session: ClientSession<Tag>;
  readonly #heard: (event: SessionEvent<Tag>) => void;
  /** Effects are being done; those that come of them wait. */
  #isBusy = false;
  #later: SessionEffect<Tag>[] = [];

  /** Nothing happens before it is told to `connect`. */
  constructor(servers: number, { policy, session, heard }: Driven<Tag>) {
    this.#session = new ClientSession(servers, policy, session);
    this.#heard = heard;
  }

  protected abstract readonly now: Instant;
  /** The connection takes more just now; if not, `room` is to be told when it does. */
  protected abstract readonly takesMore: boolean;
  protected abstract dial(server: number): void;
  protected abstract hangUp(): void;
  protected abstract write(bytes: Uint8Array): void;
  protected abstract arm(timer: SessionTimer, after: Duration): void;
  protected abstract disarm(timer: SessionTimer): void;

  /** What is known of it, to be read only. */
  get state(): Omit<ClientSession<Tag>, "step" | "ask" | "takeWaiting"> {
    return this.#session;
  }

  /** To a server, this one or whose turn it is; `anew`: as if there had never been a session. */
  connect(server?: number, anew?: boolean): void {
    this.tell({ kind: "connect", server, anew });
  }

  /** It goes out with the next `flush`, or when all events at hand were told. */
  ask(question: Question, tag: Tag, id = 0): void {
    this.#session.ask(question, tag, id);
  }

  flush(): void {
    if (!this.#isBusy) this.tell(FLUSH);
  }

  takeWaiting(): readonly Asked<Tag>[] {
    return this.#session.takeWaiting();
  }

  /** On to another server. */
  leave(): void {
    this.tell({ kind: "leave" });
  }

  /** Ends the session; `ended` tells when. */
  close(): void {
    this.tell({ kind: "close" });
  }

  /** Ends the connection for good, and leaves the session to its timeout. */
  abandon(): void {
    this.tell({ kind: "abandon" });
  }

  protected tell(input: SessionInput): void {
    const effects = this.#session.step(input, this.now);
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

  /** What came of the effects just done, and what was asked by those who were told. */
  #takeLater(): readonly SessionEffect<Tag>[] {
    const flushed = this.#session.waiting === 0 ? [] : this.#session.step(FLUSH, this.now);
    if (this.#later.length === 0) return flushed;
    const later = this.#later;
    this.#later = [];
    for (const effect of flushed) later.push(effect);
    return later;
  }

  #do(effect: SessionEffect<Tag>): void {
    switch (effect.kind) {
      case "write":
        this.write(effect.bytes);
        if (!this.takesMore) this.tell(FULL);
        return;
      case "more":
        if (this.takesMore) this.tell(ROOM);
        return;
      case "connect":
        return this.dial(effect.server);
      case "disconnect":
        return this.hangUp();
      case "arm":
        return this.arm(effect.timer, effect.after);
      case "disarm":
        return this.disarm(effect.timer);
      default:
        this.#heard(effect);
    }
  }
}
