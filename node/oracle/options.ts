/**
 * What can be chosen about oracles, as one writes it. A function here gives what was meant, or a sentence
 * that says what would be right.
 */

import { type ServerId, serverId } from "../core/identity.ts";
import { microseconds } from "../core/time.ts";
import { type Criteria, USUAL_CRITERIA } from "./composite.ts";
import { type Hysteresis, USUAL_HYSTERESIS } from "./hysteresis.ts";
import type { RankedSite } from "./site.ts";
import { isTimed, type TimedName, timedOracles } from "./timed-catalog.ts";

/** What any oracle may be told; each takes what it knows of. */
export interface OracleOptions {
  /** Best first. */
  readonly preference: readonly ServerId[];
  readonly criteria?: Criteria;
  /** Best first. */
  readonly sites?: readonly RankedSite[];
  readonly struck?: readonly ServerId[];
  readonly hysteresis?: Hysteresis;
  /** Which requests count: those that servers got, or what their clients offer. */
  readonly requests?: Requests;
}

export const REQUESTS = ["sent", "offered"] as const;
type Requests = (typeof REQUESTS)[number];

/** As a person writes them; what is missing is as usual. */
export interface OracleTexts {
  readonly criteria?: string | undefined;
  readonly sites?: string | undefined;
  readonly struck?: string | undefined;
  readonly hysteresis?: string | undefined;
  readonly requests?: string | undefined;
}

/** Or what is wrong with one of them, which it names. */
export function readOptions(preference: readonly ServerId[], texts: OracleTexts): OracleOptions | string {
  const [criteria, sites, struck, hysteresis, requests] = [
    readCriteria(texts.criteria ?? ""),
    readSites(texts.sites ?? ""),
    readStruck(texts.struck ?? ""),
    readHysteresis(texts.hysteresis ?? ""),
    readRequests(texts.requests ?? ""),
  ];
  if (typeof criteria === "string") return `criteria: ${criteria}`;
  if (typeof sites === "string") return `sites: ${sites}`;
  if (typeof struck === "string") return `struck: ${struck}`;
  if (typeof hysteresis === "string") return `hysteresis: ${hysteresis}`;
  if (requests === null) return `requests: "${texts.requests}" is neither ${REQUESTS.join(" nor ")}`;
  return { preference, criteria, sites, struck, hysteresis, requests };
}

const readRequests = (text: string): Requests | null =>
  text === "" ? "sent" : (REQUESTS.find((one) => one === text) ?? null);

const TIMED = Object.keys(timedOracles).join(", ");

const named = (name: string): TimedName | null => (isTimed(name) ? name : null);

/** `latency:5%,recovery`: in turn, or `latency:0.7,worst-case:0.3`: weighed. */
export function readCriteria(text: string): Criteria | string {
  if (text === "") return USUAL_CRITERIA;
  const items = text.split(",").map((item) => item.trim().split(":"));
  const isWeighed = items.every(([, amount = ""]) => /^[0-9]*\.?[0-9]+$/.test(amount));
  const weights: { of: TimedName; weight: number }[] = [];
  const turns: { of: TimedName; tolerance: number }[] = [];
  for (const [name = "", amount = ""] of items) {
    const of = named(name);
    if (of === null) return `"${name}" is none of ${TIMED}`;
    if (isWeighed) weights.push({ of, weight: Number(amount) });
    else {
      const tolerance = amount === "" ? 0 : readShare(amount);
      if (tolerance === null) return `"${amount}" is no tolerance such as 5%, nor are all of them weights`;
      turns.push({ of, tolerance });
    }
  }
  return isWeighed ? { kind: "weighed", weights } : { kind: "in turn", turns };
}

/** `tud=1+3,cern=2+4+5`: best first. */
export function readSites(text: string): readonly RankedSite[] | string {
  if (text === "") return [];
  const sites: RankedSite[] = [];
  for (const item of text.split(",")) {
    const [, name = "", ids = ""] = /^\s*([^=]+)=([0-9+]+)\s*$/.exec(item) ?? [];
    const servers = readIds(ids.split("+"));
    if (name === "" || servers === null) return `"${item}" is no site with its servers, such as tud=1+3`;
    sites.push({ name, servers });
  }
  return sites;
}

/** `2,5`. */
export function readStruck(text: string): readonly ServerId[] | string {
  const servers = text === "" ? [] : readIds(text.split(","));
  return servers ?? `"${text}" is no list of servers such as 2,5`;
}

/** `latency:10%:5s`: of which oracle, by what margin, and since when a server must be awake. */
export function readHysteresis(text: string): Hysteresis | string {
  if (text === "") return USUAL_HYSTERESIS;
  const [name = "", margin = "10%", steady = "10s"] = text.split(":");
  const of = named(name);
  const share = readShare(margin);
  const [, digits, unit] = /^([0-9]+(?:\.[0-9]+)?)(ms|s|m)$/.exec(steady) ?? [];
  if (of === null) return `"${name}" is none of ${TIMED}`;
  if (share === null || digits === undefined) return `"${text}" is not as in latency:10%:5s`;
  return { of, margin: share, steady: microseconds(Number(digits) * (MICROSECONDS[unit ?? ""] ?? 0)) };
}

function readIds(items: readonly string[]): readonly ServerId[] | null {
  const ids = items.map((item) => Number(item.trim()));
  return ids.every((id) => Number.isInteger(id) && id >= 1 && id <= 255) ? ids.map(serverId) : null;
}

function readShare(text: string): number | null {
  const [, digits] = /^([0-9]+(?:\.[0-9]+)?)%$/.exec(text) ?? [];
  return digits === undefined ? null : Number(digits) / 100;
}

const MICROSECONDS: Readonly<Record<string, number>> = { ms: 1e3, s: 1e6, m: 60e6 };
