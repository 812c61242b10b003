/**
 * A client that wants nothing but to keep its session: it asks for its ephemeral znode again and again, at
 * whichever server answers. Its session should outlive whatever leaves it a server to ask: no leader for
 * longer than the session's timeout, its server's death, and coming back anywhere.
 */

import { Question } from "#node/client/question.ts";
import type { SessionEvent } from "#node/client/session-protocol.ts";
import type { Random } from "#node/core/random.ts";
import { type Instant, milliseconds } from "#node/core/time.ts";
import { LiveSession } from "#node/host/tcp/live-session.ts";
import { ERRORS } from "#node/wire/client/error.ts";
import type { Bereaved } from "./bereavement.ts";
import { create, EPHEMERAL } from "./request.ts";
import { type ClientAddress, now } from "./session.ts";

/** How often it asks. */
const EVERY_MS = 200;
/** So long it waits for an answer, and for a session at a server that takes its connection. */
const ANSWER_MS = 700;

export class Sitter {
  readonly name: string;
  readonly #live: LiveSession<Instant>;
  readonly #beat: NodeJS.Timeout;
  #isOpen = false;
  #holds: "nothing" | "asked" | "znode" = "nothing";
  /** Asked then, and not answered since. */
  #waitingSince: Instant | null = null;
  /** Since when it was its own fault, at most, that nothing was asked. */
  #lastBeat: Instant = now();
  #lateAt: Instant | null = null;
  #heard: Instant = now();
  #sessions = 0;
  /** How often the session went on at another connection. */
  moves = 0;
  /** Where it is to leave: called when its session has ended. */
  #gone: (() => void) | null = null;
  readonly bereaved: Bereaved[] = [];

  constructor(name: string, servers: readonly ClientAddress[], timeoutMs: number, random: Random) {
    this.name = name;
    this.#live = new LiveSession({
      places: servers.map(({ host, clientPort }) => ({ host, port: clientPort })),
      policy: {
        timeout: milliseconds(timeoutMs),
        patience: milliseconds(ANSWER_MS),
        pause: milliseconds(EVERY_MS / 10),
        order: { kind: "shuffled", random },
        pings: "when asked",
      },
      heard: (event) => this.#hear(event),
    });
    this.#live.connect();
    this.#beat = setInterval(() => this.#ask(), EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#beat);
    this.#live.abandon();
  }

  /** Ends its session; nothing changes by it or because of it afterwards. */
  leave(): Promise<void> {
    clearInterval(this.#beat);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gone = resolve;
    if (this.#isOpen) this.#end();
    return promise;
  }

  #end(): void {
    this.#live.ask(new Question({ kind: "closeSession" }), now());
    this.#live.flush();
  }

  #ask(): void {
    const at = now();
    // This program was held up itself: whatever comes of that is nobody else's fault.
    if (at - this.#lastBeat > LATE_MS * 1000) this.#lateAt = at;
    this.#lastBeat = at;
    if (!this.#isOpen) return;
    if (this.#waitingSince !== null) {
      if (at - this.#waitingSince > ANSWER_MS * 1000) this.#live.leave();
      return;
    }
    this.#waitingSince = at;
    const isFirst = this.#holds === "nothing";
    if (isFirst) this.#holds = "asked";
    const request = isFirst
      ? create(this.#path, "", EPHEMERAL)
      : ({ kind: "exists", path: this.#path, watch: false } as const);
    this.#live.ask(new Question(request), at);
    this.#live.flush();
  }

  get #path(): string {
    return `/sitter-${this.name}-${this.#sessions}`;
  }

  #hear(event: SessionEvent<Instant>): void {
    switch (event.kind) {
      case "opened":
        this.#isOpen = true;
        this.#heard = now();
        if (event.resumed) this.moves += 1;
        if (this.#gone !== null) this.#end();
        break;
      case "closed":
        this.#isOpen = false;
        this.#waitingSince = null;
        break;
      case "answered":
        this.#waitingSince = null;
        if (event.asked.question.request.kind === "closeSession") this.#left();
        else this.#answered(event.error, event.asked.tag);
        break;
      case "expired":
        if (this.#gone === null) this.#bereft("its session expired");
        this.#sessions += 1;
        this.#holds = "nothing";
        this.#left();
        break;
      default:
    }
  }

  #left(): void {
    if (this.#gone === null) return;
    this.#live.abandon();
    this.#gone();
  }

  #answered(error: number, asked: Instant): void {
    this.#heard = asked;
    if (error === ERRORS.ok || error === ERRORS.nodeExists) this.#holds = "znode";
    else if (error === ERRORS.noNode) {
      if (this.#holds === "znode") this.#bereft("its ephemeral znode is gone, and its session lives");
      // Else it was asked for, and that was lost.
      this.#holds = "nothing";
    }
  }

  #bereft(how: string): void {
    this.bereaved.push({ name: this.name, how, at: now(), heard: this.#heard, lateAt: this.#lateAt });
  }
}

/** This program's own beat may be late by so much. */
const LATE_MS = 1000;
