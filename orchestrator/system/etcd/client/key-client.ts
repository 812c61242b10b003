/** Keys and values of etcd, one question after the other: what changes on a condition is a transaction. */

import type { KeyAnswer, KeyClient, KeyClientPolicy, KeyState } from "../../../workload/key-client.ts";
import {
  isThere,
  type KeyValue,
  METHODS,
  part,
  range,
  readRange,
  readTxn,
  type Txn,
  txn,
  utf8,
  versionIs,
} from "../wire/messages.ts";
import type { Method } from "./channel.ts";
import { outcomeOf } from "./outcome.ts";
import { type Answered, type EtcdPlace, EtcdSession } from "./session.ts";

const PAUSE_MS = 20;
const ALL = Uint8Array.of(0);
const SAID: KeyAnswer = {
  outcome: "ok",
  failure: null,
  place: null,
  version: null,
  sight: null,
  names: [],
};

export class EtcdKeyClient implements KeyClient {
  readonly #session: EtcdSession;
  readonly #answerMs: number;

  constructor(places: readonly EtcdPlace[], first: number, { answerMs, patienceMs }: KeyClientPolicy) {
    const policy = { patienceMs, pauseMs: PAUSE_MS, order: "next" } as const;
    this.#session = new EtcdSession(places, first, policy, () => 0);
    this.#answerMs = answerMs;
  }

  get connection(): number {
    return this.#session.connections;
  }

  async read(key: string, newest: boolean): Promise<KeyAnswer> {
    const asked = await this.#ask(METHODS.range, range({ key: utf8(key), serializable: !newest }));
    return answerOf(asked, (body) => {
      const { header, found } = readRange(body);
      const [at] = found;
      return { ...SAID, place: header.revision, sight: at === undefined ? null : sightOf(at) };
    });
  }

  create(key: string, value: string): Promise<KeyAnswer> {
    const bytes = utf8(key);
    return this.#change(bytes, versionIs(bytes, 0), part.put(bytes, utf8(value)), () => "exists");
  }

  write(key: string, value: string, expected: number | null): Promise<KeyAnswer> {
    const bytes = utf8(key);
    return this.#change(bytes, met(bytes, expected), part.put(bytes, utf8(value)), absentOr("version"));
  }

  remove(key: string, expected: number | null): Promise<KeyAnswer> {
    const bytes = utf8(key);
    return this.#change(bytes, met(bytes, expected), part.deleteRange(bytes), absentOr("version"));
  }

  async list(prefix: string): Promise<KeyAnswer> {
    const asked = await this.#ask(METHODS.range, range({ key: utf8(prefix), end: behind(prefix) }));
    return answerOf(asked, (body) => {
      const { header, found } = readRange(body);
      const names = found.map(({ key }) => text(key).slice(prefix.length));
      return { ...SAID, place: header.revision, names };
    });
  }

  async state(): Promise<KeyState | null> {
    const newest = await this.#ask(METHODS.range, range({ key: ALL, end: ALL, limit: 1 }));
    const { reply } = await this.#ask(METHODS.range, range({ key: ALL, end: ALL, serializable: true }));
    if (newest.reply?.status !== 0 || reply?.status !== 0) return null;
    const { header, found } = readRange(reply.body);
    return { place: header.revision, lines: found.map(lineOf) };
  }

  move(): void {
    this.#session.leave();
  }

  stop(): void {
    this.#session.end();
  }

  /** Looks at the key in the same step: what it has become, or why not. */
  async #change(
    key: Uint8Array,
    when: Txn["when"],
    change: Txn["when"],
    whyNot: (found: KeyValue | undefined) => KeyAnswer["failure"],
  ): Promise<KeyAnswer> {
    const look = part.range({ key });
    const question = txn({ when, met: [change, look], otherwise: [look] });
    return answerOf(await this.#ask(METHODS.txn, question), (body) => {
      const { header, succeeded, found } = readTxn(body);
      const [at] = found;
      const place = header.revision;
      if (!succeeded) return { ...SAID, outcome: "failed", failure: whyNot(at), place };
      return { ...SAID, place, version: at === undefined ? null : sightOf(at).version };
    });
  }

  async #ask(method: Method, question: Uint8Array): Promise<Answered> {
    const impatient = setTimeout(() => this.move(), this.#answerMs);
    const asked = await new Promise<Answered>((resolve) => this.#session.ask(method, question, resolve));
    clearTimeout(impatient);
    return asked;
  }
}

function answerOf(asked: Answered, read: (body: Uint8Array) => KeyAnswer): KeyAnswer {
  const outcome = outcomeOf(asked);
  if (outcome === "ok" && asked.reply !== null) return read(asked.reply.body);
  return { ...SAID, outcome, failure: outcome === "failed" ? "other" : null };
}

const met = (key: Uint8Array, expected: number | null): Txn["when"] =>
  expected === null ? isThere(key) : versionIs(key, expected + 1);

const absentOr =
  (otherwise: "version") =>
  (found: KeyValue | undefined): KeyAnswer["failure"] =>
    found === undefined ? "absent" : otherwise;

/** etcd counts a key's versions from 1. */
const sightOf = ({ value, version, modRevision }: KeyValue) => ({
  value: text(value),
  version: version - 1,
  place: modRevision,
});

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

const lineOf = ({ key, value, version, createRevision, modRevision }: KeyValue): string =>
  [text(key), JSON.stringify(text(value)), version, createRevision, modRevision].join(" ");

/** The first name that no longer begins so. */
function behind(prefix: string): Uint8Array {
  const end = Buffer.from(prefix);
  end[end.length - 1] = (end.at(-1) ?? 0) + 1;
  return end;
}
