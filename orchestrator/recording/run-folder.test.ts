import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readlinkSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { suite } from "node:test";
import { epoch } from "#node/core/zxid.ts";
import { serverId } from "#node/core/identity.ts";
import { milliseconds } from "#node/core/time.ts";
import { loadTopology, shippedTopologies, withLink, withLoad } from "../topology/topology.ts";
import { planTrial } from "../plan/flags.ts";
import { parsePlan, printPlan } from "../plan/plan-text.ts";
import { clientsOf } from "../workload/schedule.ts";
import { madeCertificate } from "../testing/made-certificate.ts";
import { isServiceRecording, type ServiceRecording } from "./recording.ts";
import { pointLatest, readRecording, writeRecording } from "./run-folder.ts";
import { printTopology, readTopologyText } from "../topology/text.ts";

const plan = planTrial({ load: "caltech:1,fnal:3", fault: ["5s cut site:slac", "9s heal"] }, "sim");

const recording: ServiceRecording = {
  plan,
  clients: clientsOf(plan.topology),
  operations: [
    {
      id: 0,
      client: 1,
      site: "fnal",
      server: 1,
      intended: 10,
      sent: 11,
      completed: 63_000,
      outcome: "ok",
      zxid: 2 ** 32 + 1,
    },
  ],
  events: [
    { at: -900, server: 5, event: { kind: "serving", leader: serverId(5), epoch: epoch(1) } },
    { at: 5_000_100, server: 2, event: { kind: "lost", leader: serverId(5), reason: "it is silent" } },
  ],
  marks: [{ at: 5_000_000, fault: "cut site:slac", servers: [2, 3] }],
  certificates: { idle: madeCertificate([["slac", "fnal", 53.3]]), loaded: null },
  machine: null,
  finals: [{ server: 1, zxid: 2 ** 32 + 1, digest: "a", keys: [{ client: 1, lastId: 0, version: 1 }] }],
  resources: [],
  unmeasured: { resources: "it could not be measured: gone" },
  lifted: true,
  environment: {
    command: "make run",
    startedAt: "2026-01-01T00:00:00Z",
    sources: "0123456789ab",
    version: "0.1.0",
    commit: "abc",
    node: "v24",
    kernel: "6",
    machine: "x64",
    engine: "virtual",
  },
  interrupted: false,
};

/** Topologies hold a function; what is printed of them can be compared. */
const comparable = (one: ServiceRecording) => ({ ...one, plan: JSON.parse(printPlan(one.plan)) as unknown });

const inFolder = (body: (folder: string) => void) => () => {
  const parent = mkdtempSync(join(tmpdir(), "polebench-"));
  try {
    const folder = join(parent, "run");
    writeRecording(folder, recording);
    body(folder);
  } finally {
    rmSync(parent, { recursive: true });
  }
};

function keptIn(folder: string): ServiceRecording {
  const kept = readRecording(folder);
  assert.ok(isServiceRecording(kept));
  return kept;
}

