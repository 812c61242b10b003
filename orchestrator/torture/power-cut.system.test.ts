// lane: works, 20 s
import assert from "node:assert/strict";
import test from "node:test";
import { cutPower } from "./power-cut.ts";

test("the power of all servers fails under load: whatever was acknowledged is there", async () => {
  const { acknowledged, lost } = await cutPower({ mutant: null, durability: "fsync", times: 2 });
  assert.ok(acknowledged > 100, `${acknowledged} acknowledged`);
  assert.equal(lost, 0);
});

test("followers that acknowledge what their disks have not confirmed are found out", async () => {
  const plan = { mutant: "acknowledge-before-durable", durability: "fsync", times: 5 } as const;
  assert.ok((await cutPower(plan)).lost > 0);
});

test("without fsync the same power cut costs what was acknowledged", async () => {
  const { acknowledged, lost } = await cutPower({ mutant: null, durability: "none", times: 1 });
  assert.ok(acknowledged > 0);
  assert.equal(lost, acknowledged);
});
