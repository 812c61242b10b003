/**
 * Heartbeats.
 *
 *   ping => 0x01 sequence:u64 requestsPerSecond:f64
 *   pong => 0x02 sequence:u64
 *   report => 0x03 count:u32 (server:u8 roundTrip:u64)* lastZxid base stateBytes:f64 transactionBytes:f64
 *             openPerSecond:f64 clients:f64 think:u64 writeLatency:u64 awake:u64
 */

import { unreachable } from "../core/assert.ts";
import type { ServerId } from "../core/identity.ts";
import { type Duration, microseconds } from "../core/time.ts";
import type { HeartbeatMessage } from "../oracle/heartbeat-message.ts";
import type { Report } from "../oracle/report.ts";
import type { Reader } from "./reader.ts";
import type { Writer } from "./writer.ts";

const TYPE = { ping: 0x01, pong: 0x02, report: 0x03 } as const satisfies Record<
  HeartbeatMessage["kind"],
  number
>;

export function writeHeartbeat(writer: Writer, message: HeartbeatMessage): void {
  writer.u8(TYPE[message.kind]);
  switch (message.kind) {
    case "ping":
      writer.u64(message.sequence).f64(message.requestsPerSecond);
      return;
    case "pong":
      writer.u64(message.sequence);
      return;
    case "report":
      writeReport(writer, message.report);
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
    case TYPE.report:
      return { kind: "report", report: readReport(reader) };
    default:
      return null;
  }
}

function writeReport(writer: Writer, report: Report): void {
  const { roundTrips, lastZxid, base, stateBytes, transactionBytes, offer, writeLatency, awake } = report;
  writer.u32(roundTrips.size);
  for (const [server, rtt] of roundTrips) writer.u8(server).u64(rtt);
  writer.u64(lastZxid).u64(base).f64(stateBytes).f64(transactionBytes);
  writer.f64(offer.openPerSecond).f64(offer.clients).u64(offer.think);
  writer.u64(writeLatency).u64(awake);
}

function readReport(reader: Reader): Report {
  const roundTrips = new Map<ServerId, Duration>();
  for (let left = reader.count(ROUND_TRIP_BYTES); left > 0; left--) {
    const server = reader.server();
    if (roundTrips.has(server)) reader.fail(`server ${server} twice in one report`);
    roundTrips.set(server, microseconds(reader.u64()));
  }
  return {
    roundTrips,
    lastZxid: reader.zxid(),
    base: reader.zxid(),
    stateBytes: amount(reader),
    transactionBytes: amount(reader),
    offer: { openPerSecond: amount(reader), clients: amount(reader), think: microseconds(reader.u64()) },
    writeLatency: microseconds(reader.u64()),
    awake: microseconds(reader.u64()),
  };
}

function amount(reader: Reader): number {
  const value = reader.f64();
  if (value < 0) reader.fail(`${value} of something`);
  return value;
}

const ROUND_TRIP_BYTES = 9;
