/**
 * What can be fed with bytes from outside. A target takes any bytes, and throws only when something is wrong
 * with the code: what is wrong with the bytes it must have a word for.
 */

import { clientTarget } from "./client-target.ts";
import { controlTarget } from "./control-target.ts";
import { datagramTarget } from "./datagram-target.ts";
import { excessTarget } from "./excess-target.ts";
import { configurationTarget, topologyTarget } from "./file-targets.ts";
import { logTarget } from "./log-target.ts";
import { memberTarget } from "./member-target.ts";
import { greetingTarget, peerTarget } from "./peer-target.ts";
import { snapshotTarget } from "./snapshot-target.ts";

export interface Target {
  /** Good inputs, to begin with. */
  readonly seeds: readonly Uint8Array[];
  feed(bytes: Uint8Array): void | Promise<void>;
}

export const TARGETS = {
  client: clientTarget,
  excess: excessTarget,
  peer: peerTarget,
  greeting: greetingTarget,
  member: memberTarget,
  datagram: datagramTarget,
  control: controlTarget,
  log: logTarget,
  snapshot: snapshotTarget,
  configuration: configurationTarget,
  topology: topologyTarget,
} as const satisfies Record<string, () => Target | Promise<Target>>;
