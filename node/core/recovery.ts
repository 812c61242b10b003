/**
 * Recovery is a fold: read the records from the first to the last, and what they say together is what the
 * server knows.
 */

import { assert, unreachable } from "./assert.ts";
import type { LogRecord, Recovered } from "./record.ts";
import type { Transaction } from "./transaction.ts";
import { NO_EPOCH, type Zxid } from "./zxid.ts";

/** What a server knows that has never run. */
export const BLANK: Recovered = {
  promise: null,
  epoch: NO_EPOCH,
  founder: false,
  snapshot: null,
  transactions: [],
};

export function recover(records: Iterable<LogRecord>): Recovered {
  let { promise, epoch, founder, snapshot } = BLANK;
  let transactions: Transaction[] = [];
  let partial: { zxid: Zxid; replaces: "prefix" | "all"; chunks: Uint8Array[] } | null = null;
  for (const record of records) {
    switch (record.kind) {
      case "transaction":
        transactions.push(record.transaction);
        break;
      case "truncate":
        transactions = transactions.filter(({ zxid }) => zxid <= record.to);
        break;
      case "promise":
        promise = { epoch: record.epoch, leader: record.leader };
        break;
      case "epoch":
        epoch = record.epoch;
        break;
      case "founder":
        founder = true;
        break;
      case "snapshot": {
        if (record.index === 0) partial = { zxid: record.zxid, replaces: record.replaces, chunks: [] };
        assert(partial?.chunks.length === record.index, `snapshot chunk ${record.index} out of order`);
        partial.chunks.push(record.bytes);
        if (!record.last) break;
        const { zxid, replaces, chunks } = partial;
        snapshot = { zxid, chunks };
        transactions = replaces === "all" ? [] : transactions.filter((later) => later.zxid > zxid);
        partial = null;
        break;
      }
      default:
        unreachable(record);
    }
  }
  return { promise, epoch, founder, snapshot, transactions };
}
