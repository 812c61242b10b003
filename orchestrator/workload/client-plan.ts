/** What a process of write clients is told: the clients of one site, and where they may go. */

export interface ClientPlan {
  readonly site: string;
  /** The file of the schedule; arrivals of other sites' clients are not this process's. */
  readonly schedule: string;
  readonly clients: readonly PlannedClient[];
  readonly clientPort: number;
  /** Once it is there it holds when the load begins, in microseconds of the machine's monotonic clock. */
  readonly startFile: string;
  /** Where what became of each request is appended. */
  readonly operations: string;
  /** The load's length, and how long late answers are waited for after it; in microseconds. */
  readonly duration: number;
  readonly drain: number;
}

export interface PlannedClient {
  readonly id: number;
  /** The servers it may use, best first: its own, the others of its site, then the nearest. */
  readonly servers: readonly ServerPlace[];
}

export interface ServerPlace {
  readonly id: number;
  readonly host: string;
}

/** What the process prints when all its clients have a session and a znode. */
export const READY = "ready";

/** Where a client writes; the value begins with the id of the request. */
export const znodeOf = (client: number): string => `/client-${client}`;

/** Of the value that says which request wrote it. */
export const ID_BYTES = 4;
