import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { bendClocks } from "./bent-clocks.ts";
import { giveOrders, NO_ORDERS, type Orders, takeOrders } from "./orders.ts";

test("a server finds the orders that were given before it started", (t) => {
  const home = mkdtempSync(join(tmpdir(), "polebench-orders-"));
  t.after(() => rmSync(home, { recursive: true }));
  giveOrders(home, { ...NO_ORDERS, wallMs: 5 });
  assert.equal(takeOrders(home)().wallMs, 5);
});

test("clocks are wrong by what is ordered, and the monotonic one stays so", (t) => {
  const clocks = [Date, performance].map(
    (clock) => [clock, Object.getOwnPropertyDescriptor(clock, "now")] as const,
  );
  t.after(() => {
    for (const [clock, now] of clocks) {
      if (now === undefined) Reflect.deleteProperty(clock, "now");
      else Object.defineProperty(clock, "now", now);
    }
  });
  let orders: Orders = NO_ORDERS;
  bendClocks(() => orders);
  const [wallBefore, before] = [Date.now(), performance.now()];
  orders = { ...NO_ORDERS, wallMs: -60_000, leaptMs: 60_000 };
  assert.ok(Date.now() < wallBefore);
  assert.ok(performance.now() >= before + 60_000);
});
