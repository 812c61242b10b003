/**
 * What one server says to another: frames of one message each.
 *
 *   frame => length:u32 type:u8 body      length counts what follows it, at most `FRAME_LIMIT`
 *
 * The high half of the type tells the part: 0x0_ heartbeat, 0x1_ election, 0x2_ and 0x3_ broadcast.
 */

import type { BroadcastMessage } from "../broadcast/message.ts";
import { assert } from "../core/assert.ts";
import { FRAME_LIMIT } from "../core/limits.ts";
import type { PeerMessage } from "../replica/message.ts";
import { Arena } from "../core/arena.ts";
import { type RecoveryMessage, readRecovery, writeRecovery } from "./broadcast-recovery.ts";
import { type ServiceMessage, readService, writeService } from "./broadcast-service.ts";
import { readElection, writeElection } from "./election.ts";
import { readHeartbeat, writeHeartbeat } from "./heartbeat.ts";
import { Reader } from "./reader.ts";
import { type Result, read, refused } from "./result.ts";
import { Writer } from "./writer.ts";

const LENGTH = 4;
const writer = new Writer();
const frames = new Arena();

export function encodePeerMessage(peerMessage: PeerMessage): Uint8Array {
  writer.clear().u32(0);
  switch (peerMessage.part) {
    case "heartbeat":
      writeHeartbeat(writer, peerMessage.message);
      break;
    case "election":
      writeElection(writer, peerMessage.message);
      break;
    case "broadcast":
      writeBroadcast(peerMessage.message);
      break;
  }
  const length = writer.length - LENGTH;
  assert(length <= FRAME_LIMIT, () => `a frame of ${length} bytes, which nobody would read`);
  return writer.patchU32(0, length).copy(frames);
}

/**
 * Reads one whole frame. Nothing is copied: payloads are parts of the frame, which must not change any more.
 */
export function decodePeerMessage(frame: Uint8Array): Result<PeerMessage> {
  const reader = new Reader(frame);
  const length = reader.u32();
  if (length !== reader.left) reader.fail(`a frame of ${reader.left} bytes that announces ${length}`);
  const type = reader.u8();
  const message = readMessage(type, reader);
  if (message === null) reader.fail(`unknown message type 0x${type.toString(16).padStart(2, "0")}`);
  return reader.finish() && message !== null ? read(message) : refused(reader.failure ?? "");
}

function writeBroadcast(message: BroadcastMessage): void {
  switch (message.kind) {
    case "propose":
    case "ack":
    case "commit":
    case "forward":
    case "sync":
    case "synced":
    case "confirm":
    case "confirmed":
      writeService(writer, message satisfies ServiceMessage);
      return;
    default:
      writeRecovery(writer, message satisfies RecoveryMessage);
  }
}

function readMessage(type: number, reader: Reader): PeerMessage | null {
  switch (type >> 4) {
    case 0: {
      const message = readHeartbeat(type, reader);
      return message && { part: "heartbeat", message };
    }
    case 1: {
      const message = readElection(type, reader);
      return message && { part: "election", message };
    }
    case 2: {
      const message = readRecovery(type, reader);
      return message && { part: "broadcast", message };
    }
    case 3: {
      const message = readService(type, reader);
      return message && { part: "broadcast", message };
    }
    default:
      return null;
  }
}
