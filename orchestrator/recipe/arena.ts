/**
 * Where recipes are tried: the servers of an ensemble and a machine for every member, at the distances of a
 * topology, an observer beside the server that leads, and a counter at every server.
 */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type ServerId, serverId } from "#node/core/identity.ts";
import { LiveServers } from "../runner/live/servers.ts";
import { systemOn } from "../runner/live/trial.ts";
import { CLIENT_PORT, homeOf } from "../system/system.ts";
import { Interrupted } from "../terminal/interrupted.ts";
import type { Running } from "../testbed/infrastructure/infrastructure.ts";
import { newLabel } from "../testbed/label.ts";
import type { Certificate } from "../testbed/network/certificate.ts";
import { hastened, priority } from "../testbed/priority.ts";
import { labelledFolder } from "../testbed/reaper.ts";
import { openTestbed, type Testbed } from "../testbed/testbed.ts";
import { withServers } from "../topology/topology.ts";
import { betweenSites } from "./distance.ts";
import { type Heard, Member } from "./member.ts";
import type { Counted, MemberOrders, MISCONDUCT, Seen, Written } from "./member-line.ts";
import { commandFor, prepare } from "./members/programs.ts";
import { type Contest, fenceOf, type Placed, type Recipe, type RecipePlan, rootOf } from "./plan.ts";
import { Tail } from "./tail.ts";

const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const PRIORITY_COMMAND = fileURLToPath(new URL("../../node/recipe/main.ts", import.meta.url));

/** Samples of each pair of machines. */
const ROUNDS = 30;
const LOOK_MS = 5;
const PATIENCE_MS = 120_000;

export class Arena implements AsyncDisposable {
  readonly plan: RecipePlan;
  readonly testbed: Testbed;
  readonly servers: LiveServers;
  readonly certificate: Certificate;
  readonly folder: string;
  readonly heard: Heard[] = [];
  readonly seen: Seen[] = [];
  readonly written: Written[] = [];
  readonly counted: Counted[] = [];
  readonly #signal: AbortSignal;
  readonly #stack: AsyncDisposableStack;
  readonly #priority = priority();
  #ready = 0;

  private constructor(
    parts: Pick<Arena, "plan" | "testbed" | "servers" | "certificate" | "folder">,
    signal: AbortSignal,
    stack: AsyncDisposableStack,
  ) {
    this.plan = parts.plan;
    this.testbed = parts.testbed;
    this.servers = parts.servers;
    this.certificate = parts.certificate;
    this.folder = parts.folder;
    this.#signal = signal;
    this.#stack = stack;
  }

