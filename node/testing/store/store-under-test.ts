/** Lives of a store on a disk in memory, and records to put into it, for the tests beside it. */

import assert from "node:assert/strict";
import { serverId } from "../../core/identity.ts";
import type { LogRecord, Recovered } from "../../core/record.ts";
import { timeOfDay } from "../../core/time.ts";
import { epoch, type Zxid, zxid } from "../../core/zxid.ts";
import type { MemoryDisk } from "./memory-disk.ts";
import { PAGE } from "../../host/tcp/store/segment.ts";
import { Store } from "../../host/tcp/store/store.ts";

export const z = (counter: number, ofEpoch = 1): Zxid => zxid(epoch(ofEpoch), counter);

export const transaction = (id: Zxid, size = 20): LogRecord => ({
  kind: "transaction",
  transaction: {
    zxid: id,
    time: timeOfDay(0),
    ticket: { origin: serverId(1), life: 7, sequence: id },
    payload: new Uint8Array(size).fill(id % 251),
    imaged: false,
  },
});

export const promise = (value: number): LogRecord => ({
  kind: "promise",
  epoch: epoch(value),
  leader: serverId(2),
});

/** A snapshot of two chunks that says of which history it is. */
export const snapshot = (at: Zxid, replaces: "prefix" | "all", history: readonly Zxid[]): LogRecord[] => {
  const bytes = new TextEncoder().encode(JSON.stringify(history));
  const half = bytes.length >> 1;
  const chunk = { kind: "snapshot", zxid: at, replaces } as const;
  return [
    { ...chunk, index: 0, last: false, bytes: bytes.subarray(0, half) },
    { ...chunk, index: 1, last: true, bytes: bytes.subarray(half) },
  ];
};

/** What a server knows, however it is divided between snapshot and log. */
export function knowledge({
  promise: promised,
  epoch: current,
  founder,
  snapshot: base,
  transactions,
}: Recovered): string {
  const text = base === null ? "[]" : Buffer.concat([...base.chunks]).toString();
  const history = [...(JSON.parse(text) as number[]), ...transactions.map((known) => known.zxid)];
  return JSON.stringify({ promised, current, founder, history });
}

export interface Life {
  readonly store: Store;
  durable: number;
  failure: string | null;
  /** Everything until the disk has nothing left to do. */
  rest(): Promise<void>;
}

let salt = 0;

/** Three writes of a page each fill it, between its head and the end. */
export const SEGMENT = 5 * PAGE;

export async function live(disk: MemoryDisk, segmentSize = 16 * PAGE): Promise<Life> {
  const life: { durable: number; failure: string | null } = { durable: 0, failure: null };
  const store = await Store.open({
    disk,
    salt: () => (salt = (salt + 12345) >>> 0),
    segmentSizes: { first: segmentSize, largest: segmentSize },
    durable: (upTo) => {
      assert.ok(upTo > life.durable, "durable goes up");
      assert.equal(life.failure, null, "nothing is durable after a failure");
      life.durable = upTo;
    },
    failed: (reason) => {
      assert.equal(life.failure, null, "a failure is reported once");
      life.failure = reason;
    },
  });
  return Object.assign(life, { store, rest: () => new Promise<void>((resolve) => setImmediate(resolve)) });
}

export function append(life: Life, ...records: LogRecord[]): void {
  life.store.append(records);
  life.store.flush();
}

export const zxids = ({ store }: Life): number[] => store.recovered.transactions.map((known) => known.zxid);
