/**
 * Heartbeats.
 *
 *   ping => 0x01 sequence:u64 requestsPerSecond:f64
 *   pong => 0x02 sequence:u64
 */

import { unreachable } from "../core/assert.ts";
import type { HeartbeatMessage } from "../oracle/heartbeat-message.ts";
import type { Reader } from "./reader.ts";
import type { Writer } from "./writer.ts";

const TYPE = { ping: 0x01, pong: 0x02 } as const satisfies Record<HeartbeatMessage["kind"], number>;

export function writeHeartbeat(writer: Writer, message: HeartbeatMessage): void {
  writer.u8(TYPE[message.kind]);
  switch (message.kind) {
    case "ping":
      writer.u64(message.sequence).f64(message.requestsPerSecond);
      return;
    case "pong":
      writer.u64(message.sequence);
      return;
    default:
      unreachable(message);
  }
}

/** Null when the type is none of heartbeats. */
export function readHeartbeat(type: number, reader: Reader): HeartbeatMessage | null {
  switch (type) {
    case TYPE.ping: {
      const sequence = reader.u64();
      const requestsPerSecond = reader.f64();
      if (requestsPerSecond < 0) reader.fail(`${requestsPerSecond} requests per second`);
      return { kind: "ping", sequence, requestsPerSecond };
    }
    case TYPE.pong:
      return { kind: "pong", sequence: reader.u64() };
    default:
      return null;
  }
}
