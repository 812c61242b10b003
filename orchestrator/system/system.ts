/**
 * What a trial has to know of the system under test: how a server of it is started, and how its log tells
 * what it does. Everything else is the same for all systems.
 */

import type { ServerId } from "#node/core/identity.ts";
import type { RecordedEvent } from "../recording/recording.ts";
import type { TrialPlan } from "../plan/plan.ts";
import type { Testbed } from "../testbed/testbed.ts";

export const CLIENT_PORT = 2181;
export const PEER_PORT = 2888;

export interface LiveSystem {
  /** Who is started first, so that the first leader leads; the others when `isAhead` of its log. */
  readonly vanguard: readonly ServerId[];
  isAhead(log: string): boolean;
  /** Writes what a server finds when it starts. */
  prepare(): Promise<void>;
  /** `first`: in the ensemble's first election, of which the plan says how it ends. */
  command(server: ServerId, first: boolean): readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** `origin` is when the load began, on the machine's monotonic clock. */
  events(log: string, server: ServerId, origin: number): readonly RecordedEvent[];
}

export interface SystemSetting {
  readonly testbed: Testbed;
  readonly plan: TrialPlan;
  /** Of the run; a server's own is `dataOf` it. */
  readonly folder: string;
}

export const addressOf = (testbed: Testbed, server: ServerId): string =>
  testbed.machine(`p${server}`).address;
