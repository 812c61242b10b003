// lane: works, 2 s
// Deployment 1, p5's process dies and 10 ms later the news leaves: what each election took, beside what it
// takes by itself from when each server noticed.
import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { type ServerId, serverId } from "#node/core/identity.ts";
import { planTrial } from "../plan/flags.ts";
import { newsOf } from "../topology/outage.ts";
import { loadTopology } from "../topology/topology.ts";
import { NO_TIME } from "./server-recovery.ts";
import { type ElectionTimes, electionTimes } from "./election-times.ts";

const topology = loadTopology("3dc");
const p5 = serverId(5);
const news = newsOf(topology, [p5], 10);
const LIVING = [1, 2, 3, 4].map(serverId);

interface Found {
  /** After it noticed. */
  readonly electedMs: (server: ServerId) => number;
  readonly messages: number;
  readonly flags?: Readonly<Record<string, string>>;
  readonly silent?: readonly ServerId[];
}

function timesOf(
  election: string,
  { electedMs, messages, flags = {}, silent = [] }: Found,
): ElectionTimes | null {
  const plan = planTrial({ election, oracle: "preference", preference: "p5,p4,p3,p2,p1", ...flags }, "sim");
  const servers = LIVING.map((server) => ({
    server,
    stages: { ...NO_TIME, noticed: news(server), elected: electedMs(server) },
    committedAt: silent.includes(server) ? null : 1,
  }));
  const sent = { messages, bytes: 1 };
  return electionTimes(plan, {
    recovery: {
      leader: 4,
      stages: NO_TIME,
      totalMs: 0,
      unaccountedMs: 0,
      servers,
      detectionMs: 0,
      paperMs: null,
      pulledBytes: 0,
      followers: [],
    },
    election: {
      round: 2,
      leader: 4,
      candidates: LIVING.map((server) => ({ server, score: [server], why: {} })),
    },
    traffic: [{ of: "elected", perSecond: false, all: sent, servers: {} }],
    faults: [{ atMs: 0, fault: "crash leader", servers: [5] }],
    leaders: { before: 5, after: 4 },
  });
}

/** The ends of what each takes by itself, to 2 ms: what ways and machines may add is in it. */
const about = (times: ElectionTimes | null) => {
  assert.ok(times !== null && times.messages !== null);
  const { first, last, messages } = times;
  return { first: first.alone, last: last.alone, messages: messages.alone };
};
const FOUND: Found = { electedMs: () => 100, messages: 11 };

suite("beside the election by itself", () => {
  for (const [election, first, last, messages] of [
    ["lcr", 80.2, 145.4, 11],
    ["ring", 80.2, 145.4, 11],
    ["hs", 287.6, 352.8, 34],
    ["vote", 19.9, 58.5, 9],
  ] as const) {
    test(`${election}: the last lines of what was computed by hand, 10 ms later`, () => {
      const alone = about(timesOf(election, FOUND));
      // Six hops and more of a millisecond at most each, and a fortieth of the way.
      const isNear = ({ least, most }: { least: number; most: number }, ms: number): boolean =>
        least > ms - 10 && most < ms + 20 && least < ms + 5;
      assert.ok(isNear(alone.first, first), JSON.stringify(alone));
      assert.ok(isNear(alone.last, last), JSON.stringify(alone));
      assert.equal(alone.messages.least, messages, "no token comes before the news, but one of hs");
      assert.ok(alone.messages.most <= messages + 12, JSON.stringify(alone));
    });
  }

  test("of a run it has the first and the last that knew, from the fault on", () => {
    const times = timesOf("lcr", { electedMs: (server) => 80 - 10 * server, messages: 13 });
    assert.deepEqual([times?.first.ms.toFixed(2), times?.last.ms.toFixed(2)], ["50.05", "118.53"]);
    assert.equal(times?.messages?.count, 13);
  });

  test("nothing is said where not all that live told, or more than the leader died", () => {
    assert.equal(timesOf("lcr", { ...FOUND, silent: [serverId(1)] }), null);
  });

  test("an election that is never silent says no number of messages", () => {
    const times = timesOf("le", FOUND);
    assert.ok(times !== null);
    assert.equal(times.messages, null);
  });
});
