/**
 * What is so at a moment of a trial, as far as the stream tells: a fold of its records up to then. The page
 * draws it; it knows nothing of pages.
 */

import type { Closing, Floor, Opening, Served, StreamRecord, Struck, Told, Traffic } from "../record.ts";

export type Role = "unknown" | "down" | "paused" | "looking" | "following" | "leading";

export interface Standing {
  readonly id: number;
  readonly name: string;
  readonly site: string;
  role: Role;
  /** Whom it follows, itself when it leads. */
  leader: number | null;
  epoch: number | null;
  /** What it was before it was paused. */
  before: Role;
}

/** What a server said it would be as a leader, in a round of an election. */
export interface Candidate {
  readonly server: number;
  readonly round: number;
  readonly score: readonly number[];
  readonly why: Readonly<Record<string, number>>;
  readonly at: number;
}

/** Nobody is served since a fault took the leader away: as clients see it. */
export interface Outage {
  readonly from: number;
  readonly fault: string;
  readonly lost: number;
  /** Newest epoch that anybody was served in before. */
  readonly epoch: number;
  readonly floors: readonly Floor[];
  /** The first write of a later epoch that a client was told of. */
  until: number | null;
  by: number | null;
  /** When each site was served again. */
  readonly sites: Map<string, number>;
  /** What servers told on the way: the first of each by whoever leads in the end. */
  readonly steps: Step[];
}

export interface Step {
  readonly name: string;
  readonly at: number;
  readonly server: number;
}

/** Not all members that live follow one that lives. */
export interface Parting {
  readonly from: number;
  until: number | null;
  /** Whom all follow then. */
  on: number | null;
}

export interface Tally {
  ok: number;
  failed: number;
  unknown: number;
  sumMs: number;
  maxMs: number;
}

export class Scene {
  at = Number.NEGATIVE_INFINITY;
  plan: Opening | null = null;
  phase = "";
  end: Closing | null = null;
  readonly servers = new Map<number, Standing>();
  readonly candidates = new Map<number, Candidate>();
  round: number | null = null;
  elected: { readonly leader: number; readonly round: number; readonly at: number } | null = null;
  /** The newest epoch that stands, and who leads it. */
  epoch: number | null = null;
  leader: number | null = null;
  readonly faults: Struck[] = [];
  outage: Outage | null = null;
  /** Of members of a group; of servers clients tell. */
  readonly partings: Parting[] = [];
  readonly total: Tally = nothing();
  readonly sites = new Map<string, Tally>();
  /** Where the last bin began in which somebody was told of a write. */
  acknowledged: number | null = null;
  readonly traffic = new Map<number, Traffic>();
  readonly measured = new Map<string, number>();
  /** Round trips between sites as they are asked for now. */
  readonly asked = new Map<string, number>();

  /** All of it that is at or before this moment. */
  static of(records: readonly StreamRecord[], at: number): Scene {
    const scene = new Scene();
    for (const record of records) if (!("at" in record) || record.at <= at) scene.take(record);
    scene.at = at;
    return scene;
  }

  take(record: StreamRecord): void {
    if ("at" in record) this.at = Math.max(this.at, record.at);
    switch (record.kind) {
      case "plan":
        this.#open(record);
        break;
      case "phase":
        this.phase = record.name;
        break;
      case "certified":
        for (const { a, b, ms } of record.roundTrips) this.measured.set(pairOf(a, b), ms);
        break;
      case "event":
        this.#event(record);
        break;
      case "fault":
        this.#fault(record);
        break;
      case "writes":
        add(this.total, record);
        add(this.#site(record.site), record);
        if (record.ok > 0) this.acknowledged = Math.max(this.acknowledged ?? record.at, record.at);
        break;
      case "served":
        this.#served(record);
        break;
      case "traffic":
        this.traffic.set(record.server, record);
        break;
      case "until":
        break;
      case "end":
        this.end = record;
        break;
    }
  }

  /** Best first, as far as their scores tell: those of the round that was last. */
  get standing(): readonly Candidate[] {
    return [...this.candidates.values()]
      .filter(({ round }) => round === this.round)
      .sort((a, b) => a.server - b.server);
  }

  #open(plan: Opening): void {
    this.plan = plan;
    for (const { id, name, site } of plan.servers) {
      const standing = {
        id,
        name,
        site,
        role: "unknown",
        before: "unknown",
        leader: null,
        epoch: null,
      } as const;
      this.servers.set(id, { ...standing });
    }
    for (const { name } of plan.map.sites) this.#site(name);
    for (const { a, b, ms } of plan.links) this.asked.set(pairOf(a, b), ms);
  }

