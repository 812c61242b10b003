/**
 * Bytes at the port of servers: cut into frames and read as messages; what can be read can be written again.
 * And the greetings before them, which strangers can send.
 */

import { serverId } from "#node/core/identity.ts";
import { round } from "#node/core/score.ts";
import { timeOfDay } from "#node/core/time.ts";
import { epoch, zxid } from "#node/core/zxid.ts";
import type { BroadcastMessage } from "#node/broadcast/message.ts";
import {
  decodeGreeting,
  decodeProof,
  encodeGreeting,
  encodeProof,
  encodeRefusal,
} from "#node/host/tcp/greeting.ts";
import type { PeerMessage } from "#node/replica/message.ts";
import { decodePeerMessage, encodePeerMessage } from "#node/wire/frame.ts";
import { FrameReader } from "#node/wire/frame-reader.ts";
import type { Target } from "./target.ts";

const one = epoch(1);
const place = zxid(one, 7);
const transaction = {
  zxid: place,
  time: timeOfDay(1),
  ticket: { origin: serverId(1), life: 2, sequence: 3 },
  payload: new Uint8Array(20).fill(9),
  imaged: false,
};

const BROADCAST: readonly BroadcastMessage[] = [
  { kind: "join", attempt: 1, promise: { epoch: one, leader: serverId(2) } },
  { kind: "newEpoch", attempt: 1, epoch: one },
  { kind: "ackEpoch", epoch: one, currentEpoch: one, lastZxid: place },
  { kind: "truncate", to: place },
  { kind: "propose", transactions: [transaction, transaction] },
  { kind: "snapshot", zxid: place, index: 0, last: true, bytes: new Uint8Array(30) },
];

const MESSAGES: readonly PeerMessage[] = [
  { part: "heartbeat", message: { kind: "ping", sequence: 1, requestsPerSecond: 5.5 } },
  { part: "election", message: { kind: "proposal", round: round(1), score: [1, 2], candidate: serverId(3) } },
  { part: "election", message: { kind: "vote", round: round(1), leader: serverId(3) } },
  ...BROADCAST.map((message) => ({ part: "broadcast", message }) as const),
];

export function peerTarget(): Target {
  return {
    seeds: MESSAGES.map((message) => encodePeerMessage(message).slice()),
    feed(bytes) {
      const frames = new FrameReader();
      const cut = bytes.length >> 1;
      frames.feed(bytes.slice(0, cut));
      frames.feed(bytes.slice(cut));
      for (let frame = frames.next(); frame !== null; frame = frames.next()) {
        const read = decodePeerMessage(frame);
        if (!read.ok) continue;
        const again = decodePeerMessage(encodePeerMessage(read.value));
        if (!again.ok) throw new Error(`read once, and not again: ${again.reason}`);
      }
    },
  };
}

export function greetingTarget(): Target {
  const greeting = {
    from: serverId(2),
    to: serverId(1),
    channel: "bulk",
    life: 1,
    attempt: 2,
    cluster: "polebench",
    challenge: new Uint8Array(32).fill(1),
    proof: new Uint8Array(32).fill(2),
  } as const;
  const frames = [encodeGreeting(greeting), encodeRefusal("no"), encodeProof(greeting.proof)];
  return {
    seeds: frames.map((frame) => frame.slice(4)),
    feed(bytes) {
      const read = decodeGreeting(bytes);
      if (read.ok && !decodeGreeting(encodeGreeting(read.value).subarray(4)).ok) throw new Error("not again");
      decodeProof(bytes);
    },
  };
}
