/**
 * A session whose user asks and waits: each request is a promise. It stays with the connection it began with,
 * so that whoever reads one server reads no other, and who asks in vain is told.
 */

import type { Policy } from "../../client/policy.ts";
import { Question, replyTo } from "../../client/question.ts";
import type { SessionEvent } from "../../client/session-protocol.ts";
import { ERRORS } from "../../wire/client/error.ts";
import type { Credentials } from "../../wire/client/handshake.ts";
import type { ClientReply, ClientRequest } from "../../wire/client/request.ts";
import { LiveSession, type ServerAddress } from "./live-session.ts";

export interface Reply {
  readonly error: number;
  /** What it reflects. */
  readonly zxid: number;
  /** Null beside an error. */
  readonly reply: ClientReply | null;
}

interface Way {
  resolve(reply: Reply): void;
  reject(why: Error): void;
}

/** Its connection ended, and with it all that was asked on it. */
export class Gone extends Error {
  override readonly name = "Gone";
}

export class AskingSession implements Disposable {
  readonly #place: ServerAddress;
  readonly #live: LiveSession<Way>;
  readonly #opened = Promise.withResolvers<void>();

  private constructor(place: ServerAddress, policy: Partial<Policy>) {
    this.#place = place;
    this.#live = new LiveSession({
      places: [place],
      policy: { ...policy, reconnect: "when told" },
      heard: (event) => this.#hear(event),
    });
    this.#live.connect();
  }

  /** Rejects with `Gone` when the server does not give a session. */
  static async open(place: ServerAddress, policy: Partial<Policy> = {}): Promise<AskingSession> {
    const session = new AskingSession(place, policy);
    await session.#opened.promise;
    return session;
  }

  get credentials(): Credentials {
    return this.#live.state.credentials;
  }

  /** The newest state that it was told of. */
  get lastZxid(): number {
    return this.#live.state.lastZxid;
  }

  /** Rejects with `Gone` when the connection ends first. */
  ask(request: ClientRequest): Promise<Reply> {
    return this.askAgain(new Question(request));
  }

  /** For a question that is asked often. */
  askAgain(question: Question): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#live.state.isOpen) {
        this.#live.ask(question, { resolve, reject });
        this.#live.flush();
      } else reject(this.#gone("its connection has ended"));
    });
  }

  /** Leaves the session to its timeout. */
  end(): void {
    this.#live.abandon();
  }

  [Symbol.dispose](): void {
    this.end();
  }

  #hear(event: SessionEvent<Way>): void {
    switch (event.kind) {
      case "opened":
        return this.#opened.resolve();
      case "closed":
        return this.#opened.reject(this.#gone(event.reason));
      case "lost":
        return event.asked.tag.reject(this.#gone("its connection ended"));
      case "answered": {
        const { asked, error, zxid, frame } = event;
        const reply = error === ERRORS.ok ? replyTo(asked.question, frame) : null;
        return asked.tag.resolve({ error, zxid, reply });
      }
      default:
    }
  }

  #gone(why: string): Gone {
    return new Gone(`${this.#place.host}:${this.#place.port} cannot be asked: ${why}`);
  }
}
