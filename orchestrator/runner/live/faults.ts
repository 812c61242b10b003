/** Carries the faults of a plan out on processes and on the packets between machines. */

import { setTimeout as delay } from "node:timers/promises";
import type { ServerId } from "#node/core/identity.ts";
import { monotonic } from "#node/host/monotonic.ts";
import {
  type Clocks,
  changed,
  type Disks,
  type LinkChange,
  type Network,
  type Way,
} from "../../fault/abilities.ts";
import { carryOut, Faults } from "../../fault/carry-out.ts";
import type { Fault, TimedFault } from "../../fault/fault.ts";
import { printFault } from "../../fault/words.ts";
import type { Mark } from "../../recording/recording.ts";
import type { Machine } from "../../testbed/infrastructure/infrastructure.ts";
import type { Network as Packets } from "../../testbed/network/network.ts";
import type { Topology } from "../../topology/topology.ts";
import type { LiveServers } from "./servers.ts";

/** Node's timers come up to a millisecond late and more: the rest of the way is spun. */
const SPUN_MS = 3;

/** What faults are done to: a testbed, and its servers. */
export interface Afflicted {
  readonly topology: Topology;
  readonly machines: ReadonlyMap<string, Pick<Machine, "name" | "site">>;
  readonly network: Pick<Packets, "asked" | "cut" | "forget" | "heal" | "shape">;
  isolate(name: string): Promise<void>;
}

type Servers = Pick<LiveServers, "isRunning" | "kill" | "leader" | "pause" | "resume" | "start" | "transfer">;

export class LiveFaults {
  readonly marks: Mark[] = [];
  readonly #faults: Faults;

  /** `bent`: the servers' own disks and clocks. */
  constructor(testbed: Afflicted, servers: Servers, bent: Disks & Clocks, absent: readonly ServerId[]) {
    const on = { network: networkOf(testbed), processes: servers, disks: bent, clocks: bent };
    this.#faults = new Faults(testbed.topology, on, absent);
  }

  /** `origin` is when the load begins; resolves after the last fault. */
  async carryOut(faults: readonly TimedFault[], origin: number, signal: AbortSignal): Promise<void> {
    for (const { at, fault } of faults) {
      const due = origin + at;
      await delay(Math.max(0, (due - monotonic()) / 1e3 - SPUN_MS), undefined, { signal });
      // Whom it hits is looked up before, so that looking takes no time from the recovery.
      const servers = this.#faults.aimedAt(fault);
      while (monotonic() < due);
      this.marks.push({ at: monotonic() - origin, fault: printFault(fault), servers });
      await carryOut(this.#faults.lanes(fault, servers));
    }
  }

  /** At once. */
  async strikeByHand(fault: Fault, at: number): Promise<void> {
    const servers = this.#faults.aimedAt(fault);
    this.marks.push({ at, fault: printFault(fault), servers, byHand: true });
    await carryOut(this.#faults.lanes(fault, servers));
  }

  /** Whether there was anything to lift. */
  async lift(): Promise<boolean> {
    if (!this.#faults.isHolding) return false;
    await carryOut(this.#faults.lifted());
    return true;
  }
}

/** The packets between the machines of a testbed. `inFlight`: what becomes of those under way at a cut. */
export function networkOf(testbed: Afflicted, inFlight: () => "deliver" | "drop" = () => "deliver"): Network {
  const { machines, network } = testbed;
  const each = async (
    ways: readonly Way[],
    act: (from: string, to: string) => Promise<void>,
  ): Promise<void> => {
    await Promise.all(ways.map(([from, to]) => act(from, to)));
  };
  return {
    machines,
    cut: (ways) => each(ways, (from, to) => network.cut(from, to, inFlight())),
    heal: (ways) => each(ways, (from, to) => network.heal(from, to)),
    forget: (ways, which) => each(ways, (from, to) => network.forget(from, to, which)),
    change: (ways, change: LinkChange) =>
      each(ways, (from, to) => network.shape(from, to, changed(network.asked(from, to), change))),
    unplug: (server) => testbed.isolate(`p${server}`),
    plug: (_, ways) => each(ways, (from, to) => network.heal(from, to)),
  };
}
