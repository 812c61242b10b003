/**
 * A client that does a little of everything at random and writes down what it saw: the source of histories
 * for the checks.
 *
 * Several witnesses share a small tree: registers, a set, a sequence, accounts, a lock and one ephemeral
 * each. Whatever happens to their connections, every request ends in one entry: answered, refused, or
 * unknown.
 */

import type { Random } from "#node/core/random.ts";
import { type Instant, instant } from "#node/core/time.ts";
import type { Zxid } from "#node/core/zxid.ts";
import { ERRORS } from "#node/wire/client/error.ts";
import type { ClientReply, ClientRequest } from "#node/wire/client/request.ts";
import { monotonic } from "#node/host/monotonic.ts";
import type { Action, Entry, Failure, Sight } from "../check/history.ts";
import { account, accountsOf, createRequest, KEYS, PLACES, readAccounts } from "./witness-request.ts";
import { type Answer, type Longs, ScriptSession, Silence } from "./session.ts";

/** What all witnesses write into and draw from. */
export interface Scene {
  readonly entries: Entry[];
  readonly ports: readonly number[];
  readonly longs: Longs;
  /** Names of sessions by what stats call them. */
  readonly sessions: Map<number, string>;
}

const FAILURES: Readonly<Record<number, Failure>> = {
  [ERRORS.noNode]: "absent",
  [ERRORS.nodeExists]: "exists",
  [ERRORS.badVersion]: "version",
};

interface How {
  /** Within the same interval, a sync goes before. */
  readonly synced?: boolean;
  /** The action with what the reply tells of it. */
  readonly seen?: (reply: ClientReply | null) => Action;
}

const now = (): Instant => instant(monotonic());

export class Witness {
  readonly #name: string;
  readonly #scene: Scene;
  readonly #random: Random;
  readonly #session: ScriptSession;
  readonly #versions = new Map<string, number>();
  #sessions = 0;
  #values = 0;
  /** The ephemerals of this session. */
  readonly #owned = new Map<string, "surely" | "perhaps">();
  #lock: { readonly from: Instant; readonly token: Zxid } | null = null;

  constructor(name: string, scene: Scene, random: Random) {
    this.#name = name;
    this.#scene = scene;
    this.#random = random;
    const index = Number(name.slice(1));
    this.#session = new ScriptSession(scene.ports, index, scene.longs, ({ path }) => {
      scene.entries.push({ kind: "notification", session: this.#as, key: path });
    });
  }

