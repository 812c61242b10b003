import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { Random } from "#node/core/random.ts";
import type { Stat } from "#node/wire/client/stat.ts";
import type { WatchEvent } from "#node/wire/client/watch.ts";
import { compareEndpoints, type Service } from "./back-to-back.ts";
import type { Heard } from "./endpoint.ts";
import { drawScript, printStep, type Step } from "./script.ts";
import type { Answer } from "./session.ts";

const ASK: Step = { kind: "ask", session: 0, request: { kind: "whoAmI" } };
const CLOSE: Step = { kind: "close", session: 0 };

const stat = (zxid: number, owner: number, time: number, version = 0): Stat => ({
  czxid: zxid,
  mzxid: zxid,
  pzxid: zxid,
  ctime: time,
  mtime: time,
  version,
  cversion: 0,
  aversion: 0,
  ephemeralOwner: owner,
  dataLength: 0,
  numChildren: 0,
});

const told = (zxid: number, of: Stat): Answer => ({
  kind: "reply",
  error: 0,
  zxid,
  reply: { kind: "exists", stat: of },
});

const refused = (error: number): Answer => ({ kind: "reply", error, zxid: 9, reply: null });

const event = (type: number, path: string): WatchEvent => ({ type, state: 3, path });

/** A service that has its answers ready; its sessions have these ids. */
const service = (ids: readonly number[], ...heard: readonly Heard[]): Service => {
  const left = [...heard];
  return {
    sessions: ids.map((id) => ({ id })),
    perform: () => Promise.resolve(left.shift() as Heard),
  };
};

const heard = (answer: Answer, ...events: readonly WatchEvent[]): Heard => ({ answer, events: [events, []] });

const same = async (a: Heard, b: Heard, step: Step = ASK): Promise<boolean> =>
  (await compareEndpoints(service([1, 2], a), service([71, 72], b), [step])) === null;

suite("two services agree", () => {
  test("when only their zxids, sessions and clocks differ", async () => {
    assert.ok(await same(heard(told(5, stat(5, 2, 1000))), heard(told(805, stat(805, 72, 2000)))));
  });

  test("when a session that ends takes its ephemerals along in another order", async () => {
    const [a, b] = [event(2, "/a"), event(2, "/b")];
    assert.ok(await same(heard(refused(0), a, b), heard(refused(0), b, a), CLOSE));
  });
});

suite("two services differ", () => {
  test("when one refuses for another reason", async () => {
    assert.ok(!(await same(heard(refused(-101)), heard(refused(-102)))));
  });

  test("when a stat has another version, another owner, or none of its own time", async () => {
    const one = heard(told(5, stat(5, 1, 1000)));
    assert.ok(!(await same(one, heard(told(5, stat(5, 71, 1000, 1))))));
    assert.ok(!(await same(one, heard(told(5, stat(5, 72, 1000))))));
    assert.ok(!(await same(one, heard(told(5, stat(5, 71, 0))))));
  });

  test("when a zxid is of another step", async () => {
    const first = [heard(told(5, stat(5, 0, 1))), heard(told(85, stat(85, 0, 1)))] as const;
    const [fresh, stale] = [heard(told(6, stat(6, 0, 1))), heard(told(86, stat(85, 0, 1)))];
    const found = await compareEndpoints(service([1, 2], first[0], fresh), service([1, 2], first[1], stale), [
      ASK,
      ASK,
    ]);
    assert.equal(found?.after, 1);
    assert.match(found?.story[0] ?? "", /^s0 ask .*whoAmI/);
  });

  test("when events are missing, or come in another order", async () => {
    const [a, b] = [event(1, "/a"), event(4, "/")];
    assert.ok(!(await same(heard(refused(0), a, b), heard(refused(0), a))));
    assert.ok(!(await same(heard(refused(0), a, b), heard(refused(0), b, a))));
  });

  test("when one has lost a session", async () => {
    const sessions = [{ id: 1 }, { id: 2 }];
    const lossy: Service = {
      sessions,
      perform: () => {
        sessions[0] = { id: 3 };
        return Promise.resolve(heard(refused(0)));
      },
    };
    const lasting = service([1, 2], heard(refused(0)));
    assert.notEqual(await compareEndpoints(lasting, lossy, [ASK]), null);
  });
});

suite("a script", () => {
  test("is the same for the same seed, and another for another", () => {
    const text = (seed: number): string => drawScript(new Random(seed), "x", 200).map(printStep).join("\n");
    assert.equal(text(7), text(7));
    assert.notEqual(text(7), text(8));
  });

  test("asks for everything that is compared", () => {
    const kinds = new Set(
      Array.from({ length: 20 }, (_, seed) => drawScript(new Random(seed), "x", 150))
        .flat()
        .map((step) => (step.kind === "ask" ? step.request.kind : step.kind)),
    );
    const wanted = [
      "create create2 createContainer createTtl delete setData exists getData getChildren getChildren2",
      "getAcl setAcl getAllChildrenNumber getEphemerals multi multiRead addWatch removeWatches auth whoAmI",
      "ping close move rewatch",
    ];
    assert.deepEqual(
      [...kinds].sort((a, b) => (a < b ? -1 : 1)),
      wanted.join(" ").split(" ").sort(),
    );
  });
});
