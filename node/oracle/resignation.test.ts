// When a leader gives its place to a better one, and when it does not.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { serverId } from "../core/identity.ts";
import { instant, milliseconds, seconds } from "../core/time.ts";
import { type OracleMap, seenBy } from "../testing/oracle/map.ts";
import { history } from "./history.ts";
import { latency } from "./latency.ts";
import type { Oracle } from "./oracle.ts";
import { preference } from "./preference.ts";
import { readResign, Resignation, USUAL_TERMS } from "./resignation.ts";

const terms = { ...USUAL_TERMS, hold: seconds(5), quiet: seconds(20), most: 3 };

const sentence = (read: unknown): string => (typeof read === "string" ? read : "it was taken");

/** p1 and p2 near each other, p3 far; the load is at `at`. */
const loadAt = (at: number, more: Partial<OracleMap> = {}): OracleMap => ({
  distances: [
    [0, 10, 60],
    [10, 0, 55],
    [60, 55, 0],
  ],
  rates: [1, 2, 3].map((server) => (server === at ? 900 : 50)),
  ...more,
});

/** A leader that looks each second. */
class Reign {
  readonly #resignation: Resignation;
  #at = 0;

  constructor(oracle: Oracle, leader = 1) {
    this.#resignation = new Resignation(oracle, terms);
    this.#resignation.served(serverId(leader), instant(0));
  }

  /** Whom it names in so many seconds, and after how many. */
  looks(count: number, map: OracleMap, self = 1): readonly (readonly [after: number, to: number])[] {
    const named: [number, number][] = [];
    for (let n = 1; n <= count; n++) {
      this.#at += 1e6;
      const { to } = this.#resignation.look(seenBy(self, map), true, instant(this.#at));
      if (to !== null) named.push([n, to]);
    }
    return named;
  }

  /** The place has changed hands, or not. */
  served(leader: number): void {
    this.#resignation.served(serverId(leader), instant(this.#at));
  }

  kept(): void {
    this.#resignation.kept(instant(this.#at));
  }

  events(map: OracleMap, leads = true) {
    this.#at += 1e6;
    return this.#resignation.look(seenBy(1, map), leads, instant(this.#at)).events;
  }
}

describe("a leader that would be beaten", () => {
  test("names the better one once that has been better for the hold-down, and all have been quiet", () => {
    const reign = new Reign(latency);
    assert.deepEqual(reign.looks(30, loadAt(1)), [], "it is where the load is");
    assert.deepEqual(reign.looks(10, loadAt(2)), [[6, 2]], "the load has moved");
  });

  test("stays while the other is better by less than the margin, or by less than is worth it", () => {
    const close: OracleMap = {
      distances: [
        [0, 10, 60],
        [10, 0, 55],
        [60, 55, 0],
      ],
      rates: [100, 120, 100],
    };
    assert.deepEqual(new Reign(latency).looks(60, close), []);
    const lan: OracleMap = {
      distances: [
        [0, 0.1, 0.2],
        [0.1, 0, 0.1],
        [0.2, 0.1, 0],
      ],
      rates: [0, 0, 1000],
    };
    assert.deepEqual(new Reign(latency).looks(60, lan), [], "a tenth of a millisecond");
  });

  test("begins to count anew when the other was no better for a moment, or not there", () => {
    const reign = new Reign(latency);
    reign.looks(25, loadAt(1));
    assert.deepEqual(reign.looks(4, loadAt(2)), []);
    reign.looks(1, loadAt(1));
    assert.deepEqual(reign.looks(5, loadAt(2)), []);
    reign.looks(1, loadAt(2, { dead: [2] }));
    assert.deepEqual(reign.looks(7, loadAt(2)), [[6, 2]]);
  });

  test("is quiet after any change of leader, and the one that follows it as well", () => {
    const reign = new Reign(latency);
    reign.looks(25, loadAt(1));
    assert.deepEqual(reign.looks(6, loadAt(2)), [[6, 2]]);
    reign.served(2);
    assert.deepEqual(reign.looks(25, loadAt(1), 2), [[20, 1]]);
  });

  test("stays once the leader has changed often enough in an hour, and says so once", () => {
    const reign = new Reign(latency);
    reign.looks(20, loadAt(1));
    for (const leader of [2, 1, 2]) {
      reign.served(leader);
      reign.looks(21, loadAt(leader), leader);
    }
    const said = Array.from({ length: 40 }, () => reign.events(loadAt(2))).flat();
    assert.deepEqual(said, [{ kind: "staying", to: 2, changes: 3 }]);
    const [again] = reign.looks(3600, loadAt(2));
    assert.ok(again !== undefined && again[0] > 3400, "once the first of the three is an hour old");
  });

  test("that could not give its place away waits as long as after a change", () => {
    const reign = new Reign(latency);
    reign.looks(25, loadAt(1));
    reign.looks(6, loadAt(2));
    reign.kept();
    assert.deepEqual(reign.looks(25, loadAt(2)), [[20, 2]]);
  });

  test("hears nothing of one that has told nothing of itself", () => {
    const map = loadAt(2);
    const view = seenBy(1, map);
    const silent = { ...view, reports: new Map([...view.reports].filter(([server]) => server !== 2)) };
    const resignation = new Resignation(latency, terms);
    for (let at = 0; at < 60; at++) assert.equal(resignation.look(silent, true, instant(at * 1e6)).to, null);
  });
});

