/**
 * What goes wrong, as values: one vocabulary, whoever says it and wherever it is carried out.
 *
 * A fault is about one of four abilities: the network between machines, processes, their disks, their clocks.
 * Trials say when each happens, torture draws them; `carry-out.ts` does them to whatever has the abilities
 * (`abilities.ts`), and `words.ts` is how they are said and printed. Who the leader is turns out only when
 * the time comes, so a target is resolved by whoever carries the fault out.
 */

import type { ServerId } from "#node/core/identity.ts";
import type { Duration } from "#node/core/time.ts";
import type { Topology } from "../topology/topology.ts";

export type Target =
  | { readonly kind: "leader" }
  /** Whatever a fault has ended and nothing has started again. */
  | { readonly kind: "crashed" }
  | End;

/** What a link goes from and to. */
export type End =
  | { readonly kind: "server"; readonly server: ServerId }
  | { readonly kind: "site"; readonly site: string };

export type Fault = ProcessFault | Cut | Heal | Forget | LinkFault | DiskFault | ClockFault;

export interface ProcessFault {
  /** `transfer`: no trouble, an operator has its target lead. */
  readonly kind: "crash" | "crash-machine" | "leave" | "pause" | "resume" | "restart" | "transfer";
  readonly target: Target;
}

export interface Cut {
  readonly kind: "cut" | "cut-one-way";
  readonly from: Target;
  /** Null: everybody else. */
  readonly to: Target | null;
}

/** Both null: everything that was cut. */
export interface Heal {
  readonly kind: "heal";
  readonly from: Target | null;
  /** Null: everybody else. */
  readonly to: Target | null;
}

/**
 * A firewall forgets one connection of two servers: the one that carries what is large, or whichever speaks
 * next. Connections made later pass.
 */
export interface Forget {
  readonly kind: "forget-bulk" | "forget-any";
  readonly from: End;
  readonly to: End;
}

/** What packets meet between two ends, in both directions, from now on. */
export type LinkFault = { readonly from: End; readonly to: End } & (
  | { readonly kind: "link"; readonly roundTrip: Duration }
  /** 0 to 1, of all packets. */
  | { readonly kind: "loss" | "duplicate" | "corrupt"; readonly share: number }
  | { readonly kind: "rate"; readonly bitsPerSecond: number }
);

export type DiskFault = { readonly target: Target } & (
  | {
      readonly kind: "disk-full" | "disk-failing" | "disk-torn" | "disk-stuck" | "disk-wiped" | "disk-mended";
    }
  /** Each write takes so much longer. */
  | { readonly kind: "disk-slow"; readonly by: Duration }
);

/** `jump`: the time of day, either way. `leap`: the monotonic clock, which only ever goes ahead. */
export interface ClockFault {
  readonly kind: "clock-jump" | "clock-leap";
  readonly target: Target;
  readonly by: Duration;
}

export type FaultKind = Fault["kind"];
export type Ability = "network" | "process" | "disk" | "clock";

/** Every kind, by what it takes to carry it out. */
export const ABILITY_OF: Readonly<Record<FaultKind, Ability>> = {
  crash: "process",
  "crash-machine": "process",
  leave: "process",
  pause: "process",
  resume: "process",
  restart: "process",
  transfer: "process",
  cut: "network",
  "cut-one-way": "network",
  heal: "network",
  "forget-bulk": "network",
  "forget-any": "network",
  link: "network",
  loss: "network",
  rate: "network",
  duplicate: "network",
  corrupt: "network",
  "disk-full": "disk",
  "disk-failing": "disk",
  "disk-torn": "disk",
  "disk-slow": "disk",
  "disk-stuck": "disk",
  "disk-wiped": "disk",
  "disk-mended": "disk",
  "clock-jump": "clock",
  "clock-leap": "clock",
};

/** What a server's own disk or clock does: such servers run in a program that can be told to. */
export const bendsServers = (kind: FaultKind): boolean =>
  !OUTSIDE.has(kind) && ["disk", "clock"].includes(ABILITY_OF[kind]);

/** Done to a disk, whoever has it; and what ends whatever was done. */
const OUTSIDE: ReadonlySet<FaultKind> = new Set(["disk-wiped", "disk-stuck", "disk-mended"]);

export interface TimedFault {
  /** Since the load began. */
  readonly at: Duration;
  readonly fault: Fault;
}

/** The servers a target means just now. */
export function serversOf(
  target: Target,
  now: {
    readonly topology: Topology;
    readonly leader: ServerId | null;
    readonly crashed: readonly ServerId[];
  },
): readonly ServerId[] {
  switch (target.kind) {
    case "leader":
      return now.leader === null ? [] : [now.leader];
    case "crashed":
      return now.crashed;
    case "server":
      return [target.server];
    case "site":
      return now.topology.sites.get(target.site)?.servers ?? [];
  }
}
