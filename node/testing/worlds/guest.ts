/**
 * A client of a world: a session as programs have it, what it asks by its plan, and what it may believe.
 *
 * Every answer has its place in the one history, so what it says needs no search: a write is in the history
 * under the zxid that its answer names, behind all that was acknowledged to anybody before it was asked; a
 * read shows what the history says at its zxid; zxids of a session never go back; and who watches is told of
 * a change before any answer that reflects it.
 */

import { Question, replyTo } from "../../client/question.ts";
import type { Answered, SessionEvent } from "../../client/session-protocol.ts";
import type { ServerId } from "../../core/identity.ts";
import type { Random } from "../../core/random.ts";
import { after, type Duration, type Instant } from "../../core/time.ts";
import { printZxid, type Zxid, ZERO } from "../../core/zxid.ts";
import { VirtualSession } from "../../host/virtual/clients.ts";
import { Violation } from "../../host/virtual/swarm/sequence.ts";
import { OPEN } from "../../wire/client/acl.ts";
import { ERRORS } from "../../wire/client/error.ts";
import type { ClientRequest } from "../../wire/client/request.ts";
import type { Book } from "./book.ts";
import type { ServerStage } from "./stage.ts";
import { Watching } from "./watching.ts";
import type { GuestPlan, ServerWorld } from "./world.ts";

interface Tag {
  /** The newest write that anybody had been told of when this was asked. */
  readonly floor: Zxid;
  readonly at: Instant;
}

export class Guest {
  readonly plan: GuestPlan;
  readonly session: VirtualSession<Tag>;
  readonly #world: ServerWorld;
  readonly #stage: ServerStage;
  readonly #book: Book;
  readonly #random: Random;
  readonly #watching: Watching;
  #seen: Zxid = ZERO;
  #writes = 0;
  #isFinishing = false;
  #last: "unasked" | "asked" | "answered" = "unasked";
  /** What it has to tell of itself. */
  readonly counts = { answers: 0, lost: 0, opened: 0, resumed: 0, expired: 0, watches: 0 };

  constructor(plan: GuestPlan, world: ServerWorld, stage: ServerStage, book: Book, random: Random) {
    this.plan = plan;
    this.#world = world;
    this.#stage = stage;
    this.#book = book;
    this.#random = random;
    this.#watching = new Watching(plan.name, book);
    const order =
      plan.order === "shuffled" ? { kind: plan.order, random: random.fork() } : { kind: plan.order };
    this.session = new VirtualSession<Tag>(stage.clients, {
      place: "clients",
      servers: world.servers,
      policy: { timeout: plan.timeout, first: plan.first, order },
      heard: (event) => this.#heard(event),
    });
  }

