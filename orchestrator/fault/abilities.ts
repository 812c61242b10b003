/**
 * What must be possible for a fault to be carried out, by what it is about. A testbed, an ensemble that is
 * tortured, and one in virtual time each have these in their own way; whatever is under way when an act
 * returns a promise is done when it resolves.
 */

import type { ServerId } from "#node/core/identity.ts";
import type { Duration } from "#node/core/time.ts";
import type { LinkShape } from "../topology/topology.ts";

export type Act = void | Promise<void>;

/** From one machine to another. */
export type Way = readonly [from: string, to: string];

/** Of the connections of two machines: the one that carries what is large, or whichever speaks next. */
export type Forgotten = "bulk" | "any";

export interface Network {
  /** By name: `p1`, and the machines of a site's clients. */
  readonly machines: ReadonlyMap<string, { readonly site: string }>;
  cut(ways: readonly Way[]): Act;
  heal(ways: readonly Way[]): Act;
  /** Between these two, either way, one connection is forgotten on the way. */
  forget(ways: readonly Way[], which: Forgotten): Act;
  /** What is not named stays; a delay takes its jitter with it, in proportion. */
  change(ways: readonly Way[], change: LinkChange): Act;
  /** Its cables are pulled, and what it had sent is gone. */
  unplug(server: ServerId): Act;
  /** Its cables are back, all but those that are cut. */
  plug(server: ServerId, ways: readonly Way[]): Act;
}

export type LinkChange = Partial<Omit<LinkShape, "jitter">>;

export interface Processes {
  leader(): ServerId | null;
  isRunning(server: ServerId): boolean;
  kill(server: ServerId): Act;
  pause(server: ServerId): Act;
  resume(server: ServerId): Act;
  start(server: ServerId): Act;
  /** Has it lead, while another does; where that is refused, that other goes on. */
  transfer(to: ServerId): Act;
}

/** What is wrong with a disk just now. */
export type DiskBend =
  | { readonly kind: "full" | "failing" | "torn" | "stuck" }
  /** Each write takes so much longer. */
  | { readonly kind: "slow"; readonly by: Duration };

export interface Disks {
  /** Null: nothing any more. */
  bend(server: ServerId, bend: DiskBend | null): Act;
  /** Between two lives: nothing is left but what a new server finds. */
  wipe(server: ServerId): Act;
}

export interface Clocks {
  /** The time of day, by so much more. */
  jump(server: ServerId, by: Duration): Act;
  /** The monotonic clock, ahead. */
  leap(server: ServerId, by: Duration): Act;
}

export interface Abilities {
  readonly network: Network;
  readonly processes: Processes;
  readonly disks: Disks;
  readonly clocks: Clocks;
}

/** The shape that a change makes of another: the parts that are new. */
export function changed({ delay, jitter }: LinkShape, change: LinkChange): Partial<LinkShape> {
  if (change.delay === undefined || jitter === null) return change;
  const scale = Math.round((jitter.scale * change.delay) / delay) as Duration;
  return { ...change, jitter: { ...jitter, scale } };
}
