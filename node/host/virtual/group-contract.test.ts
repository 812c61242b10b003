import type { MemberId } from "../../core/identity.ts";
import { after, type Duration, milliseconds, seconds } from "../../core/time.ts";
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
import { VirtualGroup } from "./group.ts";

const DELAY_MS = 10;
const PATIENCE = seconds(60);

class VirtualHost implements GroupUnderTest {
  readonly #group: VirtualGroup<GroupProbeProtocol>;
  readonly #told: string[] = [];

  constructor(...[members, create, output]: Parameters<GroupMaker["make"]>) {
    this.#group = new VirtualGroup({
      members,
      create,
      codec: groupProbeCodec,
      cluster: CLUSTER,
      seed: 1,
      network: { way: () => ({ delay: milliseconds(DELAY_MS), jitter: 0 }) },
      clock: (member) => ({ offset: seconds(member), drift: 100 * (member % 3) - 100 }),
      observer: { output, refused: (_member, reason) => this.#told.push(reason) },
    });
  }

  async start(member: MemberId): Promise<void> {
    this.#group.start(member);
  }

  async stop(member: MemberId): Promise<void> {
    this.#group.stop(member);
  }

  request(member: MemberId, effects: GroupRequest): void {
    this.#group.request(member, effects);
  }

  inject(datagram: Uint8Array): void {
    this.#group.inject(datagram);
  }

  async atHandWhenDue(member: MemberId, other: MemberId, announcement: GroupRequest): Promise<void> {
    this.#group.request(member, [arm("a", DELAY_MS)]);
    this.#group.request(other, announcement);
  }

  async until(what: string, condition: () => boolean): Promise<void> {
    const end = after(this.#group.now, PATIENCE);
    while (!condition()) {
      if (this.#group.now > end || !this.#group.step()) throw new Error(`not within a minute: ${what}`);
    }
  }

  async pass(time: Duration): Promise<void> {
    this.#group.run(after(this.#group.now, time));
  }

  counts(): VirtualGroup<GroupProbeProtocol>["counts"] {
    return this.#group.counts;
  }

  told(): readonly string[] {
    return this.#told;
  }

  async close(): Promise<void> {}
}

describeGroupContract({
  name: "virtual",
  make: (...shape) => Promise.resolve(new VirtualHost(...shape)),
});
