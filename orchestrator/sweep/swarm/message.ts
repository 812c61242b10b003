/** What a task on a node and the desk of a sweep say to each other: one JSON document there, one back. */

import type { Cell } from "../cell.ts";
import { COLUMNS, type Row } from "../row.ts";

export interface Question {
  /** Of a task: drawn by itself when it begins. */
  readonly who: string;
  /** The name of its node, for people. */
  readonly node: string;
  /** Higher than all before. */
  readonly number: number;
  readonly says: Says;
}

export type Says =
  | { readonly kind: "take"; readonly count: number }
  | { readonly kind: "row"; readonly row: Row }
  | { readonly kind: "lost"; readonly id: string; readonly reason: string }
  /** It cannot work here at all, and ends. */
  | { readonly kind: "unable"; readonly reason: string }
  | { readonly kind: "alive" }
  /** It was told to end. */
  | { readonly kind: "leave" };

export interface Answer {
  readonly cells: readonly Cell[];
  /** Nobody needs it any more. */
  readonly isOver: boolean;
}

/** What the swarm's config gives each task. */
export interface TaskTerms {
  readonly address: string;
  readonly port: number;
  /** Of the code that cells are named by. */
  readonly sources: string;
  /** Null: as many as there are processors. */
  readonly workers: number | null;
}

export const CONFIG_FILE = "/run/polebench/sweep.json";
export const SECRET_FILE = "/run/secrets/polebench-sweep";
export const HEADER = "polebench-proof";

/** Null where it is none. What it says was proved, so this only guards against another version. */
export function readQuestion(body: string): Question | null {
  const value = parsed(body) as Partial<Question> | null;
  if (typeof value !== "object" || value === null) return null;
  const { who, node, number, says } = value;
  if (typeof who !== "string" || typeof node !== "string" || !Number.isSafeInteger(number)) return null;
  return isSaid(says) ? (value as Question) : null;
}

function isSaid(says: Says | undefined): boolean {
  switch (says?.kind) {
    case "take":
      return Number.isInteger(says.count) && says.count > 0 && says.count <= MOST_CELLS;
    case "row":
      return COLUMNS.every((name) => {
        const value = says.row?.[name];
        return value === null || typeof value === "string" || typeof value === "number";
      });
    case "lost":
      return typeof says.id === "string" && typeof says.reason === "string";
    case "unable":
      return typeof says.reason === "string";
    case "alive":
    case "leave":
      return true;
    case undefined:
      return false;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const MOST_CELLS = 4096;
