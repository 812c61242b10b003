// lane: works, 6 s
import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { serverId } from "#node/core/identity.ts";
import { measure } from "../../measure/measures.ts";
import { planTrial, type TrialFlags } from "../../plan/flags.ts";
import { parseTopology } from "../../topology/topology.ts";
import { withService } from "../../plan/plan.ts";
import { scheduleOf } from "../../workload/schedule.ts";
import { simulate } from "./trial.ts";
import { conclude } from "../../measure/conclude.ts";

const FLAGS: TrialFlags = { topology: "3dc", duration: "8s", rate: "300/s", oracle: "latency", settle: "2s" };

const LAN_ONE_WAY = 50;

function lived(flags: TrialFlags) {
  const plan = planTrial({ ...FLAGS, ...flags }, "sim");
  const recording = simulate(plan);
  const { measures, verdict } = conclude(recording);
  assert.equal(verdict.judgement, "valid", JSON.stringify(verdict.findings));
  return { plan, recording, measures };
}

/** Two data centers; the one of the first leader has no quorum. */
const twoFarApart = (rtt: string) =>
  parseTopology(
    `sites:
  a: { servers: [p3, p5], load: 1 }
  b: { servers: [p1, p2, p4], load: 1 }
links:
  - { between: [a, b], rtt: ${rtt} }
`,
    "far.yaml",
  );

suite("distances", () => {
  // At 800 ms and some load what waits is more than a connection takes at first.
  for (const [rtt, rate] of [
    ["169ms", "50/s"],
    ["400ms", "50/s"],
    ["800ms", "10/s"],
  ] as const) {
    test(`two data centers ${rtt} apart are led by whom the plan says, and by another when it dies`, () => {
      const plan = planTrial({ ...FLAGS, rate, duration: "14s", killAt: "5s", settle: "6s" }, "sim");
      const recording = simulate({ ...plan, topology: twoFarApart(rtt) });
      const { measures, verdict } = conclude(recording);
      assert.equal(verdict.judgement, "valid", JSON.stringify(verdict.findings));
      assert.equal(measures.leaders.before, 5);
      const { after } = measures.leaders;
      assert.ok(after !== null && measures.physics.expectedLeaders.includes(after), `p${after} leads`);
    });
  }

  test("what cannot form is told in a sentence, with who follows whom", () => {
    const plan = { ...planTrial(FLAGS, "sim"), topology: twoFarApart("60s") };
    assert.throws(() => simulate(plan), {
      name: "NotFormed",
      exitCode: 2,
      message:
        /^the ensemble was not led by p5 within 30 s: p1, .* follow nobody, and a new .* Its .* 60000 ms; /,
    });
  });
});

suite("a trial in virtual time", () => {
  test("every planned request ends in exactly one line", () => {
    const { plan, recording } = lived({ killAt: "4s" });
    const { intended } = scheduleOf(plan.topology, plan.subject.workload, plan.phases.duration, plan.seed);
    const ids = recording.operations.map(({ id }) => id).sort((a, b) => a - b);
    assert.deepEqual(
      ids,
      Array.from(intended, (_, index) => index),
    );
    assert.ok(
      recording.operations.every(({ intended: due, sent, completed }) => due <= sent && sent <= completed),
    );
  });

  test("when its server dies, a client does not know of what was under way, and goes on next door", () => {
    const { recording, plan } = lived({ killAt: "4s", rate: "1000/s" });
    const own = recording.operations.filter(({ client }) => client === 5);
    const at = plan.faults[0]?.at ?? 0;
    const under = own.filter(({ sent, completed }) => sent < at && completed >= at + LAN_ONE_WAY);
    assert.ok(
      under.length > 0 && under.every(({ outcome, server }) => outcome === "unknown" && server === 5),
    );
    const later = own.filter(({ intended }) => intended > at + 1000);
    assert.ok(later.length > 150 && later.every(({ outcome, server }) => outcome === "ok" && server === 4));
  });

  test("the servers tell how much they said to each other, and a killed one says no more", () => {
    const { measures } = lived({ killAt: "4s" });
    const row = (of: string) => measures.traffic.find((one) => one.of === of) ?? assert.fail(of);
    assert.ok(row("elected").all.messages >= 12, "each of four tells the three others");
    assert.equal(row("pulled").all.messages, 0, "nobody lacks anything");
    assert.ok(row("discovered").all.messages >= 6, "two joins, two epochs, two promises");
    assert.ok(row("before").all.messages > 4 * 300, "a proposal for each of four followers");
    assert.deepEqual(Object.keys(row("after").servers), ["1", "2", "3", "4"]);
    assert.ok(row("first commit").all.bytes > 20 * 1024, "what waited");
  });

  test("a machine that dies says nothing: it is missed, then replaced", () => {
    const { measures } = lived({ fault: ["4s crash-machine leader"], settle: "3s" });
    const silence = measures.recovery?.stages.noticed ?? 0;
    // Three heartbeats of 100 ms, and the last one may have come just before.
    assert.ok(silence > 200 && silence < 1000, `noticed after ${silence} ms`);
    assert.notEqual(measures.leaders.after, 5);
  });

  test("a leader that stands still is replaced, and follows when it wakes", () => {
    const { measures, recording } = lived({ fault: ["3s pause leader", "5s resume p5"] });
    assert.notEqual(measures.leaders.after, 5);
    const last = recording.events.findLast(({ server, event }) => server === 5 && event.kind === "serving");
    assert.ok(last?.event.kind === "serving" && last.event.leader === measures.leaders.after);
    assert.equal(recording.finals.length, 5);
  });

  test("a site that is cut off joins again when the cut heals", () => {
    const { recording, measures } = lived({ fault: ["3s cut site:fnal", "5s heal"] });
    assert.equal(measures.leaders.after, 5);
    const stuck = recording.operations.filter(({ site }) => site === "fnal");
    assert.ok(stuck.some(({ intended, completed }) => intended < 4e6 && completed > 5e6));
    assert.equal(recording.finals.length, 5);
  });

  test("a restarted server is level in the end", () => {
    const { recording } = lived({ fault: ["3s crash p1", "5s restart crashed"] });
    assert.deepEqual(
      recording.marks.map(({ fault, servers }) => [fault, servers]),
      [
        ["crash p1", [1]],
        ["restart crashed", [1]],
      ],
    );
    assert.equal(recording.finals.find(({ server }) => server === 1)?.digest, recording.finals[0]?.digest);
  });

  test("a link that grows longer is felt at once", () => {
    const { measures } = lived({ fault: ["4s link caltech fnal 200ms"] });
    const { before, after } = measures.latencies.sites["fnal"] ?? assert.fail();
    const grown = (after.latency?.mean ?? 0) - (before.latency?.mean ?? 0);
    assert.ok(Math.abs(grown - (200 - 77.06)) < 5, `${grown} ms more`);
  });

  test("who was absent when the state was written has to fetch it", () => {
    const plan = planTrial({ ...FLAGS, topology: "8a", oracle: "rotating" }, "sim");
    const crash = plan.faults[0] ?? assert.fail();
    const back = { at: planTrial({ fault: ["3.8s heal"] }, "sim").faults[0]?.at ?? assert.fail() };
    const recording = simulate({
      ...withService(plan, { state: { bytes: 20e6, absent: [serverId(1)], historyBytes: 2 ** 20 } }),
      faults: [{ ...back, fault: { kind: "restart", target: { kind: "crashed" } } }, crash],
    });
    const { recovery, leaders } = measure(recording);
    assert.equal(leaders.after, 1);
    assert.ok((recovery?.pulledBytes ?? 0) > 20e6);
  });
});
