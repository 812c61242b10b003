/**
 * What is done to the ensemble while clients write, and when: values on a timeline.
 *
 * A fault is said the way one would say it aloud, `60s crash leader`, and means the same wherever a trial
 * runs. Who the leader is turns out only when the time comes, so a target is resolved by whoever carries the
 * fault out.
 *
 *   60s crash leader           its process dies, its machine lives: others notice at once
 *   60s crash-machine p4       its links are cut first: others notice when it stays silent
 *   60s pause site:slac        all processes of a site stand still, until `resume`
 *   90s restart crashed        everything that was crashed comes back with what its disk kept
 *   60s cut p1 p4              no packet passes between them, in either direction
 *   60s cut leader             it is cut off from all other servers; its clients still reach it
 *   60s cut site:fnal          the site is cut off from all others, its clients with it
 *   60s cut-one-way p1 p4      packets from p1 to p4 are lost, those from p4 to p1 pass
 *   80s heal                   all cuts end
 *   60s link slac fnal 100ms   the round-trip time between two sites changes, its jitter in proportion
 */

import type { ServerId } from "#node/core/identity.ts";
import { serverId } from "#node/core/identity.ts";
import type { Duration } from "#node/core/time.ts";
import type { Topology } from "../topology/topology.ts";
import { suggestion } from "../terminal/problem.ts";
import { DURATION, duration } from "../topology/quantity.ts";

export type Target =
  | { readonly kind: "leader" }
  /** Whatever a fault has crashed and not restarted. */
  | { readonly kind: "crashed" }
  | { readonly kind: "server"; readonly server: ServerId }
  | { readonly kind: "site"; readonly site: string };

export type Fault =
  | { readonly kind: "crash" | "crash-machine" | "pause" | "resume" | "restart"; readonly target: Target }
  | Cut
  | { readonly kind: "heal" }
  | { readonly kind: "link"; readonly from: string; readonly to: string; readonly roundTrip: Duration };

export interface Cut {
  readonly kind: "cut" | "cut-one-way";
  readonly from: Target;
  /** Null: everybody else. */
  readonly to: Target | null;
}

export interface TimedFault {
  /** Since the load began. */
  readonly at: Duration;
  readonly fault: Fault;
}

/** The servers a target means just now. */
export function serversOf(
  target: Target,
  now: {
    readonly topology: Topology;
    readonly leader: ServerId | null;
    readonly crashed: readonly ServerId[];
  },
): readonly ServerId[] {
  switch (target.kind) {
    case "leader":
      return now.leader === null ? [] : [now.leader];
    case "crashed":
      return now.crashed;
    case "server":
      return [target.server];
    case "site":
      return now.topology.sites.get(target.site)?.servers ?? [];
  }
}

/** The fault, or what is wrong with the words. */
export function parseFault(text: string, topology: Topology): TimedFault | string {
  const [when = "", verb = "", ...operands] = text.trim().split(/\s+/);
  if (!DURATION.test(when)) return `"${text}" begins with no time such as 60s`;
  const at = duration(when);
  const wrongCount = `"${text}": ${verb} takes ${OPERANDS[verb] ?? "other words"}`;
  switch (verb) {
    case "crash":
    case "crash-machine":
    case "pause":
    case "resume":
    case "restart": {
      if (operands.length !== 1) return wrongCount;
      const target = parseTarget(operands[0] ?? "", topology);
      return typeof target === "string" ? target : { at, fault: { kind: verb, target } };
    }
    case "cut":
    case "cut-one-way": {
      if (operands.length < 1 || operands.length > 2) return wrongCount;
      const from = parseTarget(operands[0] ?? "", topology);
      const to = operands[1] === undefined ? null : parseTarget(operands[1], topology);
      if (typeof from === "string") return from;
      if (operands[0] === operands[1]) return `"${text}" cuts ${operands[0]} off from itself`;
      return typeof to === "string" ? to : { at, fault: { kind: verb, from, to } };
    }
    case "heal":
      return operands.length === 0 ? { at, fault: { kind: "heal" } } : wrongCount;
    case "link": {
      const [from = "", to = "", rtt = ""] = operands;
      if (operands.length !== 3) return wrongCount;
      for (const site of [from, to]) if (!topology.sites.has(site)) return unknownSite(site, topology);
      if (from === to) return `"${text}" links ${from} to itself`;
      return DURATION.test(rtt)
        ? { at, fault: { kind: "link", from, to, roundTrip: duration(rtt) } }
        : `"${rtt}" is no round-trip time such as 100ms`;
    }
    default:
      return `"${verb}" is no fault${suggestion(verb, Object.keys(OPERANDS))}`;
  }
}

export function printFault(fault: Fault): string {
  switch (fault.kind) {
    case "cut":
    case "cut-one-way":
      return [fault.kind, printTarget(fault.from), fault.to === null ? "" : printTarget(fault.to)]
        .join(" ")
        .trim();
    case "heal":
      return "heal";
    case "link":
      return `link ${fault.from} ${fault.to} ${fault.roundTrip / 1e3}ms`;
    default:
      return `${fault.kind} ${printTarget(fault.target)}`;
  }
}

export const printTimedFault = ({ at, fault }: TimedFault): string => `${at / 1e6}s ${printFault(fault)}`;

function parseTarget(text: string, topology: Topology): Target | string {
  if (text === "leader" || text === "crashed") return { kind: text };
  if (text.startsWith("site:")) {
    const site = text.slice("site:".length);
    return topology.sites.has(site) ? { kind: "site", site } : unknownSite(site, topology);
  }
  const server = [...topology.servers.keys()].find((id) => `p${id}` === text);
  if (server !== undefined) return { kind: "server", server: serverId(server) };
  const valid = ["leader", "crashed", ...[...topology.servers.keys()].map((id) => `p${id}`)];
  return `"${text}" is nothing to aim at${suggestion(text, [...valid, "site:NAME"])}`;
}

const unknownSite = (site: string, topology: Topology): string =>
  `unknown site "${site}"${suggestion(site, [...topology.sites.keys()])}`;

function printTarget(target: Target): string {
  switch (target.kind) {
    case "server":
      return `p${target.server}`;
    case "site":
      return `site:${target.site}`;
    default:
      return target.kind;
  }
}

const OPERANDS: Readonly<Record<string, string>> = {
  crash: "one target",
  "crash-machine": "one target",
  pause: "one target",
  resume: "one target",
  restart: "one target",
  cut: "one target or two",
  "cut-one-way": "one target or two",
  heal: "nothing",
  link: "two sites and a round-trip time",
};
