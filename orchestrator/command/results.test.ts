import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { sourcesAsLoaded } from "../recording/sources.ts";
import { keptFlow, LeftBehind } from "./results.ts";

const folder = mkdtempSync(join(tmpdir(), "polebench-results-"));
after(() => rmSync(folder, { recursive: true }));
const cells = join(folder, "cells");
mkdirSync(join(cells, "3"), { recursive: true });
const leave = (flow: object): void => writeFileSync(join(cells, "3", "20.75ms.json"), JSON.stringify(flow));

test("a flow is measured once for the same conditions, and again for others or by other code", async () => {
  const setting = { runtime: "netns", quick: true } as const;
  const flow = { roundTripMs: 20.75, ...setting, sources: sourcesAsLoaded(null), bitsPerSecond: 9e8 };
  leave(flow);
  assert.equal(keptFlow(cells, 20.75, setting), 9e8);
  assert.equal(keptFlow(cells, 77.06, setting), null);
  assert.equal(keptFlow(cells, 20.75, { ...setting, quick: false }), null);
  assert.equal(keptFlow(cells, 20.75, { ...setting, runtime: "docker" }), null);
  leave({ ...flow, sources: "0123456789ab" });
  assert.equal(keptFlow(cells, 20.75, setting), null);
  // A page of what was measured is made of what is there.
  assert.deepEqual(await new LeftBehind(folder).flow(20.75), { kind: "done", bitsPerSecond: 9e8 });
  assert.equal((await new LeftBehind(folder).flow(77.06)).kind, "interrupted");
});
