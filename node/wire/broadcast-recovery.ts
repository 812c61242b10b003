/**
 * Zab's discovery and synchronization: what is said until an epoch stands.
 *
 *   join          => 0x20 attempt:u64 promised:flag [epoch:u32 leader:u8]
 *   refuse        => 0x21 attempt:u64
 *   leave         => 0x22
 *   newEpoch      => 0x23 attempt:u64 epoch:u32
 *   ackEpoch      => 0x24 epoch:u32 currentEpoch:u32 lastZxid:u64 member:flag
 *   pull          => 0x25 epoch:u32 lastZxid:u64
 *   pulled        => 0x26 lastZxid:u64
 *   truncate      => 0x27 to:u64
 *   snapshot      => 0x28 zxid:u64 index:u32 last:flag chunk
 *   snapshotTaken => 0x29 index:u32
 *   newLeader     => 0x2a epoch:u32 lastZxid:u64
 *   upToDate      => 0x2b epoch:u32 committed:u64
 *   wait          => 0x2c
 *   recall        => 0x2d
 *   recalled      => 0x2e epoch:u32 promised:flag [epoch:u32 leader:u8]
 *   handOver      => 0x2f to:u8
 */

import { unreachable } from "../core/assert.ts";
import type { BroadcastMessage, Join } from "../broadcast/message.ts";
import type { Reader } from "./reader.ts";
import type { Writer } from "./writer.ts";

const TYPE = {
  join: 0x20,
  refuse: 0x21,
  leave: 0x22,
  newEpoch: 0x23,
  ackEpoch: 0x24,
  pull: 0x25,
  pulled: 0x26,
  truncate: 0x27,
  snapshot: 0x28,
  snapshotTaken: 0x29,
  newLeader: 0x2a,
  upToDate: 0x2b,
  wait: 0x2c,
  recall: 0x2d,
  recalled: 0x2e,
  handOver: 0x2f,
} as const satisfies Partial<Record<BroadcastMessage["kind"], number>>;

export type RecoveryMessage = Extract<BroadcastMessage, { readonly kind: keyof typeof TYPE }>;

export function writeRecovery(writer: Writer, message: RecoveryMessage): void {
  writer.u8(TYPE[message.kind]);
  switch (message.kind) {
    case "join":
      writeJoin(writer, message);
      return;
    case "refuse":
      writer.u64(message.attempt);
      return;
    case "leave":
    case "wait":
    case "recall":
      return;
    case "handOver":
      writer.u8(message.to);
      return;
    case "recalled":
      writePromise(writer.u32(message.epoch), message.promise);
      return;
    case "newEpoch":
      writer.u64(message.attempt).u32(message.epoch);
      return;
    case "ackEpoch":
      writer.u32(message.epoch).u32(message.currentEpoch).u64(message.lastZxid).flag(message.member);
      return;
    case "pull":
    case "newLeader":
      writer.u32(message.epoch).u64(message.lastZxid);
      return;
    case "pulled":
      writer.u64(message.lastZxid);
      return;
    case "truncate":
      writer.u64(message.to);
      return;
    case "snapshot":
      writer.u64(message.zxid).u32(message.index).flag(message.last).bytes(message.bytes);
      return;
    case "snapshotTaken":
      writer.u32(message.index);
      return;
    case "upToDate":
      writer.u32(message.epoch).u64(message.committed);
      return;
    default:
      unreachable(message);
  }
}

/** Null when the type is none of these. Fields are read in the order in which they are written below. */
export function readRecovery(type: number, reader: Reader): RecoveryMessage | null {
  switch (type) {
    case TYPE.join:
      return readJoin(reader);
    case TYPE.refuse:
      return { kind: "refuse", attempt: reader.u64() };
    case TYPE.leave:
      return { kind: "leave" };
    case TYPE.newEpoch:
      return { kind: "newEpoch", attempt: reader.u64(), epoch: reader.epoch() };
    case TYPE.ackEpoch:
      return {
        kind: "ackEpoch",
        epoch: reader.epoch(),
        currentEpoch: reader.epoch(),
        lastZxid: reader.zxid(),
        member: reader.flag(),
      };
    case TYPE.pull:
      return { kind: "pull", epoch: reader.epoch(), lastZxid: reader.zxid() };
    case TYPE.pulled:
      return { kind: "pulled", lastZxid: reader.zxid() };
    case TYPE.truncate:
      return { kind: "truncate", to: reader.zxid() };
    case TYPE.snapshot:
      return {
        kind: "snapshot",
        zxid: reader.zxid(),
        index: reader.u32(),
        last: reader.flag(),
        bytes: reader.rest(),
      };
    case TYPE.snapshotTaken:
      return { kind: "snapshotTaken", index: reader.u32() };
    case TYPE.newLeader:
      return { kind: "newLeader", epoch: reader.epoch(), lastZxid: reader.zxid() };
    case TYPE.upToDate:
      return { kind: "upToDate", epoch: reader.epoch(), committed: reader.zxid() };
    case TYPE.wait:
      return { kind: "wait" };
    case TYPE.recall:
      return { kind: "recall" };
    case TYPE.handOver:
      return { kind: "handOver", to: reader.server() };
    case TYPE.recalled:
      return { kind: "recalled", epoch: reader.epoch(), promise: readPromise(reader) };
    default:
      return null;
  }
}

function writeJoin(writer: Writer, { attempt, promise }: Join): void {
  writePromise(writer.u64(attempt), promise);
}

function readJoin(reader: Reader): Join {
  const attempt = reader.u64();
  return { kind: "join", attempt, promise: readPromise(reader) };
}

function writePromise(writer: Writer, promise: Join["promise"]): void {
  writer.flag(promise !== null);
  if (promise !== null) writer.u32(promise.epoch).u8(promise.leader);
}

const readPromise = (reader: Reader): Join["promise"] =>
  reader.flag() ? { epoch: reader.epoch(), leader: reader.server() } : null;
