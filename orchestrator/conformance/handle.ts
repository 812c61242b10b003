/**
 * A client's hold on a session: one connection that shows it, asks, and does nothing by itself. Several
 * handles may hold the same session at once.
 */

import { Question } from "#node/client/question.ts";
import type { SessionEvent } from "#node/client/session-protocol.ts";
import { milliseconds } from "#node/core/time.ts";
import { LiveSession } from "#node/host/tcp/live-session.ts";
import { type Credentials, NO_SESSION } from "#node/wire/client/handshake.ts";
import type { ClientRequest } from "#node/wire/client/request.ts";
import { HOST } from "../topology/loopback.ts";

/** The error of a reply (0 is none), or that the server ended the connection instead. */
type Heard = number | "closed";
type Way = (heard: Heard) => void;

export class Handle {
  readonly #live: LiveSession<Way>;
  readonly #greeting = Promise.withResolvers<Credentials | "refused" | "closed">();
  readonly #end = Promise.withResolvers<void>();

  constructor(port: number, timeoutMs: number, session: Credentials = NO_SESSION) {
    this.#live = new LiveSession({
      places: [{ host: HOST, port }],
      policy: {
        timeout: milliseconds(timeoutMs),
        patience: milliseconds(500),
        reconnect: "when told",
        pings: "when asked",
      },
      session,
      heard: (event) => this.#hear(event),
    });
    this.#live.connect();
  }

  /** What the server answers to the handshake. */
  get session(): Promise<Credentials | "refused" | "closed"> {
    return this.#greeting.promise;
  }

  get closed(): Promise<void> {
    return this.#end.promise;
  }

  ask(request: ClientRequest): Promise<Heard> {
    if (!this.#live.state.isOpen) return Promise.resolve("closed");
    return new Promise((resolve) => {
      this.#live.ask(new Question(request), resolve);
      this.#live.flush();
    });
  }

  /** Without ending the session. */
  drop(): void {
    this.#live.abandon();
  }

  #hear(event: SessionEvent<Way>): void {
    switch (event.kind) {
      case "opened":
        return this.#greeting.resolve(this.#live.state.credentials);
      case "expired":
        return this.#greeting.resolve("refused");
      case "answered":
        return event.asked.tag(event.error);
      case "lost":
        return event.asked.tag("closed");
      case "closed":
        this.#greeting.resolve("closed");
        return this.#end.resolve();
      default:
    }
  }
}
