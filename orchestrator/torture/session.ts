/**
 * A client's session that survives what is done to the servers: it goes from server to server, and every
 * request ends as answered or as unknown. What it sees is written down at the moment it arrives, because the
 * order of what one session sees is what is checked.
 */

import type { Random } from "#node/core/random.ts";
import type { Answered, SessionEvent } from "#node/client/session-protocol.ts";
import { Question, replyTo } from "#node/client/question.ts";
import { type Instant, instant, milliseconds } from "#node/core/time.ts";
import type { Zxid } from "#node/core/zxid.ts";
import { LiveSession } from "#node/host/tcp/live-session.ts";
import { ERRORS } from "#node/wire/client/error.ts";
import type { ClientReply, ClientRequest } from "#node/wire/client/request.ts";
import type { Entry } from "../check/history.ts";

export interface Answer {
  readonly session: string;
  readonly invoked: Instant;
  readonly completed: Instant;
  /** Null when no answer came; then the rest says nothing. */
  readonly error: number | null;
  readonly zxid: Zxid | null;
  readonly reply: ClientReply | null;
  /** The last 68 bytes of an answer with a stat are the stat. */
  readonly payload: Buffer | null;
}

/** A question as its asker remembers it. */
interface Way {
  readonly invoked: Instant;
  readonly session: string;
  readonly answered: (answer: Answer) => void;
}

/** Where clients reach a server. */
export interface ClientAddress {
  readonly host: string;
  readonly clientPort: number;
}

/** How long a server may say nothing at all. */
const PATIENCE_MS = 1500;
/**
 * How long an answer is waited for: some clients leave before another leader is found, some are still there
 * when the old one wakes up.
 */
const ANSWER_MS = [PATIENCE_MS, 3000] as const;
const PAUSE_MS = 20;
const NOBODY = "";

export const now = (): Instant => instant(performance.now() * 1000);

export class TortureSession {
  readonly timeoutMs: number;
  readonly #live: LiveSession<Way>;
  readonly #history: Entry[];
  readonly #answerMs: number;
  #name = NOBODY;
  #opened = Promise.withResolvers<void>();
  /** There is a session; not any more once it is over, whatever its last connection still takes. */
  #isOpen = false;
  #stopped = false;
  /** Of the last request that was answered: until then, at least, the servers knew that this client lives. */
  heard: Instant = instant(0);

  /** How often it went on at another connection. */
  moves = 0;

  /** They are tried in random order; with one it stays there. */
  constructor(servers: readonly ClientAddress[], timeoutMs: number, random: Random, history: Entry[]) {
    this.timeoutMs = timeoutMs;
    this.#answerMs = random.pick(ANSWER_MS);
    this.#history = history;
    this.#live = new LiveSession({
      places: servers.map(({ host, clientPort }) => ({ host, port: clientPort })),
      policy: {
        timeout: milliseconds(timeoutMs),
        patience: milliseconds(PATIENCE_MS),
        pause: milliseconds(PAUSE_MS),
        order: { kind: "shuffled", random },
        pings: "when asked",
      },
      heard: (event) => this.#hear(event),
    });
    this.#live.connect();
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  /** Its session's id in hexadecimal; nobody's while it has none. */
  get name(): string {
    return this.#name;
  }

  /** Sends them together; `record` hears of the answers the moment the last has come. */
  async ask(
    requests: readonly ClientRequest[],
    record: (answers: readonly Answer[]) => void = () => {},
  ): Promise<readonly Answer[]> {
    while (!this.#isOpen && !this.#stopped) await this.#opened.promise;
    const answers: Answer[] = [];
    const done = Promise.withResolvers<readonly Answer[]>();
    const answered = (answer: Answer): void => {
      answers.push(answer);
      if (answers.length < requests.length) return;
      record(answers);
      done.resolve(answers);
    };
    const way = { invoked: now(), session: this.#name, answered };
    for (const request of requests) {
      if (this.#stopped) answered(unanswered(way));
      else this.#live.ask(new Question(request), way);
    }
    this.#live.flush();
    const impatient = setTimeout(() => this.move(), this.#answerMs);
    const result = await done.promise;
    clearTimeout(impatient);
    return result;
  }

  /** To another server, if there is another. */
  move(): void {
    this.#live.leave();
  }

  /** Ends the session, opened anew by then or not; true when a server has said so. */
  async close(): Promise<boolean> {
    const [answer] = await this.ask([{ kind: "closeSession" }]);
    if (answer?.error !== ERRORS.ok) return false;
    this.#over(answer.session);
    return true;
  }

  stop(): void {
    this.#stopped = true;
    this.#live.abandon();
    this.#opened.resolve();
  }

  #hear(event: SessionEvent<Way>): void {
    switch (event.kind) {
      case "opened":
        if (event.resumed) this.moves += 1;
        this.#name = Buffer.from(this.#live.state.credentials.id).toString("hex");
        this.#isOpen = true;
        return this.#opened.resolve();
      case "closed":
        this.#shut();
        // What the connection did not take any more was asked in its session, and belongs to no other.
        for (const { tag } of this.#live.takeWaiting()) tag.answered(unanswered(tag));
        if (this.#name !== NOBODY) this.#history.push({ kind: "interruption", session: this.#name });
        return;
      case "expired":
        return this.#over(this.#name);
      case "watch":
        this.#history.push({ kind: "notification", session: this.#name, key: event.event.path });
        return;
      case "watching":
        this.#history.push({ kind: "resumption", session: this.#name });
        return;
      case "lost":
        return event.asked.tag.answered(unanswered(event.asked.tag));
      case "answered":
        return this.#answered(event);
      default:
    }
  }

  #answered({ asked, error, zxid, frame }: Answered<Way>): void {
    const { session, invoked, answered } = asked.tag;
    this.heard = invoked;
    const reply = error === ERRORS.ok ? replyTo(asked.question, frame) : null;
    const place = zxid > 0 ? (zxid as Zxid) : null;
    const payload = Buffer.from(frame);
    answered({ session, invoked, completed: now(), error, zxid: place, reply, payload });
  }

  #over(session: string): void {
    if (this.#name === NOBODY || this.#name !== session) return;
    this.#history.push({ kind: "end", session, at: now() });
    this.#name = NOBODY;
    this.#shut();
  }

  #shut(): void {
    if (this.#isOpen) this.#opened = Promise.withResolvers();
    this.#isOpen = false;
  }
}

const unanswered = ({ session, invoked }: Way): Answer => ({
  session,
  invoked,
  completed: now(),
  error: null,
  zxid: null,
  reply: null,
  payload: null,
});
