import type { Protocol } from "../../core/automaton.ts";
import type { ServerId } from "../../core/identity.ts";
import { after, milliseconds, seconds } from "../../core/time.ts";
import { type HostMaker, type HostUnderTest } from "../../testing/host/contract-probe.ts";
import { describeContract } from "../../testing/host/contract-suite.ts";
import { describeRing } from "../../testing/host/ring-suite.ts";
import { type EnsembleShape, VirtualEnsemble } from "./ensemble.ts";

const PATIENCE = seconds(60);

class VirtualHost<P extends Protocol> implements HostUnderTest<P> {
  readonly #ensemble: VirtualEnsemble<P>;

  constructor(shape: EnsembleShape<P>) {
    this.#ensemble = new VirtualEnsemble(shape);
  }

  async start(server: ServerId): Promise<void> {
    const started = this.#ensemble.start(server);
    if (!started.ok) throw new Error(`damaged at ${started.offset}: ${started.reason}`);
  }

  request(server: ServerId, request: P["request"]): void {
    this.#ensemble.request(server, request);
  }

  async until(what: string, condition: () => boolean): Promise<void> {
    const end = after(this.#ensemble.now, PATIENCE);
    while (!condition()) {
      if (this.#ensemble.now > end || !this.#ensemble.step()) throw new Error(`not within a minute: ${what}`);
    }
  }

  async pass(time: ReturnType<typeof seconds>): Promise<void> {
    this.#ensemble.run(after(this.#ensemble.now, time));
  }

  async crashProcess(server: ServerId): Promise<void> {
    this.#ensemble.crashProcess(server);
  }

  async crashMachine(server: ServerId): Promise<void> {
    this.#ensemble.crashMachine(server);
  }

  async cut(from: ServerId, to: ServerId): Promise<void> {
    this.#ensemble.cut(from, to);
  }

  async heal(from: ServerId, to: ServerId): Promise<void> {
    this.#ensemble.heal(from, to);
  }

  async forgetBulk(one: ServerId, other: ServerId): Promise<void> {
    this.#ensemble.forgetBulk(one, other);
  }

  async inject(from: ServerId, to: ServerId, bytes: Uint8Array): Promise<void> {
    this.#ensemble.inject(from, to, bytes);
  }

  async stop(): Promise<void> {}
}

const virtual: HostMaker = {
  name: "virtual",
  make: async (servers, codec, create, onOutput) =>
    new VirtualHost({
      servers,
      create,
      codec,
      seed: 1,
      network: { link: () => ({ delay: milliseconds(10), jitter: 0.2, bytesPerSecond: 100e6 }) },
      clock: (server) => ({ offset: seconds(server), drift: 100 * (server % 3) - 100 }),
      observer: { output: onOutput },
    }),
  cannot: {},
};

describeContract(virtual);
describeRing(virtual);
