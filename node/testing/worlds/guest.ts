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
import { type Acl, OPEN, PERMISSION } from "../../wire/client/acl.ts";
import { ERRORS } from "../../wire/client/error.ts";
import type { Credentials } from "../../wire/client/handshake.ts";
import type { Create } from "../../wire/client/create.ts";
import type { ClientRequest } from "../../wire/client/request.ts";
import { CONFIG } from "../../tree/path.ts";
import type { Book } from "./book.ts";
import type { Leases } from "./leases.ts";
import type { ServerStage } from "./stage.ts";
import { Watching } from "./watching.ts";
import type { GuestPlan, ServerWorld } from "./world.ts";

interface Tag {
  /** The newest write that anybody had been told of when this was asked. */
  readonly floor: Zxid;
  readonly at: Instant;
}

export interface Surroundings {
  readonly stage: ServerStage;
  readonly book: Book;
  readonly leases: Leases;
}

export class Guest {
  readonly plan: GuestPlan;
  readonly session: VirtualSession<Tag>;
  readonly #world: ServerWorld;
  readonly #stage: ServerStage;
  readonly #book: Book;
  readonly #leases: Leases;
  readonly #random: Random;
  readonly #watching: Watching;
  #seen: Zxid = ZERO;
  /** As it was when it was told that it has one: it may have ended since. */
  #session = 0;
  #writes = 0;
  #isFinishing = false;
  #last: "unasked" | "asked" | "answered" = "unasked";
  /** What it has to tell of itself. */
  readonly counts = { answers: 0, lost: 0, opened: 0, resumed: 0, expired: 0, watches: 0 };

