/**
 * Where a virtual server keeps its records: a disk that holds them as they are, or the store that ships on a
 * disk that pretends.
 */

import type { LogRecord, Recovered } from "../../core/record.ts";

/** A process is killed, and its kernel lives; or the power fails. */
export type Death = "process" | "machine";

export interface StorageUser {
  /** So many of this life's records are safe. */
  durable(upTo: number): void;
  failed(reason: string): void;
}

/** `offset` where the damage is, as far as that is known. */
export type Reopened =
  | { readonly ok: true; readonly recovered: Recovered }
  | { readonly ok: false; readonly offset: number; readonly reason: string };

export interface Storage {
  /**
   * Reads what is there and serves `user` from now on. What needs time for it says so by a promise, which is
   * kept in virtual time, and never if the life ends before.
   */
  open(user: StorageUser): Reopened | Promise<Reopened>;
  append(records: readonly LogRecord[]): void;
  /** Nothing more is appended just now: what waits may be written together. */
  flush(): void;
  crash(how: Death): void;
}
