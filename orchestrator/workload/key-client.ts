/**
 * A client that asks one thing after the other of keys and values, as every system of this kind has them,
 * whatever else it offers. What it learns is told so that the checks can read it.
 */

import type { Outcome } from "./operation.ts";

export interface KeySight {
  readonly value: string;
  /** From 0 when it was created, one more with every write. */
  readonly version: number;
  /** Of the change that wrote it. */
  readonly place: number;
}

export interface KeyAnswer {
  readonly outcome: Outcome;
  /** Why it was refused: there is no such key, there is one already, or it has another version. */
  readonly failure: "absent" | "exists" | "version" | "other" | null;
  /** Of a change, where it stands in the order of all; else how far the server was. Null when unknown. */
  readonly place: number | null;
  /** That a write made. */
  readonly version: number | null;
  /** What a read showed; null where there is no such key. */
  readonly sight: KeySight | null;
  /** What a list showed, without what all names begin with. */
  readonly names: readonly string[];
}

/** What one server holds: how far it is, and a line for every key. */
export interface KeyState {
  readonly place: number;
  readonly lines: readonly string[];
}

export interface KeyClient {
  /** Every connection is another: what is promised of one says nothing of the next. */
  readonly connection: number;
  /** `newest`: what a quorum has; else what the server has that is asked. */
  read(key: string, newest: boolean): Promise<KeyAnswer>;
  create(key: string, value: string): Promise<KeyAnswer>;
  /** `expected`: the version that it must have, or null where any will do. */
  write(key: string, value: string, expected: number | null): Promise<KeyAnswer>;
  remove(key: string, expected: number | null): Promise<KeyAnswer>;
  /** Of all keys that begin so, as a quorum has them. */
  list(prefix: string): Promise<KeyAnswer>;
  /** Null when it was not answered. */
  state(): Promise<KeyState | null>;
  /** To another server, if there is another. */
  move(): void;
  stop(): void;
}

export interface KeyClientPolicy {
  /** How long an answer is waited for before it goes on elsewhere. */
  readonly answerMs: number;
  /** How long a server may say nothing at all. */
  readonly patienceMs: number;
}

export type KeyClientOf = (
  places: readonly { readonly host: string; readonly port: number }[],
  first: number,
  policy: KeyClientPolicy,
) => KeyClient;