  constructor(plan: GuestPlan, world: ServerWorld, { stage, book, leases }: Surroundings, random: Random) {
    this.plan = plan;
    this.#world = world;
    this.#stage = stage;
    this.#book = book;
    this.#leases = leases;
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

  get credentials(): Credentials {
    return this.session.state.credentials;
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
    const { hides, asksWho } = this.#world.features;
    if (asksWho && this.#random.chance(0.02)) return { kind: "getData", path: CONFIG, watch: false };
    if (hides && this.#random.chance(0.2)) return this.#hidden();
    const kinds = this.plan.onlyReads ? READS : QUESTIONS;
    switch (this.plan.isFickle && this.#random.chance(0.03) ? "close" : this.#random.pick(kinds)) {
      case "set":
        return { kind: "setData", path, data: this.#value(), version: -1 };
      case "swap":
        return { kind: "setData", path, data: this.#value(), version: this.#random.integer(0, 4) };
      case "create":
        return this.#create(path);
      case "ephemeral":
        return { ...this.#create(this.ephemeral), flags: 1 };
      case "delete":
        return { kind: "delete", path, version: -1 };
      case "below":
        return { ...this.#create(`${path}/n`), flags: this.#random.pick([2, 3]) };
      case "container":
        return { ...this.#create(path), kind: "createContainer", flags: 4 };
      case "ttl":
        return { ...this.#create(path), kind: "createTtl", flags: 5, ttl: this.#random.integer(1, 3000) };
      case "acl":
        return { kind: "setAcl", path, acl: OPEN, version: -1 };
      case "multi":
        return {
          kind: "multi",
          operations: [
            { kind: "check", path, version: this.#random.pick([-1, 0, 1]) },
            { kind: "setData", path: this.#key(), data: this.#value(), version: -1 },
          ],
        };
      case "close":
        this.#leases.closes(this.#session);
        return { kind: "closeSession" };
      case "sync":
        return { kind: "sync", path };
      case "exists":
        return { kind: "exists", path, watch };
      default:
        return { kind: "getData", path, watch };
    }
  }

  /** Nobody may read it; that it is there everybody is told by release 3.8.0 only. */
  #hidden(): ClientRequest {
    const kinds = this.plan.onlyReads ? (["look"] as const) : (["hide", "look", "look", "show"] as const);
    switch (this.#random.pick(kinds)) {
      case "hide":
        return { ...this.#create(HIDDEN), acl: UNREADABLE };
      case "show":
        return { kind: "delete", path: HIDDEN, version: -1 };
      default:
        return { kind: this.#random.pick(["exists", "getData"]), path: HIDDEN, watch: false };
    }
  }

  #create(path: string): Create {
    return { kind: "create", path, data: this.#value(), acl: OPEN, flags: 0, ttl: -1 };
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
        this.#opened();
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
        this.#begunAnew();
        break;
      default:
        break;
    }
  }

  #begunAnew(): void {
    this.#seen = ZERO;
    this.#watching.forget();
  }

  #opened(): void {
    this.#session = this.sessionId;
    const zxid = this.#book.openedAt(this.#session);
    this.#watching.opened(zxid);
    const at = this.#book.executedAt(zxid);
    if (this.server !== null && at !== undefined)
      this.#leases.opened(this.#session, this.server, this.agreedTimeout, at);
  }

  /** As the server says it within its bounds. */
  get agreedTimeout(): Duration {
    const { tick } = this.#world;
    return Math.min(Math.max(this.plan.timeout, 2 * tick), 20 * tick) as Duration;
  }

  #answered(answer: Answered<Tag>): void {
    const { asked, error } = answer;
    const zxid = answer.zxid as Zxid;
    const { request } = asked.question;
    if (request.kind === "closeSession") return this.#begunAnew();
    const who = `${this.plan.name}, ${request.kind} of p${this.#world.servers[asked.server]}:`;
    if (error === ERRORS.sessionMoved) throw new Violation(`${who} told that its session moved`);
    if (error === ERRORS.sessionExpired) return;
    if (zxid < this.#seen) {
      throw new Violation(
        `${who} answered from ${printZxid(zxid)} after it had seen ${printZxid(this.#seen)}`,
      );
    }
    this.#seen = zxid;
    if (this.server !== null) this.#leases.heard(this.#session, this.server, asked.sent);
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
    if (written?.session !== this.#session || written.xid !== asked.xid) {
      throw new Violation(`${who} acknowledged as ${printZxid(zxid)}, where the history has another write`);
    }
    if (zxid > this.#book.acknowledged) this.#book.acknowledged = zxid;
  }

  #checkRead(who: string, path: string, answer: Answered<Tag>): void {
    if (path === CONFIG) return demandCluster(who, answer, this.#world.servers.length);
    const { asked, error, zxid: told, frame } = answer;
    const zxid = told as Zxid;
    const expected = this.#book.versionAt(path, zxid);
    const isHidden = path === HIDDEN && expected.mzxid !== null;
    const isShown = asked.question.request.kind === "exists" && this.#world.asIn380;
    if (isHidden && !isShown) {
      if (error === ERRORS.noAuth) return;
      throw new Violation(`${who} told ${error} of ${path}, which nobody may read, at ${printZxid(zxid)}`);
    }
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

/** As ZooKeeper's own classes read who the servers are. */
function demandCluster(who: string, { asked, error, frame }: Answered<Tag>, servers: number): void {
  const reply = error === ERRORS.ok ? replyTo(asked.question, frame) : null;
  const data = reply !== null && "data" in reply ? reply.data : null;
  const lines = new TextDecoder().decode(data ?? new Uint8Array()).split("\n");
  const entries = lines.map((line) => /^server\.(\d+)=([^:;]+):(\d+):(\d+):participant;\S+:\d+$/.exec(line));
  const told = entries.filter((entry) => entry !== null && entry[3] !== entry[4]);
  const versions = lines.filter((line) => /^version=[0-9a-f]+$/.test(line));
  if (told.length === servers && versions.length === 1) return;
  throw new Violation(`${who} told ${told.length} servers and ${versions.length} versions of ${CONFIG}`);
}

/** A znode that clients hide from each other. */
export const HIDDEN = "/hidden";
const UNREADABLE: readonly Acl[] = [
  { permissions: PERMISSION.all & ~PERMISSION.read, id: { scheme: "world", id: "anyone" } },
];

export const keysOf = ({ keys }: ServerWorld): readonly string[] =>
  Array.from({ length: keys }, (_, index) => `/k${index + 1}`);

export const ephemeralOf = ({ name }: GuestPlan): string => `/e-${name}`;

/** A client that waits for so many answers asks nothing more: a slow ensemble must not be buried. */
const MOST_UNANSWERED = 60;

const READS = ["get", "get", "exists", "sync"] as const;
const ORDINARY = ["set", "set", "set", "swap", "create", "ephemeral", "delete", ...READS] as const;
const QUESTIONS = [...ORDINARY, ...ORDINARY, "below", "container", "ttl", "acl", "multi"] as const;
