import { deepEqual, equal } from "node:assert/strict";
import { suite, test } from "node:test";
import { serverId } from "../core/identity.ts";
import { type Instant, instant } from "../core/time.ts";
import { epoch } from "../core/zxid.ts";
import type { ReplicaEvent } from "../telemetry/event.ts";
import { TransferDesk } from "./transfer-desk.ts";

const [p2, p3] = [serverId(2), serverId(3)];
const serving = (leader: typeof p2): ReplicaEvent => ({ kind: "serving", leader, epoch: epoch(4) });
const kept = (to: typeof p2): ReplicaEvent => ({ kind: "kept", to, reason: "it has gone" });

/** Of an order for server 2, after these events: the answer, and when all is said what was ordered. */
async function ordered(...events: readonly ReplicaEvent[]): Promise<readonly [status: number, text: string]> {
  const orders: number[] = [];
  let now: Instant = instant(0);
  const desk = new TransferDesk({
    servers: [serverId(1), p2, p3],
    now: () => now,
    order: (to) => orders.push(to),
  });
  const answered = desk.order("/commands/transfer", new URLSearchParams({ to: "2" }));
  now = instant(25_000);
  for (const event of events) desk.observe(event);
  const { status, text } = await answered;
  deepEqual(orders, [2]);
  return [status, text];
}

suite("who orders a leader to give its place away", () => {
  test("hears when the other serves, and how long it took", async () => {
    const [status, text] = await ordered(serving(p2));
    deepEqual(
      [status, JSON.parse(text)],
      [200, { command: "transfer", error: null, leader: 2, epoch: 4, milliseconds: 25 }],
    );
  });

  test("hears why the leader leads on, or who was elected instead", async () => {
    deepEqual((await ordered(kept(p2)))[0], 409);
    equal((await ordered(serving(p3)))[1].includes("server 3 was elected instead"), true);
  });

  test("is not answered with why somebody else was refused", async () => {
    equal((await ordered(kept(p3), serving(p2)))[0], 200);
  });
});
