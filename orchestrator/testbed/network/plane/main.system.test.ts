import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { Conversation } from "../../conversation.ts";
import type { Answer, PlaneSettings } from "./control.ts";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));
const SETTINGS: PlaneSettings = {
  machines: 2,
  seed: 1,
  ordered: true,
  multicastLoss: "independent",
  precise: false,
  offloads: true,
  mtu: 1500,
};

test("a plane that is told nonsense says so, and goes on", async () => {
  const child = spawn(process.execPath, [MAIN, JSON.stringify(SETTINGS)], { stdio: "pipe" });
  const plane = new Conversation(child, "the packet plane");
  try {
    for (const nonsense of [
      "report",
      null,
      { kind: "heal", from: 0, to: 2 },
      { kind: "attach", machine: 0 },
    ]) {
      const answer = await plane.ask<Answer>(nonsense);
      assert.ok(!answer.ok && answer.reason !== "", JSON.stringify(answer));
    }
    assert.deepEqual(await plane.ask<Answer>({ kind: "heal", from: 0, to: 1 }), { ok: true });
    const answer = await plane.ask<Answer>({ kind: "report" });
    assert.ok(answer.ok && answer.report?.delivered === 0);
  } finally {
    await plane.close();
  }
});
