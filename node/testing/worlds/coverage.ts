/**
 * What a world has reached: which faults struck, which ways servers, stores and clients went because of them.
 * A swarm that never meets a rare end proves nothing about it, so it tells in how many worlds each was met.
 */

import type { ServerId } from "../../core/identity.ts";
import type { ServerOutput, ServerProtocol } from "../../front/server.ts";
import type { Observer } from "../../host/virtual/ensemble.ts";
import type { Guest } from "./guest.ts";
import type { SecondHandle } from "./handle.ts";
import type { Leases } from "./leases.ts";
import type { ServerStage } from "./stage.ts";
import type { ServerWorld } from "./world.ts";

export type Reached = Readonly<Record<string, number>>;

export class Coverage {
  readonly #reached = new Map<string, number>();

  readonly observer: Observer<ServerProtocol> = {
    output: (_, output) => this.#heard(output),
    input: (_, input) => {
      if (input.kind === "start" && input.recovered.snapshot !== null)
        this.note("life: began with a snapshot");
      if (input.kind === "message" && input.message.part === "broadcast")
        this.#sent(input.message.message.kind);
    },
    crashed: (_: ServerId, reason: string) =>
      this.note(`death: ${reason.replace(/^[^:]*: (?=E[A-Z]+:)/, "").replace(/\d{10}/, "n")}`),
  };

  note(what: string, times = 1): void {
    if (times > 0) this.#reached.set(what, (this.#reached.get(what) ?? 0) + times);
  }

  /** At the end of a world. */
  sum(
    world: ServerWorld,
    stage: ServerStage,
    guests: readonly Guest[],
    leases: Leases,
    holds: readonly SecondHandle[],
  ): Reached {
    for (const server of world.servers) {
      for (const [what, times] of Object.entries(stage.disk(server).seen)) this.note(`disk: ${what}`, times);
    }
    this.note("session: its end judged", leases.judged);
    this.note(
      "session: taken by a second hold",
      holds.reduce((sum, { taken }) => sum + taken, 0),
    );
    const { crowd, hides, asksWho } = world.features;
    if (crowd !== null) this.note("clients: a crowd that leaves");
    if (hides) this.note("clients: hide a znode");
    if (asksWho) this.note("clients: ask who the servers are");
    for (const { counts } of guests) {
      for (const [what, times] of Object.entries(counts)) this.note(`client: ${what}`, times);
    }
    return Object.fromEntries([...this.#reached].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #sent(kind: string): void {
    if (RARE_MESSAGES.has(kind)) this.note(`message: ${kind}`);
  }

  #heard(output: ServerOutput): void {
    if (output.kind === "event") {
      if (RARE_EVENTS.has(output.event.kind)) this.note(`event: ${output.event.kind}`);
    } else if (output.kind === "close") this.note(`server closes: ${output.reason}`);
    else if (output.kind !== "send") this.note(`server: ${output.kind}`);
  }
}

const RARE_EVENTS: ReadonlySet<string> = new Set(["lost", "pulling", "pulled", "parted", "checkpoint"]);
const RARE_MESSAGES: ReadonlySet<string> = new Set([
  "refuse",
  "leave",
  "pull",
  "pulled",
  "truncate",
  "snapshot",
  "wait",
  "forward",
  "sync",
  "confirm",
]);
