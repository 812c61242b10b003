import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { bendClocks } from "./faulty-clock.ts";
import { faultyDisk } from "./faulty-disk.ts";
import { type DiskFault, giveOrders, NO_ORDERS, type Orders, takeOrders } from "./orders.ts";
import { openDisk } from "#node/host/tcp/store/disk.ts";

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

test("a failing disk takes the bytes and cannot say so; mended, it confirms again", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "polebench-disk-"));
  t.after(() => rmSync(home, { recursive: true }));
  let fault: DiskFault | null = "failing";
  const disk = faultyDisk(openDisk(home, "fsync"), () => fault);
  const file = await disk.create("log", "through");
  await assert.rejects(file.write(new Uint8Array([1, 2]), 0), /EIO/);
  assert.equal(disk.open("log").size, 2);
  fault = null;
  await file.write(new Uint8Array([3]), 2);
  assert.equal(disk.open("log").size, 3);
  await file.close();
});