  static async open(plan: RecipePlan, signal: AbortSignal, tell: (what: string) => void): Promise<Arena> {
    await using stack = new AsyncDisposableStack();
    const folder = labelledFolder("recipe", newLabel());
    stack.defer(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, "conduct"));
    tell("network");
    const { service } = plan;
    const testbed = stack.use(
      await openTestbed({
        topology: populated(plan),
        infrastructure: "netns",
        seed: service.seed,
        congestionControl: "cubic",
      }),
    );
    tell("calibration");
    const certificate = await testbed.certify({ rounds: ROUNDS });
    tell("ensemble");
    const system = systemOn(testbed, service, folder);
    const servers = stack.use(new LiveServers(testbed, service, system, folder, priority()));
    for (const server of service.topology.servers.keys())
      mkdirSync(homeOf(folder, server), { recursive: true });
    await servers.form([...service.topology.servers.keys()], signal);
    prepare(
      plan.contests.flatMap(({ recipes }) => recipes),
      folder,
    );
    const arena = new Arena({ plan, testbed, servers, certificate, folder }, signal, stack.move());
    await arena.#watch();
    return arena;
  }

  /** A member that stands by a recipe, which is not started yet. */
  member(placed: Placed, contest: Contest, recipe: Recipe): Member {
    const { plan, folder, testbed } = this;
    const { strategy, watching, timeout, takeover, within } = plan;
    const orders: MemberOrders = {
      recipe,
      word: contest.word,
      servers: this.#nearest(placed.site),
      id: placed.id,
      site: placed.site,
      score: placed.score,
      root: rootOf(contest),
      fence: fenceOf(contest),
      strategy,
      watching,
      timeout,
      takeover,
      within,
      conduct: join(folder, "conduct"),
    };
    const command = commandFor(orders, folder);
    return new Member(
      placed,
      join(folder, `${contest.name}-${placed.id}.log`),
      async (log) => testbed.startOutside(`p${placed.machine}`, { command, log }),
      this.#priority,
      (line) => this.heard.push(line),
    );
  }

  addressOf(id: string): string {
    const machine = this.plan.members.find((each) => each.id === id)?.machine;
    return this.testbed.machine(`p${machine}`).address;
  }

  misconduct(what: (typeof MISCONDUCT)[number]): void {
    writeFileSync(join(this.folder, "conduct", what), "");
  }

  /** Nobody was to be found who would do it. */
  good(what: (typeof MISCONDUCT)[number]): void {
    rmSync(join(this.folder, "conduct", what), { force: true });
  }

  /** Carries out an operator's command beside the ensemble's leader. */
  async operate(...words: readonly string[]): Promise<void> {
    const log = join(this.folder, "operator.log");
    const contest = this.plan.contests.find(({ name }) => name === "priority");
    if (contest === undefined) throw new Error("there is no priority election");
    const place = ["--connect", this.#nearest(this.#site), "--path", rootOf(contest)];
    const running = await this.testbed.startOutside(this.#lookout, {
      command: [process.execPath, PRIORITY_COMMAND, "priority", ...words, ...place],
      log,
    });
    const { code } = await running.exited;
    if (code !== 0) throw new Error(`polebench priority ${words.join(" ")} ended with ${code}: see ${log}`);
  }

  /** The site of the server that leads the ensemble when all is well. */
  get #site(): string {
    const { topology, subject } = this.plan.service;
    return topology.servers.get(subject.firstLeader) ?? "";
  }

  get #lookout(): string {
    return `p${lookoutOf(this.plan)}`;
  }

  /** Waits until it is so. */
  async until(what: string, condition: () => boolean, patience = PATIENCE_MS): Promise<void> {
    const end = performance.now() + patience;
    while (!condition()) {
      if (this.#signal.aborted) throw new Interrupted("interrupted; members and servers were taken down");
      if (performance.now() > end) throw new Late(`not within ${patience / 1e3} s: ${what}`);
      await sleep(LOOK_MS);
    }
  }

  async rest(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#signal }).catch(() => {
      throw new Interrupted("interrupted; members and servers were taken down");
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack[Symbol.asyncDispose]();
  }

  async #watch(): Promise<void> {
    const { plan, testbed } = this;
    const { topology } = plan.service;
    const lookout = testbed.machine(this.#lookout).address;
    const roots = plan.contests.map(rootOf);
    const orders = JSON.stringify({ port: CLIENT_PORT, roots, not: [lookout] });
    const starts = [...topology.servers.keys()].map(async (server) =>
      this.#read<Counted | { kind: "ready" }>(
        `p${server}`,
        `tap-${server}`,
        ["/usr/bin/python3", beside("tap.py"), orders],
        (line) => {
          if (line.kind === "ready") this.#ready += 1;
          else this.counted.push(line);
        },
      ),
    );
    await Promise.all(starts);
    const command = [
      process.execPath,
      beside("observer-main.ts"),
      this.#nearest(this.#site),
      ...roots,
    ] as const;
    const observer = await this.#read<Seen | Written>(this.#lookout, "observer", command, (line) => {
      if (line.kind === "ready") this.#ready += 1;
      else if ("mzxid" in line) this.written.push(line);
      else this.seen.push(line);
    });
    await this.until("somebody counts and observes", () => this.#ready > topology.servers.size);
    hastened(this.#priority, observer.pid);
  }

  async #read<Line>(
    machine: string,
    name: string,
    command: readonly [string, ...string[]],
    heard: (line: Line) => void,
  ): Promise<Running> {
    const log = join(this.folder, `${name}.log`);
    const running = await this.testbed.startOutside(machine, { command, log });
    this.#stack.use(new Tail<Line>(log, heard));
    return running;
  }

  /** All servers, the nearest to a site first. */
  #nearest(site: string): string {
    const { topology } = this.plan.service;
    return [...topology.servers]
      .map(([server, at]) => ({ server, far: betweenSites(topology, site, at) }))
      .sort((a, b) => a.far - b.far || a.server - b.server)
      .map(({ server }) => `${this.testbed.machine(`p${server}`).address}:${CLIENT_PORT}`)
      .join(",");
  }
}

/** What was awaited did not come. */
export class Late extends Error {
  override readonly name = "Late";
}

const lookoutOf = ({ service, members }: RecipePlan): ServerId =>
  serverId(Math.max(...service.topology.servers.keys()) + members.length + 1);

/** The topology with a machine for every member, and one for who looks on. */
function populated(plan: RecipePlan) {
  const { topology, subject } = plan.service;
  const at = new Map<string, ServerId[]>();
  const add = (site: string, machine: ServerId): void =>
    void at.set(site, [...(at.get(site) ?? []), machine]);
  for (const [server, site] of topology.servers) add(site, server);
  for (const { site, machine } of plan.members) add(site, machine);
  add(topology.servers.get(subject.firstLeader) ?? "", lookoutOf(plan));
  return withServers(topology, at);
}
