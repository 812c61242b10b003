// What it gains not to wait for the dead: the paper's deployments after p5's process was killed, T = 200 ms.
// The table testdata/known-down.txt holds the times that ARCHITECTURE.md quotes.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { ensemble, type ServerId, serverId } from "../../core/identity.ts";
import { between, instant, microseconds, milliseconds, toMilliseconds } from "../../core/time.ts";
import type { PoleMessage } from "./message.ts";
import { PoleElection } from "./pole.ts";
import { Rehearsal } from "../../testing/election/rehearsal.ts";
import { scripted } from "../../testing/election/scripted-judge.ts";
import { sayPole } from "../../testing/election/pole/say.ts";

const servers = ensemble([1, 2, 3, 4, 5]);
const p4 = serverId(4);
const p5 = serverId(5);

/** Round-trip times in ms (Table 2), and the site of p1, p2, ... p5 (Table 3). */
const rtts = { "slac caltech": 9.88, "tud cern": 20.75, "slac fnal": 53.26, "caltech fnal": 77.06 };
const deployments = {
  "Deployment 1": ["fnal", "slac", "slac", "caltech", "caltech"],
  "Deployment 2": ["fnal", "caltech", "caltech", "slac", "slac"],
  "Deployment 3": ["caltech", "fnal", "fnal", "slac", "slac"],
  "two data centers": ["tud", "cern", "tud", "cern", "cern"],
};
/** A LAN, as the paper measured it. */
const WITHIN_SITE = 0.1;

function delay(sites: readonly string[], from: ServerId, to: ServerId) {
  const [a, b] = [sites[from - 1], sites[to - 1]];
  const rtt = Object.entries(rtts).find(([pair]) => pair === `${a} ${b}` || pair === `${b} ${a}`)?.[1];
  return milliseconds((a === b ? WITHIN_SITE : (rtt ?? Number.NaN)) / 2);
}

/** From the death of p5 until the first and the last of the others has elected. */
function times(sites: readonly string[], knownDown: boolean): readonly string[] {
  const died = milliseconds(1000);
  const play = new Rehearsal<PoleMessage>({
    say: sayPole,
    servers,
    delay: (from, to) => delay(sites, from, to),
    enter: (self) => new PoleElection({ self, servers, judge: scripted({ score: 0 }), knownDown }),
  })
    .start(microseconds(0), ...servers)
    .crash(died, p5)
    .play(milliseconds(3000));
  const elected = [...play.elected.values()];
  assert.deepEqual(
    elected.map(({ leader }) => leader),
    [p4, p4, p4, p4],
  );
  const after = elected.map(({ at }) => toMilliseconds(between(instant(died), at)));
  return [Math.min(...after), Math.max(...after)].map((ms) => ms.toFixed(1).padStart(7));
}

test("knowing who is down saves all of T", (t) => {
  const rows = Object.entries(deployments).map(([name, sites]) => {
    const [off, on] = [times(sites, false), times(sites, true)];
    return `${name.padEnd(18)} ${[...off, ...on].join("")}`;
  });
  const table = `${t.name}

From the death of p5's process until p4 is elected, in ms, by the first and the last server. T = 200 ms.

                     to the letter  known down
                     first   last  first   last
${rows.join("\n")}
`;
  t.assert.fileSnapshot(table, join(import.meta.dirname, "testdata", "known-down.txt"), {
    serializers: [(text: string) => text],
  });
});
