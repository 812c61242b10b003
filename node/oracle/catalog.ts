/**
 * Every oracle there is, by the name a user gives. A new one is a file and a line here; one that need not
 * stay can be handed in as a module by path instead.
 */

import { composite, USUAL_CRITERIA } from "./composite.ts";
import { consensus } from "./consensus.ts";
import { history } from "./history.ts";
import { hysteresis, USUAL_HYSTERESIS } from "./hysteresis.ts";
import { latency } from "./latency.ts";
import { byOffer } from "./offered.ts";
import type { OracleOptions } from "./options.ts";
import type { Oracle } from "./oracle.ts";
import { preference } from "./preference.ts";
import { recovery } from "./recovery.ts";
import { relocatedLatency, relocatedWorstCase } from "./relocated.ts";
import { request } from "./request.ts";
import { rotating } from "./rotating.ts";
import { site } from "./site.ts";
import { worstCase } from "./worst-case.ts";

export interface OracleEntry {
  create(options: OracleOptions): Oracle;
  /** As the paper writes it, where it does (Table 1). */
  readonly symbol: string;
  readonly summary: string;
  /** The one of its options without which it cannot judge. */
  readonly needs?: "preference" | "sites";
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
    needs: "preference",
  },
  "relocated-latency": {
    create: () => relocatedLatency,
    symbol: "",
    summary: "as latency, with the dead leader's clients where they will be",
  },
  "relocated-worst-case": {
    create: () => relocatedWorstCase,
    symbol: "",
    summary: "as worst-case, with the dead leader's clients where they will be",
  },
  recovery: {
    create: () => recovery,
    symbol: "",
    summary: "the soonest to serve: promises, history to fetch and to bring, over what distance",
  },
  composite: {
    create: ({ criteria = USUAL_CRITERIA }) => composite(criteria),
    symbol: "",
    summary: "several of those that are times, weighed or in turn with a tolerance: --criteria",
  },
  site: {
    create: ({ sites = [], struck = [] }) => site(sites, struck),
    symbol: "",
    summary: "the first of a list of sites, within it the shortest mean latency: --sites, --struck",
    needs: "sites",
  },
  hysteresis: {
    create: (options) => hysteresis(options.hysteresis ?? USUAL_HYSTERESIS),
    symbol: "",
    summary: "another one, in which who led last is beaten by a margin only: --hysteresis",
  },
} as const satisfies Record<string, OracleEntry>;

export type OracleName = keyof typeof oracles;

export const oracleNames = Object.keys(oracles) as OracleName[];

const entryOf = (name: OracleName): OracleEntry => oracles[name];

/** Those that judge by what servers know, with nothing said by a person. */
export const unaidedOracles: readonly OracleName[] = oracleNames.filter(
  (name) => entryOf(name).needs === undefined,
);

export const needsOf = (name: OracleName): OracleEntry["needs"] => entryOf(name).needs;

export function createOracle(name: OracleName, options: OracleOptions): Oracle {
  const oracle = entryOf(name).create(options);
  return options.requests === "offered" ? byOffer(oracle) : oracle;
}
