/**
 * A host with its probes, and the questions that the contract's tests ask about what the probes have seen.
 */

import { type ServerId, serverId } from "../../core/identity.ts";
import type { LogRecord } from "../../core/record.ts";
import type { TimeOfDay } from "../../core/time.ts";
import { epoch, type Zxid, zxid } from "../../core/zxid.ts";
import type { Channel } from "../../replica/message.ts";
import {
  type HostMaker,
  type HostUnderTest,
  Probe,
  probeCodec,
  type ProbeInput,
  type ProbeRequest,
} from "./contract-probe.ts";
import { ScribesScene } from "./scribe.ts";

export class Scene extends ScribesScene<ServerId, ProbeInput, Probe> implements AsyncDisposable {
  readonly host: HostUnderTest;

  private constructor(host: HostUnderTest, lives: Map<ServerId, Probe[]>) {
    super(lives);
    this.host = host;
  }

  /** So many servers, none of them started. */
  static async open(maker: HostMaker, size: number): Promise<Scene> {
    const servers = Array.from({ length: size }, (_, index) => serverId(index + 1));
    const lives = new Map<ServerId, Probe[]>(servers.map((server) => [server, []]));
    const host = await maker.make(
      servers,
      probeCodec,
      (server) => {
        const probe = new Probe();
        lives.get(server)?.push(probe);
        return probe;
      },
      (server, output) => lives.get(server)?.at(-1)?.output(output),
    );
    return new Scene(host, lives);
  }

  /** So many servers, all started and connected. */
  static async connected(maker: HostMaker, size: number): Promise<Scene> {
    const scene = await Scene.open(maker, size);
    for (const server of scene.servers) await scene.host.start(server);
    for (const server of scene.servers) {
      for (const peer of scene.servers) if (peer !== server) await scene.untilConnected(server, peer);
    }
    return scene;
  }

  get servers(): readonly ServerId[] {
    return this.all;
  }

  ask(server: ServerId, ...effects: ProbeRequest): void {
    this.host.request(server, effects);
  }

  /** The numbers of the messages that came in, of one channel or of both. */
  heard(server: ServerId, channel?: Channel): number[] {
    return this.inputs(server, "message")
      .filter(({ message }) => channel === undefined || message.channel === channel)
      .map(({ message }) => message.number);
  }

  durable(server: ServerId): number {
    return this.inputs(server, "durable").at(-1)?.upTo ?? 0;
  }

  /** Whether a server believes to be connected to another. */
  isConnected(server: ServerId, peer: ServerId): boolean {
    const changes = this.probe(server).inputs.filter(
      ({ input }) => (input.kind === "connected" || input.kind === "unreachable") && input.server === peer,
    );
    return changes.at(-1)?.input.kind === "connected";
  }

  connections(server: ServerId, peer: ServerId): number {
    return this.inputs(server, "connected").filter((input) => input.server === peer).length;
  }

  async untilConnected(server: ServerId, peer: ServerId): Promise<void> {
    await this.host.until(`${server} is connected to ${peer}`, () => this.isConnected(server, peer));
  }

  async untilUnreachable(server: ServerId, peer: ServerId): Promise<void> {
    await this.host.until(`${peer} is unreachable for ${server}`, () => !this.isConnected(server, peer));
  }

  async untilHeard(server: ServerId, number: number): Promise<void> {
    await this.host.until(`${server} hears message ${number}`, () => this.heard(server).includes(number));
  }

  async untilDurable(server: ServerId, upTo: number): Promise<void> {
    await this.host.until(`${upTo} records of ${server} are durable`, () => this.durable(server) >= upTo);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host.stop();
  }
}

const origin = serverId(1);

/** Transactions with zxids from `first` to `last` of epoch 1. */
export const transactions = (first: number, last: number): LogRecord[] =>
  Array.from({ length: last - first + 1 }, (_, index) => {
    const counter = first + index;
    const payload = new Uint8Array(100).fill(counter);
    const ticket = { origin, life: 7, sequence: counter };
    return {
      kind: "transaction",
      transaction: { zxid: zxid(epoch(1), counter), time: 0 as TimeOfDay, ticket, payload, imaged: false },
    };
  });

export const counters = (found: readonly { readonly zxid: Zxid }[]): number[] =>
  found.map(({ zxid }) => zxid % 2 ** 32);
