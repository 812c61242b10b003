// lane: waits, 35 s
import assert from "node:assert/strict";
import { test } from "node:test";
import { SYSTEMS } from "../system/catalog.ts";
import { runIsolated } from "./isolation.ts";
import type { Strike } from "./schedule.ts";

const KINDS: readonly Strike[] = ["crash", "pause", "minority partition", "majority partition"];

test("etcd, a system of known quality, is accused of nothing that it promises", {
  skip: SYSTEMS.etcd.missing() ?? false,
}, async () => {
  const { findings, acknowledged, faults, judgement } = await runIsolated({
    system: "etcd",
    mutant: null,
    topology: "lan",
    seed: 3,
    seconds: 12,
    clients: 4,
    kinds: KINDS,
  });
  assert.equal(judgement, "valid", JSON.stringify(findings));
  assert.ok(acknowledged > 100 && Object.keys(faults).length > 0);
  const looked = new Map(findings.map(({ property, operations }) => [property, operations]));
  assert.ok((looked.get("writes and synced reads linearizable") ?? 0) > 100);
  assert.ok((looked.get("equal state on all servers") ?? 0) > 1);
});
