// lane: works, 6 s
/**
 * Announce-listen as a replica's election while the network is apart. A guess is cheap and may be wrong: both
 * halves may announce a leader, as in the thesis, and Zab lets only the one serve that has a quorum.
 */
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { conclude } from "../../measure/conclude.ts";
import { planTrial, type TrialFlags } from "../../plan/flags.ts";
import { simulate } from "./trial.ts";

const FLAGS: TrialFlags = {
  topology: "3dc",
  rate: "150/s",
  warmUp: "500ms",
  settle: "1s",
  oracle: "latency",
};
/** Where the leader is, and one more server; three are elsewhere. */
const [CUT, HEALED] = [2_000_000, 12_000_000];
const APART = { ...FLAGS, duration: "18s", fault: ["2s cut site:caltech", "12s heal"] };
const HOME = [4, 5];

/** Who took whom for the leader while they were apart, and who served, on either side. */
function apart(flags: TrialFlags) {
  const recording = simulate(planTrial({ ...APART, ...flags }, "sim"));
  const { verdict, measures } = conclude(recording);
  assert.equal(verdict.judgement, "valid", JSON.stringify(verdict.findings));
  const told = recording.events.filter(({ at }) => at > CUT && at < HEALED);
  const side = (isHome: boolean) => told.filter(({ server }) => HOME.includes(server) === isHome);
  const leaders = (kind: "elected" | "serving", isHome: boolean): readonly number[] => {
    const found = side(isHome).flatMap(({ event }) => (event.kind === kind ? [Number(event.leader)] : []));
    return [...new Set(found)].sort((a, b) => a - b);
  };
  return {
    elected: { home: leaders("elected", true), away: leaders("elected", false) },
    served: { home: leaders("serving", true), away: leaders("serving", false) },
    outageMs: measures.outage?.ms ?? Number.NaN,
    healedAt: recording.marks.at(-1)?.at,
  };
}

suite("two halves of a cut network", () => {
  test("both announce a leader, as in the thesis; only the half with a quorum serves one", () => {
    const { elected, served } = apart({ election: "le", quorum: "no" });
    assert.ok(elected.home.length > 0 && elected.home.every((leader) => HOME.includes(leader)));
    assert.ok(elected.away.length > 0 && elected.away.every((leader) => !HOME.includes(leader)));
    assert.deepEqual(served.home, [], "a guess without a quorum costs time, and never a write");
    assert.equal(served.away.length, 1);
  });

  test("who asks for a quorum first announces nobody where there is none", () => {
    const { elected, served } = apart({ election: "le" });
    assert.deepEqual([elected.home, served.home], [[], []]);
    assert.equal(served.away.length, 1);
  });

  test("POLE elects there too; announce-listen serves the others again within a second of it", (t) => {
    const [le, pole] = [apart({ election: "le" }), apart({ election: "pole" })];
    assert.deepEqual(pole.served.home, []);
    assert.deepEqual(pole.served.away, le.served.away, "the same leader, by the same scores");
    t.diagnostic(`without service: announce-listen ${le.outageMs} ms, POLE ${pole.outageMs} ms`);
    assert.ok(Math.abs(le.outageMs - pole.outageMs) < 1000);
  });
});
