/**
 * Where processes run: on machines, each with a network namespace of its own that outlives whatever runs in
 * it (so that the kernel of a killed process still sends its last packets, and a restarted one finds its
 * device again).
 */

import type { Duration } from "#node/core/time.ts";
import type { Label } from "../label.ts";

export interface Machine {
  readonly name: string;
  readonly site: string;
  readonly index: number;
  /** IPv4, the same for every process of the machine. */
  readonly address: string;
}

export interface ProcessPlan {
  readonly command: readonly [string, ...string[]];
  readonly environment?: Readonly<Record<string, string>>;
  /** A folder of the host, that the process sees under the same path. */
  readonly directory?: string;
  /** Where standard output and standard error go, appended. */
  readonly log: string;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface Usage {
  /** Processor time since the process started. */
  readonly processor: Duration;
  readonly residentBytes: number;
}

/** A process on a machine. */
export interface Running {
  readonly machine: Machine;
  readonly log: string;
  /** As this host knows it; null when it never came to be. */
  readonly pid: number | null;
  readonly exited: Promise<Exit>;
  /**
   * A process crash: its kernel closes its connections, and the packets that say so travel the emulated way.
   */
  kill(signal?: "SIGKILL" | "SIGTERM" | "SIGINT"): Promise<Exit>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  usage(): Promise<Usage | null>;
}

export interface Infrastructure extends AsyncDisposable {
  readonly kind: "netns" | "docker";
  readonly label: Label;
  readonly machines: ReadonlyMap<string, Machine>;
  /** The Node and the sources of this project, as processes on these machines see them. */
  readonly node: string;
  readonly source: string;
  /** For people: what the machines are made of. */
  readonly remark: string;
  /** The path of a machine's network namespace. */
  namespace(machine: Machine): string;
  /** A command prefix: what follows runs on this host, inside the machine's network namespace. */
  enter(machine: Machine): readonly string[];
  /** A command prefix: what follows may configure every machine's network. */
  readonly privileged: readonly string[];
  start(machine: Machine, plan: ProcessPlan): Promise<Running>;
  /** On this host, with the machine's network: what uses or watches the service, and is no part of it. */
  startOutside(machine: Machine, plan: ProcessPlan): Promise<Running>;
}
