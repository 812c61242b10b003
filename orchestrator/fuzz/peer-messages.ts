/** One of everything that servers say to each other, to begin with. */

import type { BroadcastMessage } from "#node/broadcast/message.ts";
import { serverId } from "#node/core/identity.ts";
import { timeOfDay } from "#node/core/time.ts";
import { epoch, zxid } from "#node/core/zxid.ts";
import { writeBallot } from "#node/election/ballot.ts";
import { elections } from "#node/election/catalog.ts";
import type { ElectionEntry } from "#node/election/entry.ts";
import { NO_REPORT } from "#node/oracle/report.ts";
import type { PeerMessage } from "#node/replica/message.ts";

const one = epoch(1);
const place = zxid(one, 7);
const ticket = { origin: serverId(1), life: 2, sequence: 3 };
const payload = new Uint8Array(20).fill(9);
const transaction = { zxid: place, time: timeOfDay(1), ticket, payload, imaged: false };

/** Of every kind, or the compiler says which is missing. */
const BROADCAST: {
  readonly [Kind in BroadcastMessage["kind"]]: BroadcastMessage & { readonly kind: Kind };
} = {
  join: { kind: "join", attempt: 1, promise: { epoch: one, leader: serverId(2) } },
  recall: { kind: "recall" },
  recalled: { kind: "recalled", epoch: one, promise: { epoch: one, leader: serverId(2) } },
  refuse: { kind: "refuse", attempt: 1 },
  leave: { kind: "leave" },
  handOver: { kind: "handOver", to: serverId(2) },
  newEpoch: { kind: "newEpoch", attempt: 1, epoch: one },
  ackEpoch: { kind: "ackEpoch", epoch: one, currentEpoch: one, lastZxid: place, member: true },
  pull: { kind: "pull", epoch: one, lastZxid: place },
  truncate: { kind: "truncate", to: place },
  snapshot: { kind: "snapshot", zxid: place, index: 0, last: true, bytes: new Uint8Array(30) },
  snapshotTaken: { kind: "snapshotTaken", index: 0 },
  propose: { kind: "propose", transactions: [transaction, transaction] },
  wait: { kind: "wait" },
  pulled: { kind: "pulled", lastZxid: place },
  newLeader: { kind: "newLeader", epoch: one, lastZxid: place },
  ack: { kind: "ack", epoch: one, zxid: place },
  upToDate: { kind: "upToDate", epoch: one, committed: place },
  commit: { kind: "commit", epoch: one, zxid: place },
  forward: { kind: "forward", ticket, payload },
  sync: { kind: "sync", sequence: 1 },
  synced: { kind: "synced", sequence: 1, committed: place },
  confirm: { kind: "confirm", epoch: one, sequence: 1 },
  confirmed: { kind: "confirmed", epoch: one, sequence: 1 },
};

export const PEER_MESSAGES: readonly PeerMessage[] = [
  { part: "heartbeat", message: { kind: "ping", sequence: 1, requestsPerSecond: 5.5 } },
  { part: "heartbeat", message: { kind: "pong", sequence: 1 } },
  { part: "heartbeat", message: { kind: "report", report: { ...NO_REPORT, lastZxid: place } } },
  ...Object.entries<ElectionEntry>(elections).flatMap(([name, { codec }]) =>
    codec.examples.map(
      (message) => ({ part: "election", message: writeBallot(name, codec, message) }) as const,
    ),
  ),
  ...Object.values(BROADCAST).map((message) => ({ part: "broadcast", message }) as const),
];
