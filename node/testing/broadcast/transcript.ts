/** What happens in a small world, as lines that a stranger can read. */

import type { Transaction } from "../../core/transaction.ts";
import { printZxid } from "../../core/zxid.ts";
import type { BroadcastEvent } from "../../telemetry/broadcast-event.ts";
import type { BroadcastOutput } from "../../broadcast/broadcast.ts";
import type { BroadcastMessage } from "../../broadcast/message.ts";
import type { WorldEvent } from "./world.ts";

export function line(event: WorldEvent): string {
  switch (event.kind) {
    case "sent":
      return `  ${event.from} -> ${event.to}  ${say(event.message)}`;
    case "closed":
      return `  ${event.server} closes ${event.other}: ${event.reason}`;
    case "output":
      return `  ${event.server}       ${tell(event.output)}`;
  }
}

function say(message: BroadcastMessage): string {
  switch (message.kind) {
    case "propose":
      return `propose ${names(message.transactions)}`;
    case "join": {
      const { promise } = message;
      return promise === null ? "join" : `join, having promised epoch ${promise.epoch} to ${promise.leader}`;
    }
    case "snapshot": {
      const { index, last, zxid } = message;
      return `${last ? "last chunk" : "chunk"} ${index} of a snapshot of ${printZxid(zxid)}`;
    }
    case "forward":
      return `forward write ${message.ticket.sequence}`;
    default: {
      const { kind, ...rest } = message;
      return [kind, ...Object.entries(rest).map(([key, value]) => field(key, value))].join(" ");
    }
  }
}

function tell(output: BroadcastOutput): string {
  switch (output.kind) {
    case "event":
      return describe(output.event);
    case "serving":
      return `SERVES in epoch ${output.epoch} under ${output.leader}, settled ${printZxid(output.settled)}`;
    case "lost":
      return `LOST leader ${output.leader}: ${output.reason}`;
    case "synced":
      return `answers sync ${output.sequence}`;
  }
}

function describe(event: BroadcastEvent): string {
  const { kind, ...rest } = event;
  return [`(${kind}`, ...Object.entries(rest).map(([key, value]) => field(key, value))].join(" ").concat(")");
}

const ZXIDS = new Set(["lastZxid", "zxid", "to", "since", "committed", "initial"]);

function field(key: string, value: string | number): string {
  const isZxid = ZXIDS.has(key) || (key === "from" && Number(value) > 255);
  return `${key} ${isZxid ? printZxid(value as Parameters<typeof printZxid>[0]) : value}`;
}

function names(transactions: readonly Transaction[]): string {
  return transactions.map(({ zxid, ticket }) => `${printZxid(zxid)} (write ${ticket.sequence})`).join(", ");
}
