import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { serverId } from "#node/core/identity.ts";
import { milliseconds, seconds } from "#node/core/time.ts";
import { choose, DEFAULT_ELECTION } from "#node/election/catalog.ts";
import { DATA_FOLDER } from "#node/service.ts";
import type { Fault } from "../../fault/fault.ts";
import { loadTopology } from "../../topology/topology.ts";
import { PolebenchTrial } from "./trial.ts";

const one = serverId(1);
const target = { kind: "server", server: one } as const;

function trialWith(folder: string, ...faults: readonly Fault[]): PolebenchTrial {
  const terms = {
    topology: loadTopology("lan"),
    runtime: "netns",
    election: choose(DEFAULT_ELECTION, () => null),
    oracle: { name: "latency", preference: [], module: null },
    heartbeat: milliseconds(100),
    firstLeader: one,
    state: null,
    faults: faults.map((fault) => ({ at: seconds(1), fault })),
    isMoved: faults.some(({ kind }) => kind === "transfer"),
  };
  return new PolebenchTrial({ terms, folder, addressOf: () => "10.0.0.1", node: "node", source: "/source" });
}

test("a trial runs what people start, and the server that can be told to go wrong only where one is", () => {
  const program = (...faults: readonly Fault[]): string =>
    trialWith("/run", ...faults)
      .command(one, false)
      .filter((word) => word.endsWith(".ts"))
      .join();
  assert.equal(program(), "/source/node/main.ts");
  assert.equal(program({ kind: "crash", target }, { kind: "disk-wiped", target }), "/source/node/main.ts");
  assert.match(program({ kind: "disk-torn", target }), /\/bent-server\.ts$/);
  assert.match(program({ kind: "clock-leap", target, by: seconds(1) }), /\/bent-server\.ts$/);
});

test("a wiped disk has nothing of the service left, and what is said to the server stays", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "polebench-trial-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const data = join(folder, "p1", DATA_FOLDER);
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, "log.1"), "log");
  writeFileSync(join(folder, "p1", "orders.json"), "{}");
  trialWith(folder).wipe(one);
  assert.ok(!existsSync(data) && existsSync(join(folder, "p1", "orders.json")));
});

test("servers take orders only where somebody may have another lead, from who has the token", () => {
  const [plain, moved] = [trialWith("/run"), trialWith("/run", { kind: "transfer", target })];
  assert.ok(!plain.command(one, false).includes("--admin-server"));
  assert.equal(plain.handOver, null);
  assert.equal(plain.environment["POLEBENCH_PAGES_TOKEN"], undefined);
  assert.ok(moved.command(one, false).join(" ").includes("--admin-server yes --admin-address 10.0.0.1"));
  const token = moved.environment["POLEBENCH_PAGES_TOKEN"] ?? "";
  assert.match(token, /^[0-9a-f]{32}$/);
  assert.ok(moved.handOver?.at(-1)?.includes(token));
});
