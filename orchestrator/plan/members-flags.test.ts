import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { milliseconds, seconds } from "#node/core/time.ts";
import { RefusedInput } from "../terminal/problem.ts";
import { withLoss } from "../topology/topology.ts";
import { type MembersFlags, planMembers, sharedLossOf } from "./members-flags.ts";
import { isOfService } from "./plan.ts";
import { parsePlan, printPlan } from "./plan-text.ts";

test("nothing said is LE-S among five members of one site that lose nothing", () => {
  const { topology, subject, faults, duration } = planMembers({}, "sim");
  assert.equal(topology.name, "lan");
  assert.deepEqual(
    subject.members.map(({ member, site }) => `${member} ${site}`),
    ["1 lan", "2 lan", "3 lan", "4 lan", "5 lan"],
  );
  assert.deepEqual(subject.initiators, [1, 2, 3, 4, 5]);
  assert.deepEqual(subject.election, {
    name: "le-s",
    options: {
      announce: seconds(1),
      listen: milliseconds(3500),
      suppress: milliseconds(500),
      bye: 0,
      steepness: 0,
    },
  });
  assert.deepEqual([faults, duration], [[], seconds(20)]);
});

test("members stand at the sites that have servers in turn, or where they are told to", () => {
  const sites = (members: string) =>
    planMembers({ topology: "3dc", members }, "sim").subject.members.map(({ site }) => site);
  assert.equal(new Set(sites("6")).size, 3);
  assert.deepEqual(sites("slac:1,fnal:2"), ["slac", "fnal", "fnal"]);
});

test("loss holds on every way, also inside of a site, and is shared or not", () => {
  const { topology } = planMembers({ loss: "7%", shared: true }, "sim");
  assert.deepEqual([topology.link("lan", "lan").loss, topology.multicastLoss], [0.07, "shared"]);
  assert.equal(planMembers({ topology: "3dc", loss: "7%" }, "sim").topology.link("slac", "fnal").loss, 0.07);
});

test("so much of the loss is shared, and a plan keeps it", () => {
  const plan = planMembers({ loss: "10%", shared: "4%" }, "sim");
  assert.equal(plan.topology.multicastLoss, 0.04);
  assert.equal(sharedLossOf(plan.topology, ["lan"]), 0.04);
  const again = parsePlan(printPlan(plan));
  assert.ok(typeof again !== "string");
  assert.equal(again.topology.multicastLoss, 0.04);
  assert.equal(sharedLossOf(withLoss(plan.topology, 0.03, 0.04), ["lan"]), null, "a way loses less");
});

test("members are worth what their distances to all others make of them, and a plan keeps it", () => {
  const flags = { topology: "3dc", members: "6", election: "le-mapped", worthBy: "distance" };
  const plan = planMembers(flags, "sim");
  const worths = plan.subject.members.map(({ worth = 0 }) => worth);
  assert.deepEqual([Math.max(...worths), Math.min(...worths)], [1000, 1]);
  const sites = plan.subject.members.map(({ site }) => site);
  assert.ok(
    sites.every((site, at) => worths[at] === worths[sites.indexOf(site)]),
    "a site is one distance",
  );
  const again = parsePlan(printPlan(plan));
  assert.ok(typeof again !== "string" && !isOfService(again));
  assert.deepEqual(again.subject.members, plan.subject.members);
});

test("a plan comes back from its text as it was", () => {
  const flags = {
    topology: "3dc",
    members: "7",
    initiators: "1-3,6",
    loss: "7%",
    shared: true,
    election: "le-a",
    buffer: "42",
  };
  const text = printPlan(planMembers({ ...flags, listen: "2500ms", fault: ["3s restart crashed"] }, "sim"));
  const again = parsePlan(text);
  assert.ok(typeof again !== "string" && !isOfService(again));
  assert.equal(printPlan(again), text);
  assert.deepEqual(again.subject.initiators, [1, 2, 3, 6]);
  assert.equal(again.subject.buffer, 42);
  assert.equal(again.topology.link("slac", "slac").loss, 0.07);
  const wrong = text.replace('"listenUs"', '"lissenUs"');
  const refused = parsePlan(wrong);
  assert.match(typeof refused === "string" ? refused : "", /the election le-a has no such field/);
});

suite("refused before anything starts", () => {
  const refused: readonly (readonly [MembersFlags, RegExp])[] = [
    [{ members: "many" }, /--members: "many" is neither a number nor SITE:NUMBER/],
    [{ members: "1001" }, /--members: 1001 are too many: 1000 at most/],
    [{ members: "lam:2" }, /--members: unknown site "lam", did you mean "lan"/],
    [{ initiators: "4-7" }, /--initiators: there are members 1 to 5, and no 6, 7/],
    [{ loss: "100%" }, /--loss: "100%" is no percentage below 100%/],
    [{ shared: true }, /--shared: of what\? say --loss 10% too/],
    [{ loss: "5%", shared: "6%" }, /--shared: "6%" is no percentage up to what is lost in all/],
    [{ buffer: "0" }, /--buffer: without a place nothing is heard/],
    [{ election: "pole" }, /--election: there is no "pole"/],
    [{ election: "le-a", suppress: "1s" }, /--suppress: the election le-a has no such option/],
    [{ worthBy: "distance" }, /--worth-by: the election le-s does not ask what a member is worth/],
    [{ election: "le-mapped", worthBy: "age" }, /--worth-by: "age" is no criterion; there is distance/],
    [{ listen: "100ms" }, /--election: listen is shorter than announce/],
    [{ fault: ["3s cut p1"] }, /"3s cut p1": members can crash, leave and be restarted/],
    [{ killAt: "30s" }, /"30s crash leader" is not before the end at 20s/],
  ];
  for (const [flags, sentence] of refused) {
    test(JSON.stringify(flags), () => {
      assert.throws(
        () => planMembers(flags, "sim"),
        (error) => error instanceof RefusedInput && sentence.test(error.message),
      );
    });
  }
});
