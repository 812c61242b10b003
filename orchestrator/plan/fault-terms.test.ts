import assert from "node:assert/strict";
import { test } from "node:test";
import { RefusedInput } from "../terminal/problem.ts";
import { beyondReach } from "./fault-terms.ts";
import { planTrial } from "./flags.ts";
import type { Runtime } from "./plan.ts";

const plan = (runtime: Runtime, system: string, fault: string) => () =>
  planTrial({ system, fault: [fault] }, runtime);

const refused: [runtime: Runtime, system: string, fault: string, why: RegExp][] = [
  [
    "sim",
    "polebench",
    "60s loss slac fnal 5%",
    /"60s loss slac fnal 5%": virtual time .* no packets for loss/,
  ],
  ["sim", "polebench", "60s duplicate slac fnal 5%", /no packets for duplicate: take --runtime netns$/],
  ["sim", "polebench", "60s corrupt slac fnal 5%", /no packets for corrupt/],
  ["sim", "polebench", "60s forget-any p1 p2", /no packets for forget-any/],
  [
    "docker",
    "polebench",
    "60s disk-full p3",
    /servers of the image have no disk that .*take --runtime netns$/,
  ],
  ["docker", "polebench", "60s clock-jump p3 +5s", /servers of the image have no clock/],
  ["netns", "zookeeper", "60s disk-failing p3", /ZooKeeper.* has no disk that goes wrong when it is told to/],
  ["netns", "zookeeper", "60s transfer p3", /ZooKeeper.* has no way to have a server of choice lead$/],
  ["docker", "polebench", "60s disk-stuck p3", /servers of the image have no disk of their own: take/],
  ["docker", "polebench", "60s transfer p3", /nobody can order it in the image: take --runtime netns$/],
  ["netns", "zookeeper", "60s clock-leap p3 5s", /ZooKeeper.* has no clock/],
];
for (const [runtime, system, fault, why] of refused) {
  test(`${fault} is refused for ${system} in ${runtime}, before anything starts`, () => {
    assert.throws(
      plan(runtime, system, fault),
      (error) => error instanceof RefusedInput && why.test(error.message),
    );
  });
}

test("what can be done where a plan runs is not refused", () => {
  for (const [runtime, system, fault] of [
    ["sim", "polebench", "60s disk-torn p3"],
    ["sim", "polebench", "60s transfer p3"],
    ["netns", "polebench", "60s transfer p3"],
    ["sim", "polebench", "60s clock-leap p3 5s"],
    ["sim", "polebench", "60s rate slac fnal 10mbit"],
    ["netns", "polebench", "60s disk-slow p3 200ms"],
    ["netns", "polebench", "60s corrupt slac fnal 1%"],
    ["docker", "polebench", "60s disk-wiped p3"],
    ["docker", "polebench", "60s loss slac fnal 1%"],
    ["netns", "zookeeper", "60s disk-wiped p3"],
    ["netns", "zookeeper", "60s disk-stuck p3"],
    ["netns", "etcd", "60s disk-stuck leader"],
    ["sim", "polebench", "60s disk-stuck p3"],
  ] as const)
    assert.doesNotThrow(plan(runtime, system, fault), fault);
});

test("a system of a comparison is asked for itself", () => {
  const { runtime, faults } = plan("netns", "polebench", "60s disk-full p3")();
  const said = { runtime, faults, system: "polebench" } as const;
  assert.deepEqual(beyondReach(said), []);
  assert.match(beyondReach({ ...said, system: "zookeeper" }).join(), /has no disk/);
});