  get #as(): string {
    return `${this.#name}.${this.#sessions}`;
  }

  async begin(): Promise<void> {
    await this.#session.connect();
    this.#scene.sessions.set(this.#session.id, this.#as);
  }

  /** One more thing. */
  async act(): Promise<void> {
    const draw = this.#random.unit();
    if (draw < 0.2) await this.#change(this.#random.pick(KEYS));
    else if (draw < 0.5) await this.#read(this.#random.pick(KEYS), this.#random.chance(0.5));
    else if (draw < 0.6) await this.#add();
    else if (draw < 0.63) await this.list();
    else if (draw < 0.7) await this.#draw();
    else if (draw < 0.8) await this.#transfer();
    else if (draw < 0.85) await this.audit();
    else if (draw < 0.93) await this.#lockOrUnlock();
    else if (draw < 0.97) await this.#ephemeral();
    else if (draw < 0.98) await this.leave();
    else await this.#read(`${PLACES.ephemerals}/${this.#name}`, true);
  }

  async create(key: string): Promise<void> {
    const value = this.#nextValue();
    await this.#do({ kind: "create", key, value }, createRequest(key, value));
  }

  async open(index: number, amount: number): Promise<void> {
    const path = account(index);
    await this.#do({ kind: "open", account: path, amount }, createRequest(path, String(amount)));
  }

  async list(): Promise<void> {
    const key = PLACES.set;
    const request: ClientRequest = { kind: "getChildren", path: key, watch: false };
    const seen = (reply: ClientReply | null): Action => ({
      kind: "list",
      key,
      synced: true,
      watch: false,
      elements: reply?.kind === "getChildren" ? reply.names : [],
    });
    await this.#do(seen(null), request, { synced: true, seen });
  }

  async audit(): Promise<void> {
    const seen = (reply: ClientReply | null): Action => ({
      kind: "audit",
      balances: accountsOf(reply).map(({ balance }) => balance),
    });
    await this.#do(seen(null), readAccounts(), { synced: true, seen });
  }

  end(): void {
    this.#session.end();
  }

  async #change(key: string): Promise<void> {
    const value = this.#nextValue();
    const expected = this.#random.chance(0.5) ? (this.#versions.get(key) ?? 0) : null;
    if (key === PLACES.fleeting && this.#random.chance(0.5)) {
      if (this.#random.chance(0.5)) return this.create(key);
      const request: ClientRequest = { kind: "delete", path: key, version: expected ?? -1 };
      await this.#do({ kind: "remove", key, expected }, request);
      return;
    }
    const data = Buffer.from(value);
    const seen = (reply: ClientReply | null): Action => {
      const version = reply?.kind === "setData" ? reply.stat.version : null;
      if (version !== null) this.#versions.set(key, version);
      return { kind: "write", key, value, expected, version };
    };
    await this.#do(seen(null), { kind: "setData", path: key, data, version: expected ?? -1 }, { seen });
  }

  async #read(key: string, synced: boolean): Promise<void> {
    const watch = !synced && this.#random.chance(0.5);
    const seen = (reply: ClientReply | null): Action => {
      const sight = this.#sight(reply);
      if (sight !== null) this.#versions.set(key, sight.version);
      return { kind: "read", key, synced, watch: watch && sight !== null, sight };
    };
    await this.#do(seen(null), { kind: "getData", path: key, watch }, { synced, seen });
  }

  #sight(reply: ClientReply | null): Sight | null {
    if (reply?.kind !== "getData") return null;
    const { version, mzxid, ephemeralOwner } = reply.stat;
    const owner = ephemeralOwner === 0 ? null : (this.#scene.sessions.get(ephemeralOwner) ?? "unknown");
    return { value: Buffer.from(reply.data ?? []).toString(), version, mzxid: mzxid as Zxid, owner };
  }

  async #add(): Promise<void> {
    const element = this.#nextValue();
    const request = createRequest(`${PLACES.set}/${element}`, "");
    await this.#do({ kind: "add", key: PLACES.set, element }, request);
  }

  async #draw(): Promise<void> {
    const key = PLACES.sequence;
    const request = createRequest(`${key}/n-`, "", { sequential: true });
    const seen = (reply: ClientReply | null): Action => ({
      kind: "draw",
      key,
      number: reply?.kind === "create" ? Number(reply.path.slice(-10)) : null,
    });
    await this.#do(seen(null), request, { seen });
  }

  /** Reads two accounts and writes both, if nobody else did meanwhile. */
  async #transfer(): Promise<void> {
    const answer = await this.#ask(readAccounts());
    const accounts = answer.kind === "reply" ? accountsOf(answer.reply) : [];
    const [from, to] = this.#random.shuffle(accounts);
    if (from === undefined || to === undefined) return;
    const amount = this.#random.integer(1, 9);
    const action: Action = { kind: "transfer", from: from.path, to: to.path, amount };
    await this.#do(action, {
      kind: "multi",
      operations: [
        { ...from, kind: "setData", data: Buffer.from(String(from.balance - amount)) },
        { ...to, kind: "setData", data: Buffer.from(String(to.balance + amount)) },
      ],
    });
  }

  async #lockOrUnlock(): Promise<void> {
    const key = PLACES.lock;
    if (this.#lock !== null) {
      this.#letGo();
      const request: ClientRequest = { kind: "delete", path: key, version: -1 };
      const answer = await this.#do({ kind: "remove", key, expected: null }, request);
      if (answer.kind === "reply") this.#owned.delete(key);
      else this.#owned.set(key, "perhaps");
      return;
    }
    const answer = await this.#own(key);
    if (answer.kind === "reply" && answer.error === ERRORS.ok) {
      this.#lock = { from: now(), token: answer.zxid as Zxid };
    }
  }

  #letGo(): void {
    if (this.#lock === null) return;
    const until = now();
    this.#scene.entries.push({ kind: "hold", key: PLACES.lock, session: this.#as, until, ...this.#lock });
    this.#lock = null;
  }

  async #ephemeral(): Promise<void> {
    const key = `${PLACES.ephemerals}/${this.#name}`;
    if (!this.#owned.has(key)) await this.#own(key);
  }

  /** Creates an ephemeral. */
  async #own(key: string): Promise<Answer> {
    const value = this.#nextValue();
    const request = createRequest(key, value, { ephemeral: true });
    const answer = await this.#do({ kind: "create", key, value }, request);
    if (answer.kind !== "reply") this.#owned.set(key, "perhaps");
    else if (answer.error === ERRORS.ok) this.#owned.set(key, "surely");
    return answer;
  }

  /** Ends the session, which removes what it held. */
  async leave(): Promise<void> {
    const invoked = now();
    this.#letGo();
    const answer = await this.#session.close();
    this.#sessionEnded(invoked, answer);
  }

  #sessionEnded(invoked: Instant, answer: Answer): void {
    const at = now();
    const acknowledged = answer.kind === "reply";
    for (const [key, owned] of this.#owned) {
      const surely = acknowledged && owned === "surely";
      this.#scene.entries.push({
        kind: "remove",
        key,
        expected: null,
        session: this.#as,
        invoked,
        completed: at,
        failure: null,
        outcome: surely ? "ok" : "unknown",
        zxid: surely ? (answer.zxid as Zxid) : null,
      });
    }
    if (acknowledged || answer.kind === "refused session") {
      this.#scene.entries.push({ kind: "end", session: this.#as, at });
    }
    this.#owned.clear();
    this.#sessions += 1;
    this.#scene.sessions.set(this.#session.id, this.#as);
  }

  /** Asks, and writes down what came of it at the moment of the answer. */
  async #do(
    action: Action,
    request: ClientRequest,
    { synced = false, seen = () => action }: How = {},
  ): Promise<Answer> {
    const invoked = now();
    if (synced) {
      const level = await this.#ask({ kind: "sync", path: "/" });
      if (level.kind !== "reply") return level;
    }
    return this.#ask(request, (answer) => this.#record(action, answer, invoked, seen));
  }

  #record(action: Action, answer: Answer, invoked: Instant, seen: Required<How>["seen"]): void {
    const missed = answer.kind === "reply" && action.kind === "read" && answer.error === ERRORS.noNode;
    const error = answer.kind === "reply" ? answer.error : null;
    const outcome = error === null ? "unknown" : error === ERRORS.ok || missed ? "ok" : "failed";
    this.#scene.entries.push({
      ...(outcome === "ok" && answer.kind === "reply" ? seen(answer.reply) : action),
      session: this.#as,
      invoked,
      completed: now(),
      outcome,
      failure: outcome === "failed" ? (FAILURES[error ?? 0] ?? "other") : null,
      zxid: answer.kind === "reply" ? (answer.zxid as Zxid) : null,
    });
  }

  /** After a lost connection, or one on which nothing is heard, the session is shown to another server. */
  async #ask(request: ClientRequest, heard: (answer: Answer) => void = () => {}): Promise<Answer> {
    const asked = now();
    try {
      const answer = await this.#session.ask(request, heard);
      if (answer.kind === "reply") return answer;
      if (answer.kind === "unreadable") throw new Error(`unreadable: ${answer.bytes}`);
    } catch (error) {
      if (!(error instanceof Silence)) throw error;
    }
    const before = this.#session.id;
    await this.#session.restore();
    this.#scene.entries.push({ kind: "disconnection", session: this.#as });
    if (this.#session.id !== before) {
      this.#letGo();
      this.#sessionEnded(asked, { kind: "refused session" });
    }
    return { kind: "closed" };
  }

  #nextValue(): string {
    this.#values += 1;
    return `${this.#name}-${this.#values}`;
  }
}
