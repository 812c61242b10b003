/**
 * The engine `plane`, seen from the orchestrator: starts the packet plane and steers it (see plane/main.ts).
 */

import { fileURLToPath } from "node:url";
import { assert } from "#node/core/assert.ts";
import type { LinkShape, Topology } from "../../topology/topology.ts";
import { Conversation } from "../conversation.ts";
import { CannotRunHere, demandTun } from "../environment.ts";
import type { Infrastructure, Machine } from "../infrastructure/infrastructure.ts";
import { child, DIE_WITH_PARENT, labelled } from "../child.ts";
import { ALONE } from "./libc.ts";
import { type Change, NEUTRAL, type Network, type NetworkReport } from "./network.ts";
import type { Answer, Command, PlaneReport, PlaneSettings } from "./plane/control.ts";

const MAIN = fileURLToPath(new URL("plane/main.ts", import.meta.url));
export interface PlaneOptions {
  readonly seed?: number;
  readonly precise?: boolean;
  /** Let bulk transfers pass as segments of 64 KiB (the default). */
  readonly offloads?: boolean;
  readonly mtu?: number;
}

export async function createPlane(
  topology: Topology,
  infrastructure: Infrastructure,
  options: PlaneOptions = {},
): Promise<Network> {
  demandTun();
  const machines = [...infrastructure.machines.values()];
  const settings: PlaneSettings = {
    machines: machines.length,
    seed: options.seed ?? 1,
    ordered: topology.ordered,
    multicastLoss: topology.multicastLoss,
    precise: options.precise ?? false,
    offloads: options.offloads ?? true,
    mtu: options.mtu ?? 1500,
  };
  const command = [
    ...infrastructure.privileged,
    ...DIE_WITH_PARENT,
    process.execPath,
    ...ALONE,
    MAIN,
    JSON.stringify(settings),
  ];
  const started = child(command, { stdin: "pipe", env: labelled(infrastructure.label) });
  const plane = new Plane(infrastructure, new Conversation(started, "the packet plane"), settings.precise);
  try {
    const attached = machines.map((machine) => plane.attach(machine));
    await Promise.all(attached);
  } catch (error) {
    await plane[Symbol.asyncDispose]();
    throw error;
  }
  return plane;
}

export class Plane implements Network {
  readonly engine = "plane";
  readonly #machines: readonly Machine[];
  readonly #infrastructure: Infrastructure;
  readonly #conversation: Conversation;
  readonly #asked = new Map<string, LinkShape>();
  readonly #isPrecise: boolean;

  constructor(infrastructure: Infrastructure, conversation: Conversation, isPrecise: boolean) {
    this.#isPrecise = isPrecise;
    this.#infrastructure = infrastructure;
    this.#machines = [...infrastructure.machines.values()];
    this.#conversation = conversation;
  }

  /** Gives the machine its device; again when its namespace is a new one. */
  async attach(machine: Machine): Promise<void> {
    const namespace = this.#infrastructure.namespace(machine);
    await this.#ask({ kind: "attach", machine: machine.index, namespace, address: machine.address });
  }

  async shapeAll(changes: readonly Change[]): Promise<void> {
    await Promise.all(changes.map(({ from, to, shape }) => this.shape(from, to, shape)));
  }

  async shape(from: string, to: string, change: Partial<LinkShape>): Promise<void> {
    const shape = { ...(this.#asked.get(`${from} ${to}`) ?? NEUTRAL), ...change };
    this.#asked.set(`${from} ${to}`, shape);
    const rate = Number.isFinite(shape.rate) ? shape.rate : null;
    await this.#ask({ kind: "shape", ...this.#pair(from, to), shape: { ...shape, rate } });
  }

  async cut(from: string, to: string, inFlight: "deliver" | "drop" = "deliver"): Promise<void> {
    await this.#ask({ kind: "cut", ...this.#pair(from, to), inFlight });
  }

  async heal(from: string, to: string): Promise<void> {
    await this.#ask({ kind: "heal", ...this.#pair(from, to) });
  }

  async forget(from: string, to: string, which: "bulk" | "any"): Promise<void> {
    await this.#ask({ kind: "forget", ...this.#pair(from, to), which });
  }

  asked(from: string, to: string): LinkShape {
    const shape = this.#asked.get(`${from} ${to}`);
    assert(shape !== undefined, `no way from ${from} to ${to}`);
    return shape;
  }

  async compensate(microseconds: number): Promise<boolean> {
    await this.#ask({ kind: "compensate", microseconds });
    return true;
  }

  async report(): Promise<NetworkReport> {
    const report = await this.detail();
    const name = (index: number): string => this.#machines[index]?.name ?? "?";
    const precise = this.#isPrecise ? "; precise: it spins for what is due" : "";
    return {
      ways: report.ways.map(({ from, to, entered, bytes: _bytes, ...counters }) => ({
        from: name(from),
        to: name(to),
        packets: entered,
        ...counters,
      })),
      processor: report.processor / report.elapsed,
      late: report.delivered === 0 ? 0 : report.late / report.delivered,
      veryLate: report.veryLate,
      remark: `user-space packet plane, scheduling: ${report.scheduling}${precise}`,
    };
  }

  async detail(): Promise<PlaneReport> {
    const { report } = await this.#ask({ kind: "report" });
    assert(report !== undefined, "a report answers a report");
    return report;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#conversation.close();
  }

  async #ask(command: Command): Promise<Answer & { ok: true }> {
    const answer = await this.#conversation.ask<Answer>(command);
    if (!answer.ok) throw new CannotRunHere(`the packet plane: ${answer.reason}`);
    return answer;
  }

  #pair(from: string, to: string): { from: number; to: number } {
    return { from: this.#index(from), to: this.#index(to) };
  }

  #index(name: string): number {
    const machine = this.#infrastructure.machines.get(name);
    assert(machine !== undefined, `no machine is named ${name}`);
    return machine.index;
  }
}