  #site(name: string): Tally {
    const known = this.sites.get(name) ?? nothing();
    this.sites.set(name, known);
    return known;
  }

  #event({ at, server, event }: Told): void {
    const one = this.servers.get(server);
    if (one === undefined) return;
    const leader = numberOf(event["leader"]);
    const epoch = numberOf(event["epoch"]);
    switch (event.kind) {
      case "looking":
      case "lost":
        become(one, "looking", null);
        if (event.kind === "looking") this.#step("noticed", at, server);
        break;
      case "observed":
        this.#observe(at, server, event["facts"]);
        break;
      case "elected": {
        const round = numberOf(event["round"]) ?? 0;
        if (leader !== server) break;
        this.elected = { leader: server, round, at };
        this.#step("elected", at, server);
        break;
      }
      case "discovered":
        this.#step("discovered", at, server);
        break;
      case "pulled":
        this.#step("pulled", at, server);
        break;
      case "established":
        become(one, "leading", server, epoch);
        if (this.epoch === null || (epoch ?? 0) >= this.epoch) [this.epoch, this.leader] = [epoch, server];
        this.#step("established", at, server);
        break;
      case "serving":
        become(one, leader === server ? "leading" : "following", leader, epoch);
        break;
      case "begun":
        become(one, "looking", null);
        break;
      case "ended":
        become(one, "down", null);
        break;
      case "follows":
        become(one, leader === server ? "leading" : "following", leader);
        break;
      case "committed":
        this.#step("first commit", at, server);
        break;
      default:
        break;
    }
    this.#agree(at);
  }

  /** Members agree when all that live follow one that lives, itself among them. */
  #agree(at: number): void {
    if (this.plan?.subject !== "members") return;
    const { initiators } = this.plan;
    const living = [...this.servers.values()].filter(
      ({ id, role }) => role !== "down" && (role !== "unknown" || initiators.includes(id)),
    );
    const [first] = living;
    const leader = first?.leader ?? null;
    const isAgreed = living.every((one) => one.leader === leader) && living.some(({ id }) => id === leader);
    this.leader = isAgreed ? leader : null;
    const open = this.partings.at(-1);
    if (!isAgreed && living.length > 0 && (open === undefined || open.until !== null))
      this.partings.push({ from: at, until: null, on: null });
    else if (isAgreed && open?.until === null) [open.until, open.on] = [at, leader];
  }

  #observe(at: number, server: number, facts: unknown): void {
    const { name, round, score, why } = (facts ?? {}) as Record<string, unknown>;
    if (name !== "candidate" || typeof round !== "number" || !Array.isArray(score)) return;
    const stands = { at, server, round, score: score as number[], why: (why ?? {}) as Candidate["why"] };
    this.candidates.set(server, stands);
    this.round = Math.max(this.round ?? round, round);
  }

  #step(name: string, at: number, server: number): void {
    if (this.outage !== null && this.outage.until === null) this.outage.steps.push({ name, at, server });
  }

  #fault(fault: Struck): void {
    this.faults.push(fault);
    const [verb = "", a = "", b = "", ms = ""] = fault.fault.split(" ");
    if (verb === "link" && this.asked.has(pairOf(a, b))) {
      this.asked.set(pairOf(a, b), Number.parseFloat(ms));
      // It was measured before.
      this.measured.delete(pairOf(a, b));
    }
    for (const server of fault.servers) {
      const one = this.servers.get(server);
      if (one === undefined) continue;
      if (ENDS.has(verb)) become(one, "down", null);
      else if (verb === "pause" && one.role !== "down") [one.before, one.role] = [one.role, "paused"];
      else if (verb === "resume" && one.role === "paused") one.role = one.before;
      else if (verb === "restart" && one.role === "down") become(one, "looking", null);
    }
    this.#agree(fault.at);
    if (this.plan?.subject === "members") return;
    const isHit = this.leader !== null && fault.servers.includes(this.leader);
    // A transfer is aimed at who is to lead next.
    if (verb === "transfer" ? this.leader !== null && !isHit : TAKES.has(verb) && isHit) this.#lose(fault);
  }

  #lose({ at, fault, floors }: Struck): void {
    if (this.outage !== null && this.outage.until === null) return;
    const epoch = this.#newest;
    const lost = this.leader ?? 0;
    const none = { until: null, by: null, sites: new Map<string, number>(), steps: [] };
    this.outage = {
      from: at,
      fault,
      lost,
      epoch,
      floors: floors.filter((one) => one.leader !== lost),
      ...none,
    };
  }

  #newest = 0;

  #served({ at, site, server, epoch }: Served): void {
    this.#newest = Math.max(this.#newest, epoch);
    const { outage } = this;
    if (outage === null || epoch <= outage.epoch || at < outage.from) return;
    if (outage.until === null || at < outage.until) [outage.until, outage.by] = [at, server];
    if (!outage.sites.has(site)) outage.sites.set(site, at);
  }
}

export const pairOf = (a: string, b: string): string => [a, b].sort().join(" ");

function become(one: Standing, role: Role, leader: number | null, epoch = one.epoch): void {
  if (one.role === "paused") one.before = role;
  else one.role = role;
  one.leader = leader;
  one.epoch = epoch;
}

function add(tally: Tally, { ok, failed, unknown, sumMs, maxMs }: Tally): void {
  tally.ok += ok;
  tally.failed += failed;
  tally.unknown += unknown;
  tally.sumMs += sumMs;
  tally.maxMs = Math.max(tally.maxMs, maxMs);
}

const nothing = (): Tally => ({ ok: 0, failed: 0, unknown: 0, sumMs: 0, maxMs: 0 });

const numberOf = (value: unknown): number | null => (typeof value === "number" ? value : null);

/** Faults that end a process. */
const ENDS: ReadonlySet<string> = new Set(["crash", "crash-machine", "disk-wiped", "leave"]);
/** Faults that can take a leader away from those it led. */
const TAKES: ReadonlySet<string> = new Set([
  ...ENDS,
  "pause",
  "cut",
  "cut-one-way",
  "disk-full",
  "disk-torn",
]);
