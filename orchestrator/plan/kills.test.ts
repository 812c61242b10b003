import assert from "node:assert/strict";
import test from "node:test";
import { loadTopology } from "../topology/topology.ts";
import { OTHER_SYSTEMS } from "../system/catalog.ts";
import { beyondReach } from "./fault-terms.ts";
import { planTrial } from "./flags.ts";
import { KILL_KINDS, killDuration, killWords } from "./kills.ts";

for (const kind of KILL_KINDS) {
  test(`${kind}: the leader is lost, and what ends that comes as much later as was asked, on any map`, () => {
    for (const topology of ["lan", "3dc"]) {
      const fault = killWords(kind, loadTopology(topology), 8);
      const plan = planTrial({ topology, fault, duration: `${killDuration(8)}s` }, "netns");
      const { faults, phases } = plan;
      for (const system of OTHER_SYSTEMS) assert.deepEqual(beyondReach({ ...plan, system }), [], system);
      const [first, ...ends] = faults;
      assert.ok(first !== undefined && "target" in first.fault ? first.fault.target.kind === "leader" : true);
      assert.ok(ends.length > 0 && ends.every(({ at }) => at === (first?.at ?? 0) + 8e6));
      assert.ok(phases.duration > (ends.at(-1)?.at ?? 0) + phases.settle);
    }
  });
}
