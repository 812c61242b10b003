/** What heartbeats say, and what they find out. */

import type { Protocol } from "../core/automaton.ts";
import type { ServerId } from "../core/identity.ts";
import type { Duration } from "../core/time.ts";
import type { Report } from "./report.ts";

export type HeartbeatMessage =
  | { readonly kind: "ping"; readonly sequence: number; readonly requestsPerSecond: number }
  /** Answers the ping of the same sequence. */
  | { readonly kind: "pong"; readonly sequence: number }
  /** Goes with every ping. */
  | { readonly kind: "report"; readonly report: Report };

export type HeartbeatTimer = "ping" | "silence";

export type HeartbeatRequest =
  /** Clients send this server so many requests a second: tell it the others with each heartbeat. */
  | { readonly kind: "rate"; readonly perSecond: number }
  /** And this of itself. */
  | { readonly kind: "report"; readonly report: Report };

export type HeartbeatOutput =
  /** The mean round-trip time of a server after one more sample, and what hardly any answer exceeds. */
  | {
      readonly kind: "roundTrip";
      readonly server: ServerId;
      readonly rtt: Duration;
      readonly reach: Duration;
    }
  | { readonly kind: "rate"; readonly server: ServerId; readonly perSecond: number }
  | { readonly kind: "report"; readonly server: ServerId; readonly report: Report }
  /** Connected, or heard again after a silence. Alternates with `down`, beginning with `up`. */
  | { readonly kind: "up"; readonly server: ServerId }
  /**
   * Suspected to have crashed: silent on a connection that stands, or disconnected. `reason` is for people.
   */
  | { readonly kind: "down"; readonly server: ServerId; readonly silent: boolean; readonly reason: string };

export interface HeartbeatProtocol extends Protocol {
  readonly message: HeartbeatMessage;
  readonly timer: HeartbeatTimer;
  readonly request: HeartbeatRequest;
  readonly output: HeartbeatOutput;
}