test("whoever is preferred and is back has the place once it has been there for the hold-down", () => {
  const list = preference([2, 1, 3].map(serverId));
  const reign = new Reign(list);
  assert.deepEqual(reign.looks(40, loadAt(1, { dead: [2] })), []);
  assert.deepEqual(reign.looks(10, loadAt(1)), [[6, 2]]);
});

test("who does not lead names nobody", () => {
  const resignation = new Resignation(latency, terms);
  resignation.served(serverId(2), instant(0));
  for (let at = 0; at < 60; at++)
    assert.equal(resignation.look(seenBy(1, loadAt(3)), false, instant(at * 1e6)).to, null);
});

test("by an oracle in which nobody is better by a share no leader resigns", () => {
  assert.deepEqual(new Reign(history).looks(60, loadAt(2)), []);
});

test("what was predicted is told beside what came of it", () => {
  const resignation = new Resignation(latency, terms);
  resignation.served(serverId(1), instant(0));
  const slow = {
    1: { writeLatency: milliseconds(10) },
    2: { writeLatency: milliseconds(21) },
    3: { writeLatency: milliseconds(70) },
  };
  const offered = (server: 1 | 2 | 3) => ({
    ...slow[server],
    offer: { openPerSecond: server === 2 ? 900 : 50, clients: 0, think: milliseconds(0) },
  });
  const before = loadAt(2, { reports: { 1: offered(1), 2: offered(2), 3: offered(3) } });
  const events = Array.from(
    { length: 30 },
    (_, at) => resignation.look(seenBy(1, before), true, instant(at * 1e6)).events,
  ).flat();
  const [resigning] = events;
  assert.ok(resigning?.kind === "resigning");
  assert.equal(resigning.to, 2);
  assert.ok(Math.abs((resigning.ownMs ?? 0) - (10 + 0.9 * 10 + 0.05 * 60)) < 0.01);
  assert.ok(Math.abs((resigning.otherMs ?? 0) - (10 + 0.05 * 10 + 0.05 * 55)) < 0.01);
  resignation.served(serverId(2), instant(30e6));
  const quick = loadAt(2, {
    reports: {
      1: { writeLatency: milliseconds(20) },
      2: { writeLatency: milliseconds(10) },
      3: { writeLatency: milliseconds(66) },
    },
  });
  assert.deepEqual(
    resignation.look(seenBy(1, quick), false, instant(35e6)).events,
    [],
    "reports still tell of before",
  );
  const [resigned] = resignation.look(seenBy(1, quick), false, instant(43e6)).events;
  assert.ok(resigned?.kind === "resigned");
  assert.ok(Math.abs(resigned.beforeMs - (0.9 * 21 + 0.05 * 10 + 0.05 * 70)) < 0.01, `${resigned.beforeMs}`);
  assert.ok(Math.abs(resigned.afterMs - (0.9 * 10 + 0.05 * 20 + 0.05 * 66)) < 0.01, `${resigned.afterMs}`);
  assert.deepEqual(resignation.look(seenBy(1, quick), false, instant(60e6)).events, [], "once");
});

test("the terms are said in words, and what nobody could mean is refused", () => {
  assert.equal(readResign("no"), null);
  assert.deepEqual(readResign("yes"), USUAL_TERMS);
  assert.deepEqual(readResign("margin=20%,hold=500ms,quiet=2m"), {
    ...USUAL_TERMS,
    margin: 0.2,
    hold: milliseconds(500),
    quiet: seconds(120),
  });
  assert.match(sentence(readResign("margin=20")), /is not as in margin=10%/);
  assert.match(sentence(readResign("perhaps")), /is not as in margin=10%/);
});
