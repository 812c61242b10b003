/**
 * From what a person asks for to a plan, or to a sentence for each thing that cannot be.
 *
 * Everything is checked before anything is started: a trial that would fail after ten minutes because of a
 * letter is refused in the first.
 */

import { unreachable } from "#node/core/assert.ts";
import type { ServerId } from "#node/core/identity.ts";
import { type Duration, milliseconds, seconds } from "#node/core/time.ts";
import { contradictions } from "#node/election/assumptions.ts";
import {
  choose,
  DEFAULT_ELECTION,
  type ElectionChoice,
  entryOf,
  flawOfChoice,
} from "#node/election/catalog.ts";
import { misplaced, type OptionName, options } from "#node/election/option-catalog.ts";
import {
  flagOf,
  flawOfOrder,
  type Option,
  parseOrder,
  SWITCHED,
  type Value,
} from "#node/election/options.ts";
import { createOracle, oracleNames } from "#node/oracle/catalog.ts";
import { readResign } from "#node/oracle/resignation.ts";
import type { TimedFault } from "../fault/fault.ts";
import { parseFault, printTimedFault } from "../fault/words.ts";
import { DEFAULT_SYSTEM, SYSTEM_NAMES, SYSTEMS } from "../system/catalog.ts";
import { loadTopology, type Topology, withLoad } from "../topology/topology.ts";
import { RefusedInput, suggestion } from "../terminal/problem.ts";
import { DURATION, duration } from "../topology/quantity.ts";
import { shortestTour } from "../topology/tour.ts";
import { MAX_RATE_PER_SITE, type Workload } from "../workload/workload.ts";
import { beyondServers, ELECTION_NAMES, surroundingsOf } from "./election-plan.ts";
import { beyondReach } from "./fault-terms.ts";
import { oraclePlan, oracleTexts } from "./oracle-plan.ts";
import {
  DEFAULT_HEARTBEAT,
  DEFAULT_PAYLOAD_BYTES,
  DEFAULT_PHASES,
  DEFAULT_RATE,
  hurts,
  type OraclePlan,
  type Phases,
  QUICK_PHASES,
  type Runtime,
  type ServicePlan,
} from "./plan.ts";

/** What elections can be told. */
type OptionFlags = { readonly [Name in OptionName]?: string | undefined };

/** As given on the command line; what is missing or empty has its default. */
export interface TrialFlags extends OptionFlags {
  readonly topology?: string | undefined;
  readonly oracle?: string | undefined;
  readonly preference?: string | undefined;
  readonly criteria?: string | undefined;
  readonly sites?: string | undefined;
  readonly struck?: string | undefined;
  readonly hysteresis?: string | undefined;
  readonly requests?: string | undefined;
  readonly resign?: string | undefined;
  readonly election?: string | undefined;
  readonly system?: string | undefined;
  readonly duration?: string | undefined;
  readonly warmUp?: string | undefined;
  readonly settle?: string | undefined;
  readonly killAt?: string | undefined;
  readonly fault?: readonly string[] | undefined;
  readonly rate?: string | undefined;
  readonly arrivals?: string | undefined;
  readonly payload?: string | undefined;
  readonly client?: string | undefined;
  readonly load?: string | undefined;
  readonly heartbeat?: string | undefined;
  readonly firstLeader?: string | undefined;
  readonly seed?: string | undefined;
  readonly quick?: boolean | undefined;
}

/** Throws a RefusedInput with one line for each problem. */
export function planTrial(flags: TrialFlags, runtime: Runtime): ServicePlan {
  const reading = new Reading();
  const topology = reading.topology(flags.topology ?? "3dc", flags.load);
  const phases = reading.phases(flags);
  const plan: ServicePlan = {
    topology,
    runtime,
    subject: {
      kind: "service",
      system: reading.name("system", flags.system, SYSTEM_NAMES, DEFAULT_SYSTEM),
      election: reading.election(flags, topology),
      oracle: reading.oracle(flags, topology),
      ...reading.resign(flags),
      heartbeat: reading.duration("heartbeat", flags.heartbeat, DEFAULT_HEARTBEAT),
      firstLeader: reading.firstLeader(flags.firstLeader, topology),
      workload: reading.workload(flags, topology),
      state: null,
    },
    faults: reading.faults(flags, topology, phases),
    phases,
    seed: reading.whole("seed", flags.seed, 1),
  };
  reading.contradictions(plan);
  reading.end();
  return plan;
}

