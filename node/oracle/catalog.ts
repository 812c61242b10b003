/**
 * Every oracle there is, by the name a user gives. A new one is a file and a line here; one that need not
 * stay can be handed in as a module by path instead.
 */

import type { ServerId } from "../core/identity.ts";
import { consensus } from "./consensus.ts";
import { history } from "./history.ts";
import { latency } from "./latency.ts";
import type { Oracle } from "./oracle.ts";
import { preference } from "./preference.ts";
import { request } from "./request.ts";
import { rotating } from "./rotating.ts";
import { worstCase } from "./worst-case.ts";

/** What any oracle may be told; each takes what it knows of. */
export interface OracleOptions {
  /** Best first. */
  readonly preference: readonly ServerId[];
}

export interface OracleEntry {
  create(options: OracleOptions): Oracle;
  /** As the paper writes it, where it does (Table 1). */
  readonly symbol: string;
  readonly summary: string;
}

export const oracles = {
  history: {
    create: () => history,
    symbol: "theta_z",
    summary: "the longest history: least to fetch on recovery",
  },
  request: {
    create: () => request,
    symbol: "theta_r",
    summary: "the most client requests: least to forward",
  },
  consensus: {
    create: () => consensus,
    symbol: "theta_c",
    summary: "the shortest round trip to a quorum",
  },
  latency: {
    create: () => latency,
    symbol: "theta_l",
    summary: "the shortest mean latency of writes, as clients are now",
  },
  "worst-case": {
    create: () => worstCase,
    symbol: "theta_w",
    summary: "the shortest latency for the client that is worst off",
  },
  rotating: { create: () => rotating, symbol: "", summary: "the next id, round by round" },
  preference: {
    create: (options) => preference(options.preference),
    symbol: "",
    summary: "the first of a list of servers that lives",
  },
} as const satisfies Record<string, OracleEntry>;

export type OracleName = keyof typeof oracles;