  /** Where its session is, as long as it is open. */
  get server(): ServerId | null {
    const { isOpen, server } = this.session.state;
    return isOpen ? (this.#world.servers[server] ?? null) : null;
  }

  /** 0 when it has none. */
  get sessionId(): number {
    const { id } = this.session.state.credentials;
    return Number(new DataView(id.buffer, id.byteOffset).getBigInt64(0));
  }

  begin(): void {
    this.session.connect();
    this.#sometime();
  }

  /** Trouble is over: it asks a last time. True once it was answered. */
  finish(): boolean {
    this.#isFinishing = true;
    const { state } = this.session;
    if (this.#last === "unasked" && state.isOpen) {
      this.#last = "asked";
      const path = this.#key();
      this.#ask({ kind: "setData", path, data: this.#value(), version: -1 });
      this.#ask({ kind: "sync", path });
      this.#ask({ kind: "getData", path, watch: false });
      this.session.flush();
    }
    if (this.#last === "asked" && state.waiting + state.underWay === 0) this.#last = "answered";
    return this.#last === "answered";
  }

  get unanswered(): number {
    return this.session.state.waiting + this.session.state.underWay;
  }

  #sometime(): void {
    const wait = Math.round(this.#random.exponential() * this.plan.every) as Duration;
    this.#stage.ensemble.at(after(this.#stage.ensemble.now, wait), () => {
      if (this.#isFinishing) return;
      if (this.unanswered < MOST_UNANSWERED) {
        for (let count = 0; count < this.plan.atOnce; count++) this.#ask(this.#question());
        this.session.flush();
      }
      this.#sometime();
    });
  }

  #ask(request: ClientRequest): void {
    const tag = { floor: this.#book.acknowledged, at: this.#stage.ensemble.now };
    this.session.ask(new Question(request), tag);
  }

  #question(): ClientRequest {
    const path = this.#key();
    const watch = this.plan.watches && this.#random.chance(0.5);
    switch (this.#random.pick(this.plan.onlyReads ? READS : QUESTIONS)) {
      case "set":
        return { kind: "setData", path, data: this.#value(), version: -1 };
      case "swap":
        return { kind: "setData", path, data: this.#value(), version: this.#random.integer(0, 4) };
      case "create":
        return { kind: "create", path, data: this.#value(), acl: OPEN, flags: 0, ttl: -1 };
      case "ephemeral":
        return { kind: "create", path: this.ephemeral, data: this.#value(), acl: OPEN, flags: 1, ttl: -1 };
      case "delete":
        return { kind: "delete", path, version: -1 };
      case "sync":
        return { kind: "sync", path };
      case "exists":
        return { kind: "exists", path, watch };
      default:
        return { kind: "getData", path, watch };
    }
  }

  get ephemeral(): string {
    return ephemeralOf(this.plan);
  }

  #key(): string {
    return this.#random.pick(keysOf(this.#world));
  }

  #value(): Uint8Array {
    const value = new Uint8Array(this.#world.valueBytes);
    new DataView(value.buffer).setUint32(0, ++this.#writes);
    return value;
  }

  #heard(event: SessionEvent<Tag>): void {
    switch (event.kind) {
      case "opened":
        this.counts[event.resumed ? "resumed" : "opened"] += 1;
        this.#watching.opened(this.#book.openedAt(this.sessionId));
        break;
      case "answered":
        this.counts.answers += 1;
        this.#answered(event);
        break;
      case "lost":
        this.counts.lost += 1;
        break;
      case "watch":
        this.counts.watches += 1;
        this.#watching.told(event.event.path);
        break;
      case "watching":
        this.#watching.setAgain();
        break;
      case "closed":
        this.#watching.parted();
        break;
      case "expired":
        this.counts.expired += 1;
        this.#seen = ZERO;
        this.#watching.forget();
        break;
      default:
        break;
    }
  }

  #answered(answer: Answered<Tag>): void {
    const { asked, error } = answer;
    const zxid = answer.zxid as Zxid;
    const { request } = asked.question;
    const who = `${this.plan.name}, ${request.kind} of p${this.#world.servers[asked.server]}:`;
    if (error === ERRORS.sessionMoved || error === ERRORS.sessionExpired) return;
    if (zxid < this.#seen) {
      throw new Violation(
        `${who} answered from ${printZxid(zxid)} after it had seen ${printZxid(this.#seen)}`,
      );
    }
    this.#seen = zxid;
    this.#watching.answered(zxid);
    if (request.kind === "getData" || request.kind === "exists") {
      this.#checkRead(who, request.path, answer);
      if (request.watch && (error === ERRORS.ok || request.kind === "exists"))
        this.#watching.set(request.path, zxid);
    } else this.#checkOrder(who, answer);
  }

  #checkOrder(who: string, { asked, zxid: told }: Answered<Tag>): void {
    const zxid = told as Zxid;
    const { floor } = asked.tag;
    const isWrite = asked.question.request.kind !== "sync";
    if (zxid < floor || (zxid === floor && isWrite)) {
      const before = `${printZxid(floor)} was acknowledged before it began`;
      throw new Violation(`${who} at ${printZxid(zxid)}, but ${before}`);
    }
    if (!isWrite) return;
    const written = this.#book.writtenAt(zxid);
    if (written?.session !== this.sessionId || written.xid !== asked.xid) {
      throw new Violation(`${who} acknowledged as ${printZxid(zxid)}, where the history has another write`);
    }
    if (zxid > this.#book.acknowledged) this.#book.acknowledged = zxid;
  }

  #checkRead(who: string, path: string, { asked, error, zxid: told, frame }: Answered<Tag>): void {
    const zxid = told as Zxid;
    const expected = this.#book.versionAt(path, zxid);
    const reply = error === ERRORS.ok ? replyTo(asked.question, frame) : null;
    const stat = reply !== null && "stat" in reply ? reply.stat : null;
    const found = stat?.mzxid ?? null;
    if (found === expected.mzxid && (stat?.version ?? -1) === expected.version) return;
    throw new Violation(
      `${who} read ${path} of ${printTime(found)} at ${printZxid(zxid)}, ` +
        `where it is of ${printTime(expected.mzxid)}`,
    );
  }
}

const printTime = (mzxid: number | null): string => (mzxid === null ? "never" : printZxid(mzxid as Zxid));

export const keysOf = ({ keys }: ServerWorld): readonly string[] =>
  Array.from({ length: keys }, (_, index) => `/k${index + 1}`);

export const ephemeralOf = ({ name }: GuestPlan): string => `/e-${name}`;

/** A client that waits for so many answers asks nothing more: a slow ensemble must not be buried. */
const MOST_UNANSWERED = 60;

const READS = ["get", "get", "exists", "sync"] as const;
const QUESTIONS = ["set", "set", "set", "swap", "create", "ephemeral", "delete", ...READS] as const;
