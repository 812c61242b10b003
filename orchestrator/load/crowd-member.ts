/**
 * One of a crowd: a session that mostly does nothing. It pings, it may watch znodes, and when its server goes
 * it shows its session to the next one and asks again for its watches, as ZooKeeper's clients do.
 */

import { Question } from "#node/client/question.ts";
import type { SessionEvent } from "#node/client/session-protocol.ts";
import { milliseconds, seconds } from "#node/core/time.ts";
import { LiveSession } from "#node/host/tcp/live-session.ts";
import { ERRORS } from "#node/wire/client/error.ts";
import type { ClientRequest } from "#node/wire/client/request.ts";
import { HOST } from "../topology/loopback.ts";
import { monotonic } from "#node/host/monotonic.ts";

/** What happens to members. */
export interface Watcher {
  pinged(tookUs: number): void;
  /** One of its watches fired. */
  told(): void;
  left(): void;
  returned(): void;
  /** Its session had ended when it came back. */
  expired(): void;
}

export interface Answer {
  readonly error: number;
  readonly tookUs: number;
}

/** A question's way back; null when the connection ends before there is an answer. */
type Way = (answer: Answer | null) => void;

const PING = new Question({ kind: "ping" });

export class CrowdMember {
  readonly #watcher: Watcher;
  readonly #session: LiveSession<Way>;
  #hasJoined = false;
  readonly #joined = Promise.withResolvers<void>();
  #isPinging = false;
  #isEnded = false;

  constructor(ports: readonly number[], first: number, timeoutMs: number, watcher: Watcher) {
    this.#watcher = watcher;
    this.#session = new LiveSession({
      places: ports.map((port) => ({ host: HOST, port })),
      policy: {
        timeout: milliseconds(timeoutMs),
        // Long enough for a crowd to come back all at once.
        patience: seconds(10),
        first,
        pings: "when asked",
      },
      now: monotonic,
      heard: (event) => this.#hear(event),
    });
    this.#session.connect();
  }

  /** It has a session. */
  get joined(): Promise<void> {
    return this.#joined.promise;
  }

  get isConnected(): boolean {
    return this.#session.state.isOpen;
  }

  /** Does nothing while it is not connected, or waits for the last one. */
  ping(): void {
    if (!this.isConnected || this.#isPinging) return;
    this.#isPinging = true;
    this.#session.ask(PING, (answer) => {
      this.#isPinging = false;
      if (answer !== null) this.#watcher.pinged(answer.tookUs);
    });
    this.#session.flush();
  }

  /** Null when the connection ends before there is an answer. */
  ask(request: ClientRequest): Promise<Answer | null> {
    return new Promise((answered) => {
      this.#session.ask(new Question(request), answered);
      this.#session.flush();
    });
  }

  /** Wants to be told when they are created; they are not there. Its next server, too, will hear of them. */
  async watch(paths: readonly string[]): Promise<void> {
    const answers = await Promise.all(paths.map((path) => this.ask({ kind: "exists", path, watch: true })));
    if (answers.some((answer) => answer !== null && answer.error !== ERRORS.noNode))
      throw new Error("what is to be watched is there");
  }

  end(): void {
    this.#isEnded = true;
    this.#session.abandon();
  }

  #hear(event: SessionEvent<Way>): void {
    switch (event.kind) {
      case "opened":
        if (this.#hasJoined) this.#watcher.returned();
        this.#hasJoined = true;
        return this.#joined.resolve();
      case "closed":
        if (event.wasOpen && !this.#isEnded) this.#watcher.left();
        return;
      case "expired":
        return this.#watcher.expired();
      case "watch":
        return this.#watcher.told();
      case "lost":
        return event.asked.tag(null);
      case "answered": {
        const { asked, error } = event;
        return asked.tag({ error, tookUs: monotonic() - asked.sent });
      }
      default:
    }
  }
}
