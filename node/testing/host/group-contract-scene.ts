/** A group of probes on a host, and the questions that the contract's tests ask about what they have seen. */

import { ok } from "node:assert/strict";
import type { GroupEffect, GroupInput } from "../../core/group.ts";
import { type MemberId, memberId } from "../../core/identity.ts";
import { milliseconds } from "../../core/time.ts";
import {
  CLUSTER,
  type GroupMaker,
  GroupProbe,
  groupProbeCodec,
  type GroupProbeProtocol,
  type GroupRequest,
  type GroupUnderTest,
} from "./group-contract-probe.ts";
import { ScribesScene } from "./scribe.ts";
import { Envelope } from "../../host/group-datagram.ts";

type ProbeInput = GroupInput<GroupProbeProtocol>;
type Kind = ProbeInput["kind"];

export const [one, two, three] = [memberId(1), memberId(2), memberId(3)];

type ProbeEffect = GroupEffect<GroupProbeProtocol>;

export const say = (number: number, padding = 0): ProbeEffect => ({
  kind: "announce",
  message: { number, padding },
});
export const output = (text: string): ProbeEffect => ({ kind: "output", output: text });
export const arm = (timer: "a" | "b", ms: number): ProbeEffect => ({
  kind: "arm",
  timer,
  after: milliseconds(ms),
});
export const disarm = (timer: "a" | "b"): ProbeEffect => ({ kind: "disarm", timer });
export const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

/** The datagram that carries this announcement. */
export function sealed(from: MemberId, number: number, cluster = CLUSTER): Uint8Array {
  const datagram = new Envelope(cluster, groupProbeCodec).seal(from, { number, padding: 0 });
  ok(datagram.ok);
  return datagram.value;
}

export class GroupScene extends ScribesScene<MemberId, ProbeInput, GroupProbe> implements AsyncDisposable {
  readonly host: GroupUnderTest;

  private constructor(host: GroupUnderTest, lives: Map<MemberId, GroupProbe[]>) {
    super(lives);
    this.host = host;
  }

  /** Members 1 to 3, of which these are started. */
  static async open(maker: GroupMaker, ...started: MemberId[]): Promise<GroupScene> {
    const lives = new Map<MemberId, GroupProbe[]>([one, two, three].map((member) => [member, []]));
    const host = await maker.make(
      [...lives.keys()],
      (member) => {
        const probe = new GroupProbe();
        lives.get(member)?.push(probe);
        return probe;
      },
      (member, said) => lives.get(member)?.at(-1)?.output(said),
    );
    for (const member of started) await host.start(member);
    return new GroupScene(host, lives);
  }

  ask(member: MemberId, ...effects: GroupRequest): void {
    this.host.request(member, effects);
  }

  kinds(member: MemberId): Kind[] {
    return this.probe(member).inputs.map(({ input }) => input.kind);
  }

  /** The numbers of the announcements that came in. */
  heard(member: MemberId): number[] {
    return this.inputs(member, "message").map(({ message }) => message.number);
  }

  async untilHeard(member: MemberId, ...numbers: number[]): Promise<void> {
    await this.host.until(`${member} hears ${numbers.join(", ")}`, () => {
      const heard = this.heard(member);
      return numbers.every((number) => heard.includes(number));
    });
  }

  async untilFired(member: MemberId, count = 1): Promise<void> {
    await this.host.until(`a timer of ${member} fires`, () => this.inputs(member, "timeout").length >= count);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host.close();
  }
}
