/**
 * A system under test, as everything that tests one sees it: how one server of it is furnished and started,
 * what its log tells, where it runs, and what it promises, so that no check asks more of it.
 *
 * A new system is a folder beside this file and a line in `catalog.ts`. Nothing else knows a system's name.
 */

import { join } from "node:path";
import type { ServerId } from "#node/core/identity.ts";
import type { OracleTexts } from "#node/oracle/options.ts";
import type { Duration } from "#node/core/time.ts";
import type { ElectionChoice } from "#node/election/catalog.ts";
import type { ReplicaEvent } from "#node/telemetry/event.ts";
import type { Ability, TimedFault } from "../fault/fault.ts";
import type { Topology } from "../topology/topology.ts";
import type { KeyClientOf } from "../workload/key-client.ts";
import type { Workload } from "../workload/workload.ts";

export interface System {
  /** As one asks for it, and as folders and tables call it. */
  readonly name: string;
  /** As sentences call it. */
  readonly title: string;
  /** Whose choice its leader is: an oracle's of the plan, or its own election's. */
  readonly elects: "by oracle" | "its own way";
  /** Where trials of it can run. */
  readonly runtimes: readonly string[];
  /** Its log tells of the first commit of an epoch, so its events can account for an outage. */
  readonly tellsFirstCommit: boolean;
  /** An operator may have a server of choice lead, while another does. */
  readonly handsOver: boolean;
  /** Beyond its machine: whether its own disk and clocks can be made to go wrong. */
  readonly bends: readonly Ability[];
  readonly promises: Promises;
  /** What its clients speak; whoever speaks only one of these can be a client of no other. */
  readonly protocol: "ZooKeeper" | "etcd";
  readonly speakers: Speakers;
  readonly torture: TortureTerms;
  /** How many requests one of so many servers has under way before it stops taking more; null: any. */
  admits(servers: number): number | null;
  /** As it calls itself; null where it has none. */
  version(): string | null;
  /** What must be installed before it can run here, as a sentence for people, or null. */
  missing(): string | null;
  /** Writes what a server finds when it starts, into its home. */
  furnish(seat: Seat): void;
  /** Runs one server of that home in the foreground. */
  command(home: string): readonly [program: string, ...args: string[]];
  /** What the server is to its ensemble, or null while it serves nobody. */
  mode(place: Place): Promise<Mode | null>;
  /** Throws `CannotRun`, for people, where it cannot do what the trial asks. */
  trial(setting: TrialSetting): SystemTrial;
}

/** A program of ours, which is told what to do by one more argument. */
export type Program = readonly [program: string, ...args: string[]];

/** The programs that speak its clients' protocol. */
export interface Speakers {
  /** The write clients of one site, of each kind there is: told the file of a `ClientPlan`. */
  readonly writers: Readonly<Partial<Record<Workload["client"], Program>>>;
  /** Told a `ReadBackPlan`; prints a `FinalState` of each server. */
  readonly readBack: Program;
  /** Told a `LoadPlan`; prints `LoadLine`s. */
  readonly load: Program;
}

export type Mode = "leader" | "follower" | "observer" | "standalone";

export interface Place {
  readonly id: number;
  /** This machine, when nothing is said. */
  readonly host?: string;
  readonly clientPort: number;
  /** Where followers connect to their leader. */
  readonly quorumPort: number;
  readonly electionPort: number;
}

/** More settings of a server, or others than its defaults, as the system itself calls them. */
export type Settings = Readonly<Record<string, string | number>>;

/** Where one server lives, among whom. */
export interface Seat {
  readonly place: Place;
  readonly all: readonly Place[];
  readonly home: string;
  readonly data: string;
  readonly settings: Settings;
}

/** What holds of it at any time, beyond what holds of everything that calls itself a coordination service. */
export interface Promises {
  /** A read behind a sync is new also while two believe that they lead. */
  readonly syncIsLinearizable: boolean;
  /** What a client has under way takes effect, and is answered, in the order in which it was asked. */
  readonly clientOrder: boolean;
  /** It serves within two session timeouts when all is mended, and no server ends by itself. */
  readonly goesOn: boolean;
}

/** What torture has to know. */
export interface TortureTerms {
  /** `tickMs` is ZooKeeper's: half of a heartbeat's time, a fifth of how long a peer may be silent. */
  settings(tickMs: number): Settings;
  /** A server whose disk is new may come back as the one that it was. */
  readonly returnsWithNewDisk: boolean;
  /** Who keeps keys without sessions is asked by this client. */
  readonly keyClient: KeyClientOf | null;
  readonly diskMib: number;
  /** After which time somebody starts a server anew that ended by itself; null where nobody does. */
  readonly startedAnewMs: number | null;
  /** The command with what torture needs beside. */
  command(home: string): readonly [program: string, ...args: string[]];
}

export const CLIENT_PORT = 2181;
export const PEER_PORT = 2888;

/** Where one server of a trial lives, below the run's folder. */
export const homeOf = (folder: string, server: number): string => join(folder, `p${server}`);

/** One trial's ensemble, each server on a machine of its own. */
export interface SystemTrial {
  /** Who is started first, so that the first leader leads; the others when `isAhead` of its log. */
  readonly vanguard: readonly ServerId[];
  isAhead(log: string): boolean;
  /** Who is started first leads, and else it is handed over once all serve. */
  readonly firstLeads: boolean;
  /**
   * Has servers lead, on any of their machines (`hand-over.ts`); null where that cannot be done, or nobody
   * will.
   */
  readonly handOver: readonly string[] | null;
  /** Writes what a server finds when it starts. */
  prepare(): Promise<void>;
  /** `first`: in the ensemble's first election, of which the plan says how it ends. */
  command(server: ServerId, first: boolean): readonly string[];
  /** Between two lives: nothing is left on its disk but what a new server finds. */
  wipe(server: ServerId): void;
  readonly environment: Readonly<Record<string, string>>;
  /** `origin` is when the load began, on the machine's monotonic clock. */
  reader(server: ServerId, origin: number): LogReader;
}

/** Reads a log piece by piece, whole lines each, from its beginning on. */
export type LogReader = (lines: string) => readonly RecordedEvent[];

/** Microseconds since the load began. */
export interface RecordedEvent {
  readonly at: number;
  readonly server: number;
  readonly event: ReplicaEvent;
}

export interface TrialSetting {
  readonly terms: TrialTerms;
  /** Of the run; a server's own is below it. */
  readonly folder: string;
  readonly addressOf: (server: ServerId) => string;
  /** Where servers run: their Node and this project's sources. */
  readonly node: string;
  readonly source: string;
}

/** What of a plan concerns the servers. */
export interface TrialTerms {
  readonly topology: Topology;
  readonly runtime: string;
  readonly election: ElectionChoice;
  readonly oracle: {
    readonly name: string;
    readonly preference: readonly ServerId[];
    readonly options?: OracleTexts | undefined;
    readonly module: string | null;
  };
  readonly resign?: string | undefined;
  readonly heartbeat: Duration;
  readonly firstLeader: ServerId;
  readonly state: {
    readonly bytes: number;
    readonly absent: readonly ServerId[];
    readonly historyBytes: number;
  } | null;
  readonly faults: readonly TimedFault[];
  /** Somebody may have another lead: the plan, or whoever looks on. */
  readonly isMoved: boolean;
}
