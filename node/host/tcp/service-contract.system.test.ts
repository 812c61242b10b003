// lane: waits, 30 s
// Members on real sockets, before three server processes on this machine; what lies between a member and the
// servers can be held back and broken.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { MemberId } from "../../core/identity.ts";
import { after, type Duration, milliseconds, toMilliseconds } from "../../core/time.ts";
import { serverProcesses, until } from "../../testing/host/server-processes.ts";
import { Relay } from "../../testing/host/relay.ts";
import type {
  ServiceMaker,
  ServiceProbeProtocol,
  ServiceRequest,
  ServiceUnderTest,
} from "../../testing/host/service-contract-probe.ts";
import { arm } from "../../testing/host/service-contract-scene.ts";
import { describeServiceContract } from "../../testing/host/service-contract-suite.ts";
import type { Auth } from "../../wire/client/access.ts";
import { monotonic } from "../monotonic.ts";
import { ServiceCounts } from "../service-counts.ts";
import { LiveMember } from "./service-member.ts";

class LoopbackHost implements ServiceUnderTest {
  readonly #timeout: Duration;
  readonly #create: Parameters<ServiceMaker["make"]>[2];
  readonly #output: Parameters<ServiceMaker["make"]>[3];
  readonly #relays: ReadonlyMap<MemberId, Relay>;
  readonly #members = new Map<MemberId, LiveMember<ServiceProbeProtocol>>();
  readonly #left = new Map<MemberId, boolean>();

  constructor(relays: ReadonlyMap<MemberId, Relay>, ...shape: Parameters<ServiceMaker["make"]>) {
    this.#relays = relays;
    [, this.#timeout, this.#create, this.#output] = shape;
  }

  async start(id: MemberId, auth: readonly Auth[] = []): Promise<void> {
    const member = new LiveMember<ServiceProbeProtocol>({
      member: this.#create(id),
      places: this.#relay(id).places,
      policy: { timeout: this.#timeout, first: id, auth },
      output: (output) => this.#output(id, output),
      left: (acknowledged) => this.#left.set(id, acknowledged),
    });
    this.#members.set(id, member);
  }

  async kill(id: MemberId): Promise<void> {
    this.#members.get(id)?.end();
    this.#members.delete(id);
  }

  request(id: MemberId, effects: ServiceRequest): void {
    this.#members.get(id)?.request(effects);
  }

  async disconnect(id: MemberId): Promise<void> {
    this.#relay(id).sever();
  }

  cut(id: MemberId): void {
    this.#relay(id).hold("all");
  }

  heal(id: MemberId): void {
    this.#relay(id).release();
  }

  /** Nothing is given while this thread does not come back to its event loop. */
  async atHandWhenDue(id: MemberId, question: ServiceRequest): Promise<void> {
    const relay = this.#relay(id);
    relay.hold("answers");
    this.request(id, question);
    await until("there is an answer", () => relay.heldAnswers > 0);
    // What the event loop does next is to look at its timers, and only then at its sockets.
    await new Promise((resolve) => setImmediate(resolve));
    this.request(id, [arm("a", 5)]);
    relay.release();
    for (const end = after(monotonic(), milliseconds(15)); monotonic() < end; );
  }

  async until(what: string, condition: () => boolean): Promise<void> {
    await until(what, condition);
  }

  async pass(time: Duration): Promise<void> {
    await sleep(toMilliseconds(time));
  }

  counts(id: MemberId): ServiceCounts {
    return this.#members.get(id)?.counts ?? new ServiceCounts();
  }

  left(id: MemberId): boolean | null {
    return this.#left.get(id) ?? null;
  }

  async close(): Promise<void> {
    for (const member of this.#members.values()) member.end();
    for (const relay of this.#relays.values()) relay.close();
  }

  #relay(id: MemberId): Relay {
    return this.#relays.get(id) ?? assert.fail(`there is no member ${id}`);
  }
}

const places = await serverProcesses();
describeServiceContract({
  name: "TCP",
  async make(...shape) {
    const relays = new Map<MemberId, Relay>();
    for (const member of shape[0]) relays.set(member, await Relay.open(places));
    return new LoopbackHost(relays, ...shape);
  },
});
