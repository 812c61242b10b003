/** Words in which the stories of small worlds are told. */

import { type Epoch, type Zxid, zxid } from "../../core/zxid.ts";
import type { BroadcastEvent } from "../../telemetry/broadcast-event.ts";
import type { BroadcastOutput } from "../../broadcast/broadcast.ts";
import { SmallWorld, type SmallWorldOptions } from "./world.ts";

export const z = (epoch: number, counter: number): Zxid => zxid(epoch as Epoch, counter);

/** An ensemble that serves under `leader`. */
export function serving(leader: number, options: SmallWorldOptions): SmallWorld {
  const world = new SmallWorld(options);
  world.startAll();
  world.elect(leader);
  world.settle();
  return world;
}

export const writesOf = (world: SmallWorld, id: number): number[] =>
  world.at(id).service.executed.map(({ write }) => write);

export const outputsOf = <K extends BroadcastOutput["kind"]>(world: SmallWorld, id: number, kind: K) =>
  world
    .at(id)
    .outputs.filter((output): output is Extract<BroadcastOutput, { kind: K }> => output.kind === kind);

export const eventsOf = <K extends BroadcastEvent["kind"]>(world: SmallWorld, id: number, kind: K) =>
  outputsOf(world, id, "event")
    .map(({ event }) => event)
    .filter((event): event is Extract<BroadcastEvent, { kind: K }> => event.kind === kind);

/** The last word of why a server follows nobody. */
export const reasonAt = (world: SmallWorld, id: number): string | undefined =>
  outputsOf(world, id, "lost").at(-1)?.reason;
