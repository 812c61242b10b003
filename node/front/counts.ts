/** What a front counts of all that goes through it: the numbers that `srvr`, `cons` and the metrics show. */

import { between, type Duration, type Instant } from "../core/time.ts";
import type { Zxid } from "../core/zxid.ts";
import type { ClientConnection, Owed } from "./client-connection.ts";
import { Spread } from "../core/spread.ts";

export class Counts {
  /** Round trips within this server, in microseconds. */
  readonly latencies = new Spread();
  /** Bytes of what was said to clients. */
  readonly responses = new Spread();
  readonly packets = { received: 0, sent: 0 };

  received(connection: ClientConnection): void {
    connection.received += 1;
    this.packets.received += 1;
  }

  said(connection: ClientConnection, bytes: number): void {
    connection.sent += 1;
    this.packets.sent += 1;
    this.responses.add(bytes);
  }

  answered(connection: ClientConnection, { at, xid, operation }: Owed, zxid: Zxid, now: Instant): void {
    const latency: Duration = between(at, now);
    connection.latencies.add(latency);
    this.latencies.add(latency);
    connection.lastOperation = operation;
    if (xid >= 0) connection.lastXid = xid;
    connection.lastZxid = zxid;
    connection.lastAnswerAt = now;
  }

  /** As `srst` does. */
  clear(): void {
    this.latencies.clear();
    this.responses.clear();
    this.packets.received = this.packets.sent = 0;
  }
}