/** Collects problems, so that a person sees all of them at once. */
export class Reading {
  readonly #problems: string[] = [];

  problem(flag: string, what: string): void {
    this.#problems.push(`--${flag}: ${what}`);
  }

  end(): void {
    if (this.#problems.length > 0) throw new RefusedInput(this.#problems.join("\n"));
  }

  topology(name: string, load: string | undefined): Topology {
    const topology = loadTopology(name);
    if (!load) return topology;
    const parts = new Map<string, number>();
    for (const part of load.split(",")) {
      const [site = "", weight = ""] = part.trim().split(":");
      const found = topology.sites.get(site);
      if (found === undefined) {
        this.problem("load", `unknown site "${site}"${suggestion(site, [...topology.sites.keys()])}`);
      } else if (!/^[0-9]*\.?[0-9]+$/.test(weight)) {
        this.problem("load", `"${part}" is not SITE:WEIGHT, such as ${site}:1`);
      } else if (Number(weight) > 0 && found.servers.length === 0) {
        this.problem("load", `${site} has no server for its clients`);
      } else parts.set(site, Number(weight));
    }
    const total = [...parts.values()].reduce((sum, weight) => sum + weight, 0);
    if (total > 0) return withLoad(topology, parts);
    if (this.#problems.length === 0) this.problem("load", `"${load}" sums to 0: somebody must send requests`);
    return topology;
  }

  name<T extends string>(flag: string, given: string | undefined, valid: readonly T[], byDefault: T): T {
    if (!given) return byDefault;
    const found = valid.find((name) => name === given);
    if (found === undefined) this.problem(flag, `there is no "${given}"${suggestion(given, valid)}`);
    return found ?? byDefault;
  }

  oracle(flags: TrialFlags, topology: Topology): OraclePlan {
    const preference = this.servers("preference", flags.preference, topology);
    const options = oracleTexts(flags, topology);
    const plan =
      typeof options === "string" ? options : oraclePlan(flags.oracle || DEFAULT_ORACLE, preference, options);
    if (typeof plan !== "string") return plan;
    this.problem("oracle", plan);
    return { name: DEFAULT_ORACLE, preference, module: null };
  }

  /** Nothing where nobody resigns, so that such plans are what they were. */
  resign({ resign = "", oracle }: TrialFlags): { readonly resign?: string } {
    const terms = readResign(resign);
    if (typeof terms === "string") this.problem("resign", terms);
    if (terms === null || typeof terms === "string") return {};
    const name = oracleNames.find((one) => one === (oracle || DEFAULT_ORACLE));
    if (name !== undefined && createOracle(name, { preference: [] }).advantage === undefined)
      this.problem("resign", `by the oracle ${name} no leader is ever beaten by a share`);
    return { resign };
  }

  election(flags: TrialFlags, topology: Topology): ElectionChoice {
    const beyond = flags.election ? beyondServers(flags.election) : null;
    if (beyond !== null) {
      this.problem("election", beyond);
      return { name: DEFAULT_ELECTION };
    }
    const name = this.name("election", flags.election, ELECTION_NAMES, DEFAULT_ELECTION);
    for (const { name: option } of options) {
      const problem = flags[option] ? misplaced(name, option) : null;
      if (problem !== null) this.problem(flagOf(option), problem);
    }
    const { options: own } = entryOf(name);
    return choose(name, (option) => {
      const described = own[option];
      const given = flags[option as OptionName];
      return described && given ? this.option(flagOf(option), described, given, topology) : null;
    });
  }

  option(flag: string, option: Option, given: string, topology: Topology): Value {
    switch (option.kind) {
      case "duration":
        return this.duration(flag, given, option.default);
      case "switch":
        return SWITCHED[this.name(flag, given, Object.keys(SWITCHED), "no")] ?? option.default;
      case "count": {
        const { least, most } = option;
        const value = Number(given);
        if (/^[0-9]+$/.test(given) && value >= least && value <= most) return value;
        this.problem(flag, `"${given}" is no whole number from ${least} to ${most}`);
        return option.default;
      }
      case "order": {
        if (given === "shortest") return shortestTour(topology);
        const order = parseOrder(given);
        const flaw =
          order === null
            ? `"${given}" is neither ids nor shortest nor a list such as p3,p1,p2`
            : flawOfOrder(order, [...topology.servers.keys()]);
        if (flaw !== null) this.problem(flag, flaw);
        return order ?? option.default;
      }
      default:
        return unreachable(option);
    }
  }

  /** What the plan has in store, against what can be done where it runs, and what the election assumes. */
  contradictions({ runtime, topology, subject: { system, election, workload }, faults }: ServicePlan): void {
    if (SYSTEMS[system].speakers.writers[workload.client] === undefined)
      this.problem("client", `${workload.client} does not speak ${SYSTEMS[system].title}'s protocol`);
    for (const sentence of beyondReach({ runtime, system, faults })) this.problem("fault", sentence);
    if (SYSTEMS[system].elects !== "by oracle") return;
    const flaw = flawOfChoice(election);
    if (flaw !== null) this.problem("election", flaw);
    const { assumes } = entryOf(election.name);
    const around = surroundingsOf(faults, topology.servers.size);
    for (const sentence of contradictions(election.name, assumes, around)) this.problem("election", sentence);
  }

  duration(flag: string, given: string | undefined, byDefault: Duration, least = milliseconds(1)): Duration {
    if (!given) return byDefault;
    if (!DURATION.test(given))
      this.problem(flag, `"${given}" is no duration with its unit, such as 60s or 250ms`);
    else if (duration(given) < least) this.problem(flag, `${given} is less than ${least / 1e3}ms, the least`);
    else return duration(given);
    return byDefault;
  }

  whole(flag: string, given: string | undefined, byDefault: number, most = 2 ** 32 - 1): number {
    if (!given) return byDefault;
    const value = Number(given);
    if (/^[0-9]+$/.test(given) && value <= most) return value;
    this.problem(flag, `"${given}" is no whole number from 0 to ${most}`);
    return byDefault;
  }

  servers(flag: string, given: string | undefined, topology: Topology): readonly ServerId[] {
    const valid = [...topology.servers.keys()];
    const found: ServerId[] = [];
    for (const name of (given ?? "").split(",").filter((part) => part !== "")) {
      const server = valid.find((id) => `p${id}` === name.trim());
      if (server !== undefined) found.push(server);
      else
        this.problem(
          flag,
          `there is no server "${name}"${suggestion(
            name,
            valid.map((id) => `p${id}`),
          )}`,
        );
    }
    return found;
  }

  firstLeader(given: string | undefined, topology: Topology): ServerId {
    const [asked] = this.servers("first-leader", given, topology);
    const highest = [...topology.servers.keys()].at(-1);
    if (highest === undefined) throw new RefusedInput(`topology ${topology.name} has no servers`);
    return asked ?? highest;
  }

  phases(flags: TrialFlags): Phases {
    const base = flags.quick === true ? QUICK_PHASES : DEFAULT_PHASES;
    const whole = this.duration("duration", flags.duration, base.duration, seconds(1));
    const shortened = (phase: Duration): Duration => Math.min(phase, Math.floor(whole / 8)) as Duration;
    return {
      duration: whole,
      warmUp: this.duration("warm-up", flags.warmUp, shortened(base.warmUp)),
      settle: this.duration("settle", flags.settle, shortened(base.settle)),
      drain: base.drain,
    };
  }

  workload(flags: TrialFlags, topology: Topology): Workload {
    const [, digits] = /^([0-9]+(?:\.[0-9]+)?)\/s$/.exec(flags.rate || `${DEFAULT_RATE}/s`) ?? [];
    const ratePerSecond = Number(digits ?? DEFAULT_RATE);
    const client = this.name("client", flags.client, ["typescript", "kazoo"], "typescript");
    const most = MAX_RATE_PER_SITE[client];
    const busiest = [...topology.sites.values()].reduce((a, b) => (b.load > a.load ? b : a));
    if (digits === undefined) this.problem("rate", `"${flags.rate}" is no rate such as 1000/s`);
    else if (ratePerSecond === 0) this.problem("rate", "0/s sends nothing, so nothing can be measured");
    else if (ratePerSecond * busiest.load > most) {
      const share = Math.ceil(ratePerSecond * busiest.load);
      const clients = `${client === "kazoo" ? "kazoo's" : "the"} clients of a site`;
      this.problem("rate", `${busiest.name} would send ${share}/s, ${clients} send ${most}/s at most`);
    }
    return {
      ratePerSecond,
      arrivals: this.name("arrivals", flags.arrivals, ["poisson", "even"], "poisson"),
      payloadBytes: this.whole("payload", flags.payload, DEFAULT_PAYLOAD_BYTES, MAX_PAYLOAD_BYTES),
      client,
    };
  }

  faults(flags: TrialFlags, topology: Topology, phases: Phases): readonly TimedFault[] {
    const said = flags.fault ?? [];
    if (said.length > 0 && flags.killAt) this.problem("kill-at", "give either --kill-at or --fault");
    const faults = said.length > 0 ? this.said(said, topology) : this.#kill(flags.killAt, phases);
    this.#leaveRoom(faults, phases, flags);
    return faults;
  }

  #kill(given: string | undefined, phases: Phases): readonly TimedFault[] {
    if (given === "never") return [];
    const at = this.duration("kill-at", given, (phases.duration / 2) as Duration);
    return [{ at, fault: { kind: "crash", target: { kind: "leader" } } }];
  }

  said(texts: readonly string[], topology: Topology): readonly TimedFault[] {
    const faults = texts.flatMap((text) => {
      const parsed = parseFault(text, topology);
      if (typeof parsed !== "string") return [parsed];
      this.problem("fault", parsed);
      return [];
    });
    return faults.sort((a, b) => a.at - b.at);
  }

  /** Before the first fault and after the last one there must be something left to measure. */
  #leaveRoom(faults: readonly TimedFault[], { warmUp, settle, duration: end }: Phases, flags: TrialFlags) {
    const [first, last] = [faults.find(hurts), faults.at(-1)];
    const said = (time: Duration): string => `${time / 1e6}s`;
    if (warmUp >= end) this.problem("warm-up", `${said(warmUp)} leave nothing of a load of ${said(end)}`);
    if (last === undefined || warmUp >= end) return;
    const asked = (flags.fault ?? []).length > 0 ? "fault" : flags.killAt ? "kill-at" : "";
    const name = (fault: TimedFault): string =>
      asked === "fault" ? `"${printTimedFault(fault)}"` : said(fault.at);
    if (last.at >= end) {
      this.problem(asked, `${name(last)} is not before the end of the load at ${said(end)}`);
    } else if (last.at + settle >= end) {
      const rest = `settles until ${said((last.at + settle) as Duration)}, the load ends at ${said(end)}`;
      this.problem(flags.settle ? "settle" : asked, `after ${name(last)} the service ${rest}`);
    }
    if (first === undefined || first.at >= warmUp) return;
    if (asked === "") this.problem("warm-up", `${said(warmUp)} is after the fault at ${said(first.at)}`);
    else this.problem(asked, `${name(first)} is before the end of the warm-up at ${said(warmUp)}`);
  }
}

const DEFAULT_ORACLE = "latency";
/** ZooKeeper takes 1 MiB a packet (jute.maxbuffer), the rest of the request included. */
const MAX_PAYLOAD_BYTES = 1_000_000;
