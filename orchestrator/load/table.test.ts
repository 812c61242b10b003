import assert from "node:assert/strict";
import test from "node:test";
import type { Answered } from "./answers.ts";
import type { Crowded } from "./crowded.ts";
import { printLoad } from "./table.ts";

const crowding = {
  sessions: 1000,
  watches: 10_000,
  znodes: 100_000,
  payloadBytes: 100,
  restSeconds: 1,
  windowSeconds: 1,
};
const overloading = { times: 3, seconds: 10, payloadBytes: 1024 };
const answering = { pipelined: 500, stuck: 1000, seconds: 10 };
const asked = { crowding, overloading, answering };
const pings = { count: 100, p50Ms: 0.42, p99Ms: 12.6, maxMs: 20 };

const crowded: Crowded = {
  gatheredSeconds: 1,
  plantedSeconds: 2,
  lost: 0,
  residentMb: { empty: 100, sessions: 101, watches: 104, znodes: 134 },
  pings,
  busyPings: pings,
  outage: {
    gapMs: 45,
    stallMs: 3,
    unknown: 1,
    moved: 333,
    movedMs: 400,
    expired: 0,
    created: 1000,
    told: 1000,
  },
};

test("what one costs: on all three servers, on its own, on each", () => {
  const lines = printLoad({ ours: { crowded }, theirs: {} }, asked).split("\n");
  assert.equal(lines[0], "## 1,000 sessions, 10,000 watches, 100,000 znodes of 100 B, on 3 servers");
  assert.equal(lines[2], "|  | ours | theirs |");
  assert.ok(lines.includes("| for a session, on all three together | 3000 B |  |"));
  assert.ok(lines.includes("| for a watch, on its server | 900 B |  |"));
  assert.ok(lines.includes("| for a znode, on each server | 300 B |  |"));
  assert.ok(lines.includes("| ping, p50 / p99 / max | 0.4 ms / 13 ms / 20 ms |  |"));
  assert.equal(
    lines.some((line) => /Overload|Answers/.test(line)),
    false,
    "what was not measured is not there",
  );
});

const answered: Answered = {
  served: 499,
  servedSeconds: 1.23,
  residentMb: { before: 100, stuck: 250, after: 110 },
  modest: { before: pings, stuck: { ...pings, p99Ms: 34 } },
  lost: 2,
  changes: 1234,
  cutOff: 5,
  elections: 1,
};

test("answers that nobody takes: what was served, what they cost, and what the others felt", () => {
  const lines = printLoad({ ours: { answered } }, asked).split("\n");
  assert.equal(
    lines[0],
    "## Answers: 500 reads of 1 MB at once; 1,000 clients at the leader that read nothing for 10 s, " +
      "half asking as much, half watching",
  );
  assert.deepEqual(lines.slice(4, -1), [
    "| reads at once that were served, in order | 499 in 1.2 s |",
    "| memory of the leader: before | 100 MB |",
    "| at most, while they are stuck | 250 MB |",
    "| 5 s after they have gone | 110 MB |",
    "| one at a time, before: p50 / p99 / max | 0.4 ms / 13 ms / 20 ms |",
    "| one at a time, meanwhile | 0.4 ms / 34 ms / 20 ms |",
    "| their connections that ended | 2 |",
    "| changes that were watched | 1,234 |",
    "| stuck clients that were cut off | 5 |",
    "| elections | 1 |",
  ]);
});