suite("the folder of a run", () => {
  test(
    "holds the whole recording",
    inFolder((folder) => {
      assert.deepEqual(comparable(keptIn(folder)), comparable(recording));
    }),
  );

  test(
    "is readable although the run was cut off in the middle of a line",
    inFolder((folder) => {
      truncateSync(join(folder, "operations.csv"), 90);
      truncateSync(join(folder, "events.ndjson"), 100);
      const { operations, events } = keptIn(folder);
      assert.equal(operations.length, 0);
      assert.equal(events.length, 1);
    }),
  );

  test(
    "of a version whose elections had no words of their own tells the same",
    inFolder((folder) => {
      const scored = { round: 2, score: [41.5], why: { meanRttMs: 41.5 } };
      const lines = [
        { at: 1, server: 3, event: { kind: "candidate", ...scored } },
        { at: 2, server: 3, event: { kind: "elected", leader: 3, round: 2 } },
      ];
      writeFileSync(join(folder, "events.ndjson"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      const { events } = readRecording(folder);
      const facts = { name: "candidate", ...scored };
      assert.deepEqual(events[0]?.event, { kind: "observed", election: "pole", facts });
    }),
  );

  test(
    "of a version that tried nothing but services has the same plan",
    inFolder((folder) => {
      const file = join(folder, "trial.json");
      writeFileSync(file, JSON.stringify(inFirstFormat(readFileSync(file, "utf8"))));
      assert.deepEqual(printPlan(readRecording(folder).plan), printPlan(plan));
    }),
  );

  test(
    "keeps of its plan every option of the election, in the fields that earlier versions wrote",
    inFolder((folder) => {
      const file = join(folder, "trial.json");
      const kept = inFirstFormat(readFileSync(file, "utf8"));
      const { succession: _later, ...earlier } = kept.election;
      assert.deepEqual(earlier, { name: "pole", timeoutUs: 200_000, knownDown: true });
      const written = (election: Record<string, unknown>) => {
        writeFileSync(file, JSON.stringify({ ...kept, election }));
        return readRecording(folder).plan.subject.election;
      };
      assert.deepEqual(written({ name: "pole", timeoutUs: 1000, knownDown: false }), {
        name: "pole",
        options: { electionTimeout: 1000, knownDown: false, succession: false },
      });
      assert.throws(() => written({ name: "pole", tour: 1 }), /the election pole has no such field/);
      assert.throws(() => written({ name: "pole", knownDown: 7 }), /the election pole cannot have 7 there/);
    }),
  );

  test(
    "says which file is wrong, and why",
    inFolder((folder) => {
      writeFileSync(join(folder, "operations.csv"), "x");
      assert.throws(() => readRecording(folder), /operations\.csv: line 1: expected id,client/);
      assert.throws(() => readRecording(join(folder, "nowhere")), /trial\.json: cannot be read/);
      writeRecording(folder, recording);
      writeFileSync(join(folder, "measured.json"), '{"format":"polebench measured 1","roundTrips":[]}');
      assert.throws(() => readRecording(folder), /format is "polebench measured 1", this version reads/);
      truncateSync(join(folder, "measured.json"), 20);
      assert.throws(() => readRecording(folder), /measured\.json: it is no JSON; was the run cut off/);
      writeFileSync(join(folder, "trial.json"), '{"format":"polebench trial 1"}');
      assert.throws(() => readRecording(folder), /trial\.json:.*topology/s);
    }),
  );

  test(
    "is where latest points",
    inFolder((folder) => {
      pointLatest(folder);
      pointLatest(folder);
      assert.equal(readlinkSync(join(folder, "..", "latest")), "run");
    }),
  );
});

/** As services stood in plans before there was anything else to try. */
function inFirstFormat(text: string): Record<string, unknown> & { election: Record<string, unknown> } {
  const { subject, ...rest } = JSON.parse(text) as { subject: { election: Record<string, unknown> } };
  const { kind: _kind, ...fields } = { kind: "", ...subject };
  return { ...rest, ...fields, format: "polebench trial 1" };
}

suite("a plan as text", () => {
  test("comes back as it was, every shipped topology with it", () => {
    for (const topology of shippedTopologies()) {
      const text = printPlan(planTrial({ topology }, "sim"));
      const again = parsePlan(text);
      assert.ok(typeof again !== "string", topology);
      assert.equal(printPlan(again), text);
    }
  });

  test("a changed link and a changed load stay changed", () => {
    const changed = withLoad(
      withLink(loadTopology("2dc"), "tud", "cern", { delay: milliseconds(7) }),
      new Map([["cern", 1]]),
    );
    const again = readTopologyText(printTopology(changed), "2dc");
    assert.equal(again.link("tud", "cern").delay, milliseconds(7));
    assert.equal(again.link("cern", "tud").delay, loadTopology("2dc").link("cern", "tud").delay);
    assert.equal(again.sites.get("tud")?.load, 0);
    assert.equal(again.name, "2dc");
  });
});
