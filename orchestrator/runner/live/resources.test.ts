// lane: works, 1 s
// What processes used while a load lasted, whenever they began and ended.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { seconds } from "#node/core/time.ts";
import type { Running, Usage } from "../../testbed/infrastructure/infrastructure.ts";
import { LiveResources } from "./resources.ts";

/** A process whose use is what the test says. */
class Made {
  used: Usage | null;
  /** What its next answer waits for. */
  held: Promise<void> = Promise.resolve();

  constructor(cpu: number, residentBytes: number) {
    this.used = { processor: seconds(cpu), residentBytes };
  }

  uses(cpu: number, residentBytes: number): void {
    this.used = { processor: seconds(cpu), residentBytes };
  }

  get running(): Running {
    return this as unknown as Running;
  }

  async usage(): Promise<Usage | null> {
    await this.held;
    return this.used;
  }
}

const turn = (): Promise<void> => new Promise(setImmediate);

function begun(t: TestContext, lives: (readonly [string, Made])[], processor: number | null = null) {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const report = () => Promise.resolve({ ways: [], processor, late: null, remark: "" });
  const resources = new LiveResources(
    () => lives.map(([who, made]) => [who, made.running] as const),
    { report },
    performance.now() - 10_000,
  );
  t.after(() => resources[Symbol.dispose]());
  const look = async (): Promise<void> => {
    t.mock.timers.tick(1000);
    await turn();
  };
  const told = async () =>
    Object.fromEntries((await resources.total()).map(({ who, ...use }) => [who, use] as const));
  return { look, told };
}

test("what ran before counts from where it was, what begins later as a whole", async (t) => {
  const early = new Made(10, 500);
  const lives: (readonly [string, Made])[] = [["p1", early]];
  const { look, told } = begun(t, lives);
  await turn();
  early.uses(12.5, 400);
  lives.push(["p2", new Made(3, 70)]);
  await look();
  const { p1, p2 } = await told();
  assert.deepEqual(p1, { cpuSeconds: 2.5, peakBytes: 500 }, "the peak stays");
  assert.deepEqual(p2, { cpuSeconds: 3, peakBytes: 70 });
});

test("a process that ended keeps what it had used, and its successor adds to it", async (t) => {
  const first = new Made(1, 300);
  const lives: (readonly [string, Made])[] = [["p1", first]];
  const { look, told } = begun(t, lives);
  await turn();
  first.uses(5, 200);
  await look();
  first.uses(0, 0);
  const second = new Made(2, 900);
  lives.push(["p1", second]);
  await look();
  first.used = null;
  await look();
  assert.deepEqual((await told())["p1"], { cpuSeconds: 4 + 2, peakBytes: 900 });
});

test("who answers the first question late is still counted from where it was", async (t) => {
  const [quick, slow] = [new Made(7, 1), new Made(40, 1)];
  const late = Promise.withResolvers<void>();
  slow.held = late.promise;
  const lives: (readonly [string, Made])[] = [
    ["quick", quick],
    ["slow", slow],
  ];
  const { look, told } = begun(t, lives);
  await turn();
  slow.held = Promise.resolve();
  await look();
  late.resolve();
  await turn();
  slow.uses(41, 1);
  await look();
  const { slow: found } = await told();
  assert.equal(found?.cpuSeconds, 1);
});

test("the network and this process are told beside them, where they are known", async (t) => {
  const without = begun(t, []);
  const { orchestrator, network } = await without.told();
  assert.ok(orchestrator !== undefined && orchestrator.peakBytes > 1e6 && orchestrator.cpuSeconds < 60);
  assert.equal(network, undefined);
  t.mock.timers.reset();
  const half = await begun(t, [], 0.5).told();
  // Half a processor, since it was asked first.
  assert.ok((half["network"]?.cpuSeconds ?? 1) < 0.5);
});
