import assert from "node:assert/strict";
import { createServer } from "node:net";
import test from "node:test";
import { freePorts } from "./free-ports.ts";

const HOST = "127.0.0.1";

test("two who look at the same time are never given the same port", async () => {
  const given = await Promise.all([freePorts(20), freePorts(20), freePorts(1)]);
  assert.equal(new Set(given.flat()).size, 41);
});

test("a port that somebody holds is passed over", async (t) => {
  const [before = 0] = await freePorts(1);
  const held = createServer();
  t.after(() => held.close());
  await new Promise<void>((resolve) => held.listen(before + 1, HOST, resolve));
  const ports = await freePorts(3);
  assert.ok(!ports.includes(before + 1), `${before + 1} among ${ports.join(", ")}`);
});

test("what the kernel gives to somebody else is never one of them", async (t) => {
  const ports = new Set(await freePorts(100));
  for (let count = 0; count < 200; count++) {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
    t.after(() => server.close());
    const address = server.address();
    const given = typeof address === "object" ? (address?.port ?? 0) : 0;
    assert.ok(!ports.has(given), `${given}`);
  }
});
