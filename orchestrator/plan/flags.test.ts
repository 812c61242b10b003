import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, suite } from "node:test";
import { milliseconds, seconds } from "#node/core/time.ts";
import { RefusedInput } from "../terminal/problem.ts";
import { planTrial, type TrialFlags } from "./flags.ts";

const folder = mkdtempSync(join(tmpdir(), "polebench-flags-"));
after(() => rmSync(folder, { recursive: true }));
const ALONE = join(folder, "alone.yaml");
writeFileSync(ALONE, "sites:\n  here: { servers: [p1], load: 1 }\n");

test("nothing said is the paper's run: 120 s, 1000 writes/s, the leader p5 killed at 60 s", () => {
  const plan = planTrial({}, "sim");
  assert.equal(plan.topology.name, "3dc");
  assert.equal(plan.subject.firstLeader, 5);
  assert.deepEqual(plan.faults, [{ at: seconds(60), fault: { kind: "crash", target: { kind: "leader" } } }]);
  assert.equal(plan.subject.workload.ratePerSecond, 1000);
  assert.equal(plan.phases.duration, seconds(120));
  assert.equal(plan.phases.settle, seconds(10));
});

test("empty flags, as a Makefile passes them, are as if not given", () => {
  const empty = { oracle: "", duration: "", killAt: "", rate: "", load: "", seed: "", fault: [] };
  assert.deepEqual(JSON.stringify(planTrial(empty, "sim")), JSON.stringify(planTrial({}, "sim")));
});

test("what is said is what is planned", () => {
  const plan = planTrial(
    {
      topology: "2dc",
      oracle: "history",
      duration: "30s",
      killAt: "12.5s",
      rate: "250/s",
      load: "tud:1,cern:3",
      heartbeat: "1s",
      electionTimeout: "100ms",
      knownDown: "off",
      firstLeader: "p3",
      seed: "77",
    },
    "netns",
  );
  assert.equal(plan.topology.sites.get("cern")?.load, 0.75);
  assert.equal(plan.subject.oracle.name, "history");
  assert.equal(plan.faults[0]?.at, milliseconds(12_500));
  assert.deepEqual(plan.subject.election, {
    name: "pole",
    options: { electionTimeout: milliseconds(100), knownDown: false, succession: false },
  });
  assert.equal(plan.subject.firstLeader, 3);
  assert.equal(plan.seed, 77);
  assert.equal(plan.runtime, "netns");
});

test("QUICK shortens the phases and nothing else", () => {
  const [quick, whole] = [planTrial({ quick: true }, "sim"), planTrial({}, "sim")];
  assert.ok(quick.phases.duration < whole.phases.duration);
  assert.equal(quick.faults[0]?.at, quick.phases.duration / 2);
  const rest = ({ topology, subject }: typeof quick) => JSON.stringify([topology, subject]);
  assert.equal(rest(quick), rest(whole));
});

suite("refused before anything starts", () => {
  const refused: [flags: TrialFlags, problem: RegExp][] = [
    [{ topology: "3dd" }, /there is no topology "3dd", did you mean "3dc"\?/],
    [
      { oracle: "latancy" },
      /"latancy", did you mean "latency"\? Valid are history, .*, or the path of a mod/,
    ],
    [{ oracle: "best" }, /; valid are history, request, consensus, latency, worst-case/],
    [{ election: "vote", lease: "1001ms" }, /--election: a lease of 1001 ms is too long: .*998 ms at most/],
    [{ election: "raft" }, /--election: there is no "raft".*pole/],
    [{ system: "consul" }, /--system: there is no "consul"; valid are polebench, .*etcd-tuned/],
    [{ load: "caltec:1" }, /--load: unknown site "caltec", did you mean "caltech"\?/],
    [{ load: "caltech:0,slac:0" }, /--load: "caltech:0,slac:0" sums to 0/],
    [{ load: "caltech" }, /--load: "caltech" is not SITE:WEIGHT, such as caltech:1/],
    [{ killAt: "120s" }, /--kill-at: 120s is not before the end of the load at 120s/],
    [{ killAt: "60" }, /--kill-at: "60" is no duration with its unit/],
    [{ killAt: "1s" }, /--kill-at: 1s is before the end of the warm-up at 5s/],
    [{ killAt: "115s" }, /--kill-at: after 115s the service settles until 125s, the load ends at 120s$/],
    [{ settle: "60s" }, /--settle: after 60s the service settles until 120s, the load ends at 120s$/],
    [{ warmUp: "70s" }, /^--warm-up: 70s is after the fault at 60s$/],
    [{ warmUp: "120s", killAt: "never" }, /^--warm-up: 120s leave nothing of a load of 120s$/],
    [{ fault: ["200s crash leader"] }, /--fault: "200s crash leader" is not before the end/],
    [{ fault: ["1s pause p1", "60s crash leader"] }, /"1s pause p1" is before the end of the warm-up at 5s/],
    [
      { fault: ["60s crash p1", "111s restart p1"] },
      /after "111s restart p1" the service settles until 121s/,
    ],
    [{ fault: ["9s crash p9"] }, /--fault: "p9" is nothing to aim at/],
    [{ rate: "1000" }, /--rate: "1000" is no rate such as 1000\/s/],
    [{ rate: "0/s" }, /--rate: 0\/s sends nothing/],
    [{ rate: "20000/s" }, /--rate: caltech would send 6667\/s, the clients of a site send 5000\/s at most/],
    [{ rate: "6000/s", load: "slac:1" }, /--rate: slac would send 6000\/s/],
    [
      { rate: "6000/s", client: "kazoo" },
      /would send 2000\/s, kazoo's clients of a site send 1500\/s at most/,
    ],
    [{ firstLeader: "p7" }, /--first-leader: there is no server "p7"/],
    [{ oracle: "preference" }, /--oracle: preference needs the list/],
    [{ seed: "x" }, /--seed: "x" is no whole number/],
    [{ duration: "10ms" }, /--duration: 10ms is less than 1000ms/],
    [
      { election: "time-slice" },
      /--election: the election time-slice assumes rounds in which all step together, and here nobody waits/,
    ],
    [{ election: "itai-rodeh" }, /--election: no server has the election itai-rodeh; make theory ALGORITHM=/],
    [
      { election: "hs", topology: ALONE, killAt: "never" },
      /--election: the election hs assumes a ring, and here one server is alone: a ring has two or more/,
    ],
    [{ election: "lcr", ring: "p1,p2" }, /--ring: it has no place for p3, p4, p5/],
  ];
  for (const [flags, problem] of refused) {
    test(JSON.stringify(flags), () => {
      assert.throws(
        () => planTrial(flags, "sim"),
        (error) => error instanceof RefusedInput && error.exitCode === 64 && problem.test(error.message),
      );
    });
  }

  test("all problems at once", () => {
    assert.throws(
      () => planTrial({ oracle: "x", rate: "y", seed: "z" }, "sim"),
      /oracle.*\n.*rate.*\n.*seed/,
    );
  });
});
