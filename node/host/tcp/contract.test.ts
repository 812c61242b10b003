// lane: waits, 15 s
import assert from "node:assert/strict";
import fs from "node:fs";
import net, { type Socket } from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Automaton, Protocol } from "../../core/automaton.ts";
import type { ServerId } from "../../core/identity.ts";
import { type Duration, toMilliseconds } from "../../core/time.ts";
import { type HostMaker, type HostUnderTest } from "../../testing/host/contract-probe.ts";
import { describeContract } from "../../testing/host/contract-suite.ts";
import { describeRing } from "../../testing/host/ring-suite.ts";
import type { Codec } from "../codec.ts";
import type { Address } from "./link.ts";
import { openDisk } from "./store/disk.ts";
import { TcpHost } from "./tcp-host.ts";

/**
 * The wire from one server to another: a port that passes bytes on, so that a test can cut it or speak on it.
 * A server that dials gets its answers on the wire that leads back.
 */
class Wire {
  readonly port: net.Server;
  readonly target: () => number;
  readonly relayed = new Set<readonly [near: Socket, far: Socket]>();
  #cut = { there: false, back: false };

  constructor(target: () => number) {
    this.target = target;
    this.port = net.createServer((near) => this.#relay(near));
  }

  async address(): Promise<Address> {
    if (!this.port.listening) {
      await new Promise<void>((resolve) => this.port.listen(0, "127.0.0.1", resolve));
    }
    const { port } = this.port.address() as net.AddressInfo;
    return { host: "127.0.0.1", port };
  }

  cut(direction: "there" | "back", isCut: boolean): void {
    this.#cut[direction] = isCut;
    for (const [near, far] of this.relayed) {
      const socket = direction === "there" ? near : far;
      if (isCut) socket.pause();
      else socket.resume();
    }
  }

  /** Neither a byte nor the end of a connection passes any more on what is connected now. */
  freeze(): void {
    for (const pair of this.relayed) {
      for (const socket of pair)
        socket
          .removeAllListeners()
          .on("error", () => {})
          .pause();
    }
  }

  /** As `freeze`, for the bulk connection alone: the dialer makes it after the other. */
  forgetBulk(): void {
    const [near, far] = this.#bulk();
    for (const socket of [near, far]) {
      socket.removeAllListeners("data").removeAllListeners("end").removeAllListeners("close").pause();
    }
  }

  /** Says this on the bulk connection, after the dialer's greeting. */
  inject(direction: "there" | "back", bytes: Uint8Array): void {
    const [near, far] = this.#bulk();
    (direction === "there" ? far : near).write(bytes);
  }

  #bulk(): readonly [near: Socket, far: Socket] {
    return [...this.relayed].filter(([socket]) => !socket.destroyed).at(-1) ?? assert.fail("no connection");
  }

  close(): void {
    this.port.close();
    for (const pair of this.relayed) for (const socket of pair) socket.destroy();
  }

  #relay(near: Socket): void {
    const far = net.connect({ host: "127.0.0.1", port: this.target() });
    const pair = [near, far] as const;
    this.relayed.add(pair);
    for (const [from, to] of [pair, [far, near]] as const) {
      from.setNoDelay(true);
      from.on("data", (bytes) => to.write(bytes));
      from.on("error", () => {});
      from.on("end", () => to.end());
      from.on("close", () => to.destroy());
    }
    if (this.#cut.there) near.pause();
    if (this.#cut.back) far.pause();
  }
}

interface Machine<P extends Protocol> {
  readonly directory: string;
  host: TcpHost<P> | null;
}

class LoopbackHost<P extends Protocol> implements HostUnderTest<P> {
  readonly #codec: Codec<P>;
  readonly #create: (server: ServerId) => Automaton<P>;
  readonly #onOutput: (server: ServerId, output: P["output"]) => void;
  readonly #machines: ReadonlyMap<ServerId, Machine<P>>;
  /** From the server that dials, the one with the larger id, to the other. */
  readonly #wires = new Map<string, Wire>();

  constructor(
    servers: readonly ServerId[],
    codec: Codec<P>,
    create: (server: ServerId) => Automaton<P>,
    onOutput: (server: ServerId, output: P["output"]) => void,
  ) {
    this.#codec = codec;
    this.#create = create;
    this.#onOutput = onOutput;
    const directory = (): string => fs.mkdtempSync(path.join(os.tmpdir(), "polebench-contract-"));
    this.#machines = new Map(servers.map((server) => [server, { directory: directory(), host: null }]));
    for (const from of servers) {
      for (const to of servers) {
        if (from > to) this.#wires.set(`${from} ${to}`, new Wire(() => this.#machine(to).host?.port ?? 1));
      }
    }
  }

  async start(self: ServerId): Promise<void> {
    const machine = this.#machine(self);
    machine.host = await TcpHost.start({
      self,
      servers: await this.#addresses(self),
      cluster: "contract",
      automaton: this.#create(self),
      codec: this.#codec,
      disk: openDisk(machine.directory, "fsync"),
      output: (output) => this.#onOutput(self, output),
      tell: () => {},
      failed: assert.fail,
    });
  }

  request(server: ServerId, request: P["request"]): void {
    this.#machine(server).host?.request(request);
  }

  async until(what: string, condition: () => boolean): Promise<void> {
    const end = Date.now() + 20_000;
    while (!condition()) {
      assert.ok(Date.now() < end, `not within 20 s: ${what}`);
      await sleep(2);
    }
  }

  async pass(time: Duration): Promise<void> {
    await sleep(toMilliseconds(time));
  }

  async crashProcess(server: ServerId): Promise<void> {
    const machine = this.#machine(server);
    await machine.host?.stop(true);
    machine.host = null;
  }

  async crashMachine(server: ServerId): Promise<void> {
    for (const [ends, wire] of this.#wires) if (ends.split(" ").includes(String(server))) wire.freeze();
    await this.crashProcess(server);
  }

  async cut(from: ServerId, to: ServerId): Promise<void> {
    this.#wire(from, to).cut(from > to ? "there" : "back", true);
  }

  async heal(from: ServerId, to: ServerId): Promise<void> {
    this.#wire(from, to).cut(from > to ? "there" : "back", false);
  }

  async forgetBulk(a: ServerId, b: ServerId): Promise<void> {
    this.#wire(a, b).forgetBulk();
  }

  async inject(from: ServerId, to: ServerId, bytes: Uint8Array): Promise<void> {
    this.#wire(from, to).inject(from > to ? "there" : "back", bytes);
  }

  async stop(): Promise<void> {
    for (const wire of this.#wires.values()) wire.close();
    for (const [server, { directory }] of this.#machines) {
      await this.crashProcess(server);
      fs.rmSync(directory, { recursive: true });
    }
  }

  async #addresses(self: ServerId): Promise<Map<ServerId, Address>> {
    const addresses = new Map<ServerId, Address>();
    for (const server of this.#machines.keys()) {
      const own = { host: "127.0.0.1", port: 0 };
      addresses.set(server, self > server ? await this.#wire(self, server).address() : own);
    }
    return addresses;
  }

  #machine(server: ServerId): Machine<P> {
    return this.#machines.get(server) ?? assert.fail(`no server ${server}`);
  }

  #wire(a: ServerId, b: ServerId): Wire {
    return this.#wires.get(`${Math.max(a, b)} ${Math.min(a, b)}`) ?? assert.fail(`no wire ${a} ${b}`);
  }
}

const tcp: HostMaker = {
  name: "TCP",
  make: (...shape) => Promise.resolve(new LoopbackHost(...shape)),
  cannot: {},
};

describeContract(tcp);
describeRing(tcp);
