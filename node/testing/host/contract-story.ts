/** The words that the contract's tests are told in. */

import { type TestContext, test } from "node:test";
import { serverId } from "../../core/identity.ts";
import { milliseconds } from "../../core/time.ts";
import type { Channel } from "../../replica/message.ts";
import type { Ability, HostMaker, ProbeRequest } from "./contract-probe.ts";

type Effect = ProbeRequest[number];

export const [one, two] = [serverId(1), serverId(2)];

export const say = (number: number, channel: Channel = "bulk", padding = 0): Effect => ({
  kind: "send",
  to: [two],
  message: { channel, number, padding },
});
export const output = (text: string): Effect => ({ kind: "output", output: text });
export const arm = (timer: "a" | "b", ms: number): Effect => ({
  kind: "arm",
  timer,
  after: milliseconds(ms),
});
export const disarm = (timer: "a" | "b"): Effect => ({ kind: "disarm", timer });
export const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

const titles = new Set<string>();

/** The numbers of the sentences that have a test. */
export const told = (): number[] => [...titles].map((title) => Number.parseInt(title, 10));

/** A test of one sentence; skipped, with the reason, on a host that cannot show it. */
export function sentence(
  maker: HostMaker,
  number: number,
  title: string,
  story: (context: TestContext) => Promise<void>,
  ...needs: Ability[]
): void {
  titles.add(`${number}. ${title}`);
  const reason = needs.map((ability) => maker.cannot[ability]).find((missing) => missing !== undefined);
  const options = reason === undefined ? {} : { skip: `not shown on this host: ${reason}` };
  test(`${number}. ${title}`, options, story);
}
