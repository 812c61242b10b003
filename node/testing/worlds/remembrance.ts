/**
 * What each server must still know after a crash: a prefix of what it appended, at least as long as what was
 * reported durable. Its next life is asked what it knows, and one of those prefixes must say the same.
 */

import type { ServerId } from "../../core/identity.ts";
import type { LogRecord, Recovered } from "../../core/record.ts";
import { type Epoch, NO_EPOCH, printZxid, type Zxid, ZERO } from "../../core/zxid.ts";
import { Violation } from "../../host/virtual/swarm/sequence.ts";

interface Knowledge {
  promise: string;
  epoch: Epoch;
  founder: boolean;
  /** A snapshot holds what comes up to here. */
  base: Zxid;
  zxids: Zxid[];
}

interface Life {
  readonly begin: Knowledge;
  readonly appended: LogRecord[];
  durable: number;
}

export class Remembrance {
  readonly #lives = new Map<ServerId, Life>();

  /** A new life begins with what was found. */
  started(server: ServerId, recovered: Recovered): void {
    const found = knowledgeOf(recovered);
    const before = this.#lives.get(server);
    if (before !== undefined) demandPrefix(server, before, found);
    this.#lives.set(server, { begin: found, appended: [], durable: 0 });
  }

  appended(server: ServerId, records: readonly LogRecord[]): void {
    for (const record of records) this.#lives.get(server)?.appended.push(record);
  }

  durable(server: ServerId, upTo: number): void {
    const life = this.#lives.get(server);
    if (life !== undefined) life.durable = upTo;
  }

  /** It has a new disk. */
  forgot(server: ServerId): void {
    this.#lives.delete(server);
  }
}

function demandPrefix(server: ServerId, { begin, appended, durable }: Life, found: Knowledge): void {
  const known: Knowledge = { ...begin, zxids: [...begin.zxids] };
  for (let count = 0; ; count++) {
    if (count >= durable && isSame(known, found)) return;
    const next = appended[count];
    if (next === undefined) break;
    learn(known, next);
  }
  const last = found.zxids.at(-1) ?? found.base;
  throw new Violation(
    `p${server} came back with ${printZxid(last)}, epoch ${found.epoch} and promise ${found.promise}, ` +
      `which no prefix of what it appended says that has the ${durable} records that were durable`,
  );
}

function learn(known: Knowledge, record: LogRecord): void {
  switch (record.kind) {
    case "promise":
      known.promise = printPromise(record);
      break;
    case "epoch":
      known.epoch = record.epoch;
      break;
    case "founder":
      known.founder = true;
      break;
    case "transaction":
      known.zxids.push(record.transaction.zxid);
      break;
    case "truncate":
      while ((known.zxids.at(-1) ?? ZERO) > record.to) known.zxids.pop();
      break;
    case "snapshot":
      if (!record.last) break;
      if (record.replaces === "all") known.zxids = [];
      else known.zxids = known.zxids.filter((zxid) => zxid > record.zxid);
      known.base = record.zxid;
      break;
  }
}

const knowledgeOf = ({ promise, epoch, founder, snapshot, transactions }: Recovered): Knowledge => ({
  promise: promise === null ? "none" : printPromise(promise),
  epoch: epoch ?? NO_EPOCH,
  founder,
  base: snapshot?.zxid ?? ZERO,
  zxids: transactions.map(({ zxid }) => zxid),
});

const printPromise = ({ epoch, leader }: { readonly epoch: Epoch; readonly leader: ServerId }): string =>
  `${epoch} to p${leader}`;

/** However much of it a checkpoint stands for. */
function isSame(one: Knowledge, other: Knowledge): boolean {
  if (one.promise !== other.promise || one.epoch !== other.epoch) return false;
  if (one.founder !== other.founder) return false;
  const base = Math.max(one.base, other.base);
  const behind = ({ zxids }: Knowledge): Zxid[] => zxids.filter((zxid) => zxid > base);
  const [a, b] = [behind(one), behind(other)];
  if (a.length !== b.length || a.some((zxid, index) => zxid !== b[index])) return false;
  return lastOf(one) === lastOf(other);
}

const lastOf = ({ zxids, base }: Knowledge): Zxid => zxids.at(-1) ?? base;
