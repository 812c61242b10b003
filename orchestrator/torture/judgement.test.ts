import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { serverId } from "#node/core/identity.ts";
import { type Instant, instant } from "#node/core/time.ts";
import type { Zxid } from "#node/core/zxid.ts";
import { calm } from "../testing/calm-conduct.ts";
import { create, end, read, write } from "../testing/example.ts";
import type { Entry, Hold } from "../check/history.ts";
import { type Conduct, judgeRun } from "./judgement.ts";
import { SESSION_TIMEOUT_MS, type Torture } from "./plan.ts";
import type { TreeText } from "./tree-text.ts";
import type { SystemName } from "../system/catalog.ts";

const TIMEOUT = SESSION_TIMEOUT_MS * 1000;
const plan = (system: SystemName): Torture => ({
  system,
  mutant: null,
  topology: "lan",
  seed: 1,
  seconds: 1,
  clients: 1,
  kinds: [],
});

function reasonsFor(
  property: RegExp,
  {
    main = [],
    locks = [],
    ...rest
  }: { main?: readonly Entry[]; locks?: readonly Entry[] } & Partial<Conduct>,
  system: SystemName = "polebench",
): readonly string[] {
  const histories = { main: [...main], locks: [...locks] };
  const { findings } = judgeRun(plan(system), histories, { ...calm, ...rest });
  const found = findings.filter((finding) => property.test(finding.property));
  assert.ok(found.length > 0);
  return found.flatMap(({ judgement, reasons }) => (judgement === "invalid" ? reasons : []));
}

suite("serving again", () => {
  test("twice the session timeout is in time", () => {
    assert.deepEqual(reasonsFor(/^serves/, { servedAfterMs: 2 * SESSION_TIMEOUT_MS }), []);
  });

  test("not so: later, or never", () => {
    assert.equal(reasonsFor(/^serves/, { servedAfterMs: 2 * SESSION_TIMEOUT_MS + 1 }).length, 1);
    assert.equal(reasonsFor(/^serves/, { servedAfterMs: Infinity }).length, 1);
    assert.equal(reasonsFor(/^everything/, { looked: null }).length, 1);
  });

  test("not so: nothing had been done to it", () => {
    assert.deepEqual(reasonsFor(/^serves/, { strikes: new Map() }), ["vacuous"]);
  });
});

suite("a lock whose server's clock leaps", () => {
  const hold = (session: string, from: number, until: number, token: number): Hold => ({
    kind: "hold",
    key: "/lock",
    session,
    from: instant(from),
    until: instant(until),
    token: token as Zxid,
  });
  const both = [hold("s1", 10, 50, 1), hold("s2", 40, 80, 2)];
  const locks = [...both, hold("s3", 3 * TIMEOUT, 3 * TIMEOUT + 1, 3)];

  test("is not sure beyond the leap", () => {
    assert.deepEqual(reasonsFor(/holders/, { locks, leaps: [30 as Instant] }), []);
  });

  test("not so: two hold it, and no clock leapt, or only later", () => {
    assert.match(reasonsFor(/holders/, { locks }).join(), /two holders/);
    assert.match(reasonsFor(/holders/, { locks, leaps: [100 as Instant] }).join(), /two holders/);
  });
});

suite("a read behind a sync that an old leader answered", () => {
  const stale = [
    create("a", { at: [0, 1], zxid: 1 }),
    write("b", 1, { at: [2, 3], zxid: 2 }),
    read("a", 0, { session: "s2", at: [4, 5] }),
    end("s3", 6),
  ];

  test("is wrong of us", () => {
    assert.match(reasonsFor(/linearizable/, { main: stale }).join(), /no order explains/);
  });

  test("is not promised by ZooKeeper, and told all the same", () => {
    assert.deepEqual(reasonsFor(/linearizable/, { main: stale }, "zookeeper"), []);
    const { findings } = judgeRun(plan("zookeeper"), { main: stale, locks: [] }, calm);
    const told = findings.find(({ property }) => /not promised: .*linearizable/.test(property));
    assert.match(told?.reasons.join() ?? "", /no order explains/);
  });

  test("is wrong of ZooKeeper too once all is mended", () => {
    const looked = instant(4);
    assert.match(
      reasonsFor(/^writes.*linearizable/, { main: stale, looked }, "zookeeper").join(),
      /no order explains/,
    );
  });
});

suite("the trees of all servers in the end", () => {
  const tree = (text: string, counters: string): TreeText => ({ text, counters, zxid: 9 as Zxid });
  const trees = (...each: TreeText[]) => new Map(each.map((one, index) => [serverId(index + 1), one]));

  test("are equal, and what differs is quoted", () => {
    assert.deepEqual(reasonsFor(/^equal state/, { trees: trees(tree("a\nb", ""), tree("a\nb", "")) }), []);
    const differing = { trees: trees(tree("a\nb", ""), tree("a\nc", "")) };
    assert.match(
      reasonsFor(/^equal state/, differing, "zookeeper").join(),
      /differ.*only at p1: b.*only at p2: c/,
    );
  });

  test("count their children alike; of ZooKeeper that is told only", () => {
    const differing = { trees: trees(tree("a", "a 1"), tree("a", "a 2")) };
    assert.match(reasonsFor(/children counted/, differing).join(), /only at p2: a 2/);
    assert.deepEqual(reasonsFor(/children counted/, differing, "zookeeper"), []);
  });
});

suite("what else ZooKeeper does not promise", () => {
  const late = { servedAfterMs: 3 * SESSION_TIMEOUT_MS, suicides: ["p1 (1): no room"] };

  test("serving in time, and servers that never end, are asked of us", () => {
    assert.equal(reasonsFor(/^serves/, late).length, 1);
    assert.equal(reasonsFor(/^no server ends/, late).length, 1);
  });

  test("of ZooKeeper they are told, and not held against it", () => {
    const { findings } = judgeRun(plan("zookeeper"), { main: [], locks: [] }, { ...calm, ...late });
    const told = findings.filter(({ property }) => /^not promised: (serves|no server ends)/.test(property));
    assert.deepEqual(
      told.map(({ judgement, reasons }) => [judgement, reasons.length]),
      [
        ["valid", 1],
        ["valid", 1],
      ],
    );
  });

  test("an ephemeral that an old leader shows; not so once all is mended", () => {
    const locks = [end("s1", 5), read("a", 0, { owner: "s1", at: [6, 7] }), read(null, 0, { at: [20, 21] })];
    assert.deepEqual(reasonsFor(/^no ephemeral/, { locks, looked: instant(10) }, "zookeeper"), []);
    assert.match(reasonsFor(/^no ephemeral/, { locks }).join(), /its session s1 was over/);
    assert.match(
      reasonsFor(/^no ephemeral/, { locks, looked: instant(6) }, "zookeeper").join(),
      /its session s1 was over/,
    );
  });
});
