/**
 * The znodes of one priority election, below one root, and what is written in them, as JSON.
 *
 *   election/<owner>-<life>-<session>-<number>   who stands; gone with its session
 *   nodes/<owner>-<life>-<session>               its description, { site, score }; gone with its session
 *   leader/elected   who shall lead, { member, previous, excluded, handover, rounds }; only ever set
 *   leader/current   who takes over or leads, { member, term, status }; gone with its session
 *   leader/last      who was ready last, { term, id, site }; written together with READY
 *   policy           what people want, { exclude, maintain, prefer }
 *
 * A member is its znode below `election`: who comes back under its old name is another. The version of
 * `elected` is the term.
 */

import { utf8Bytes, utf8String } from "../../core/utf8.ts";
import { type Acl, OPEN } from "../../wire/client/acl.ts";

import { below } from "../medium/way.ts";

export interface Layout {
  readonly election: string;
  readonly nodes: string;
  readonly leader: string;
  readonly elected: string;
  readonly current: string;
  readonly last: string;
  readonly policy: string;
  /** Who may do what with them. */
  readonly acl: readonly Acl[];
}

export function layoutOf(root: string, acl: readonly Acl[] = OPEN): Layout {
  const leader = below(root, "leader");
  return {
    election: below(root, "election"),
    nodes: below(root, "nodes"),
    leader,
    elected: `${leader}/elected`,
    current: `${leader}/current`,
    last: `${leader}/last`,
    policy: below(root, "policy"),
    acl,
  };
}

export interface Elected {
  /** A znode below `election`; null: nobody may lead. */
  readonly member: string | null;
  /** Who was ready before; null: nobody ever. */
  readonly previous: Former | null;
  /** Who did not become ready in this transition. */
  readonly excluded: readonly string[];
  /** Another had yet to give up when this was written. */
  readonly handover: boolean;
  /** How often all had failed in this transition, and it began again with the first. */
  readonly rounds: number;
}

export interface Former {
  readonly id: string;
  readonly site: string;
}

export const STATUS = ["PROGRESS", "READY", "FAILED"] as const;

export interface Current {
  readonly member: string;
  readonly term: number;
  readonly status: (typeof STATUS)[number];
}

export interface Last extends Former {
  readonly term: number;
}

export interface Policy {
  /** Members that shall not lead. */
  readonly exclude: readonly string[];
  /** Sites of which none shall lead. */
  readonly maintain: readonly string[];
  /** Members or sites that shall lead rather than others, best first. */
  readonly prefer: readonly string[];
}

export interface Description {
  readonly site: string;
  readonly score: number;
}

export const NOBODY: Elected = { member: null, previous: null, excluded: [], handover: false, rounds: 0 };
export const NEVER: Last = { term: -1, id: "", site: "" };
export const NO_POLICY: Policy = { exclude: [], maintain: [], prefer: [] };

/** `nodes/` has it under this name. */
export const describedAs = (standing: string): string => standing.slice(0, -"-0000000000".length);

/** The name that its process was given. */
export const idOf = (standing: string): string => standing.replace(/-[0-9a-f]{8}-\d+-\d{10}$/, "");

export const printed = (value: Elected | Current | Last | Policy | Description): Uint8Array =>
  utf8Bytes(JSON.stringify(value));

type Fields = Readonly<Record<string, unknown>>;

/** Null where it is not as it should be. */
export const readElected = (data: Uint8Array | null): Elected | null =>
  reading(data, ({ member, previous, excluded, handover, rounds = 0 }) =>
    (member === null || typeof member === "string") &&
    (previous === null || isFormer(previous)) &&
    areNames(excluded) &&
    typeof handover === "boolean" &&
    typeof rounds === "number"
      ? { member, previous, excluded, handover, rounds }
      : null,
  );

export const readCurrent = (data: Uint8Array | null): Current | null =>
  reading(data, ({ member, term, status: said }) => {
    const status = STATUS.find((each) => each === said);
    return typeof member === "string" && typeof term === "number" && status !== undefined
      ? { member, term, status }
      : null;
  });

export const readLast = (data: Uint8Array | null): Last | null =>
  reading(data, (fields) => {
    const { term } = fields;
    return typeof term === "number" && isFormer(fields) ? { term, id: fields.id, site: fields.site } : null;
  });

export const readPolicy = (data: Uint8Array | null): Policy | null =>
  reading(data, ({ exclude, maintain, prefer }) =>
    areNames(exclude) && areNames(maintain) && areNames(prefer) ? { exclude, maintain, prefer } : null,
  );

export const readDescription = (data: Uint8Array | null): Description | null =>
  reading(data, ({ site, score }) =>
    typeof site === "string" && typeof score === "number" ? { site, score } : null,
  );

function reading<T>(data: Uint8Array | null, read: (fields: Fields) => T | null): T | null {
  try {
    const value: unknown = JSON.parse((data === null ? null : utf8String(data)) ?? "");
    return typeof value === "object" && value !== null ? read(value as Fields) : null;
  } catch {
    return null;
  }
}

function isFormer(value: unknown): value is Former {
  if (typeof value !== "object" || value === null) return false;
  const { id, site } = value as Fields;
  return typeof id === "string" && typeof site === "string";
}

const areNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");
