import assert from "node:assert/strict";
import dgram from "node:dgram";
import { setTimeout as sleep } from "node:timers/promises";
import type { MemberId } from "../../core/identity.ts";
import { after, type Duration, milliseconds, toMilliseconds } from "../../core/time.ts";
import {
  CLUSTER,
  type GroupMaker,
  groupProbeCodec,
  type GroupProbeProtocol,
  type GroupRequest,
  type GroupUnderTest,
} from "../../testing/host/group-contract-probe.ts";
import { arm } from "../../testing/host/group-contract-scene.ts";
import { describeGroupContract } from "../../testing/host/group-contract-suite.ts";
import { GroupCounts } from "../group-counts.ts";
import { monotonic } from "../monotonic.ts";
import { UdpGroup } from "./udp-group.ts";

/**
 * On the loopback device every datagram comes back to all sockets of the group, whatever they asked for: so
 * members of one machine hear each other here, and themselves.
 */
const HERE = { group: "239.77.66.55", interface: "127.0.0.1", ttl: 1 };

class LoopbackHost implements GroupUnderTest {
  readonly #create: (member: MemberId) => ReturnType<Parameters<GroupMaker["make"]>[1]>;
  readonly #output: (member: MemberId, output: string) => void;
  readonly #groups = new Map<MemberId, UdpGroup<GroupProbeProtocol>>();
  readonly #counts = new Map<MemberId, GroupCounts>();
  readonly #told = new Map<MemberId, string[]>();
  readonly #anybody: dgram.Socket;
  readonly #port: number;

  private constructor(anybody: dgram.Socket, ...[_members, create, output]: Parameters<GroupMaker["make"]>) {
    this.#create = create;
    this.#output = output;
    this.#anybody = anybody;
    // A port that nobody else has, for as long as the socket of anybody has it on its own address.
    this.#port = anybody.address().port;
  }

  static async open(...shape: Parameters<GroupMaker["make"]>): Promise<LoopbackHost> {
    const anybody = dgram.createSocket("udp4");
    await new Promise<void>((resolve) => anybody.bind(0, HERE.interface, resolve));
    anybody.setMulticastInterface(HERE.interface);
    return new LoopbackHost(anybody, ...shape);
  }

  async start(self: MemberId): Promise<void> {
    const told: string[] = [];
    let begun = false;
    const group = await UdpGroup.join<GroupProbeProtocol>({
      ...HERE,
      port: this.#port,
      self,
      cluster: CLUSTER,
      member: this.#create(self),
      codec: groupProbeCodec,
      startAt: monotonic(),
      output: (output) => this.#output(self, output),
      tell: (event) => {
        if (event.kind === "begun") begun = true;
        else told.push(event.reason);
      },
    });
    this.#groups.set(self, group);
    this.#counts.set(self, group.counts);
    this.#told.set(self, told);
    await this.until("it has begun", () => begun);
  }

  async stop(member: MemberId): Promise<void> {
    await this.#groups.get(member)?.close();
    this.#groups.delete(member);
  }

  request(member: MemberId, effects: GroupRequest): void {
    this.#groups.get(member)?.request(effects);
  }

  inject(datagram: Uint8Array): void {
    this.#anybody.send(datagram, this.#port, HERE.group);
  }

  /** Nothing is given while this thread does not come back to its event loop. */
  async atHandWhenDue(member: MemberId, other: MemberId, announcement: GroupRequest): Promise<void> {
    this.request(member, [arm("a", 5)]);
    for (const end = after(monotonic(), milliseconds(15)); monotonic() < end; );
    this.request(other, announcement);
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

  counts(member: MemberId): GroupCounts {
    return this.#counts.get(member) ?? new GroupCounts();
  }

  told(member: MemberId): readonly string[] {
    return this.#told.get(member) ?? [];
  }

  async close(): Promise<void> {
    for (const member of this.#groups.keys()) await this.stop(member);
    this.#anybody.close();
  }
}

describeGroupContract({ name: "UDP", make: (...shape) => LoopbackHost.open(...shape) });
