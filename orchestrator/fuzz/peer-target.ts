/**
 * Bytes at the port of servers: cut into frames and read as messages; what can be read can be written again.
 * And the greetings before them, which strangers can send.
 */

import { serverId } from "#node/core/identity.ts";
import {
  decodeGreeting,
  decodeProof,
  encodeGreeting,
  encodeProof,
  encodeRefusal,
} from "#node/host/tcp/introduction.ts";
import { decodePeerMessage, encodePeerMessage } from "#node/wire/frame.ts";
import { FrameReader } from "#node/wire/frame-reader.ts";
import { PEER_MESSAGES } from "./peer-messages.ts";
import type { Target } from "./target.ts";

export function peerTarget(): Target {
  return {
    seeds: PEER_MESSAGES.map((message) => encodePeerMessage(message).slice()),
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
