import assert from "node:assert/strict";
import { test } from "node:test";
import { type MemberId, memberId } from "../../core/identity.ts";
import { instant, milliseconds, seconds } from "../../core/time.ts";
import {
  GroupProbe,
  groupProbeCodec,
  type GroupProbeProtocol,
} from "../../testing/host/group-contract-probe.ts";
import { arm, one, output, say, two, upTo } from "../../testing/host/group-contract-scene.ts";
import { VirtualGroup } from "./group.ts";
import { type GroupNetworkShape, independentLoss } from "./group-network.ts";

const DELAY = milliseconds(10);

interface World {
  readonly group: VirtualGroup<GroupProbeProtocol>;
  readonly heard: (member: MemberId) => number[];
}

/** So many probes, all started; `one` announces `count` times, a millisecond apart. */
function announcing(size: number, count: number, network: GroupNetworkShape, seed = 1): World {
  const members = upTo(size).map(memberId);
  const probes = new Map<MemberId, GroupProbe>();
  const group = new VirtualGroup<GroupProbeProtocol>({
    members,
    seed,
    network,
    codec: groupProbeCodec,
    create: (member) => {
      const probe = new GroupProbe();
      probes.set(member, probe);
      return probe;
    },
    observer: { output: (member, said) => probes.get(member)?.output(said) },
  });
  for (const member of members) group.start(member);
  for (const number of upTo(count))
    group.at(instant(milliseconds(number)), () => group.request(one, [say(number)]));
  group.run(instant(milliseconds(count) + seconds(1)));
  const heard = (member: MemberId): number[] =>
    (probes.get(member)?.inputs ?? []).flatMap(({ input }) =>
      input.kind === "message" ? [input.message.number] : [],
    );
  return { group, heard };
}

/** Whether a share of `count` tries is within 4 standard deviations of a probability. */
function isNear(share: number, probability: number, count: number): boolean {
  return Math.abs(share - probability) < 4 * Math.sqrt((probability * (1 - probability)) / count);
}

test("one seed is one run, and another seed another", () => {
  const network = { way: () => ({ delay: DELAY, jitter: 0.5, loss: 0.3, duplicate: 0.1 }), sharedLoss: 0.1 };
  const [first, again, other] = [1, 1, 2].map((seed) => announcing(5, 50, network, seed).group.fingerprint);
  assert.equal(first, again);
  assert.notEqual(first, other);
});

test("shared loss is the same for all listeners, independent loss each one's own", () => {
  const count = 4000;
  const shared = announcing(3, count, { way: () => ({ delay: DELAY, jitter: 0 }), sharedLoss: 0.3 });
  assert.deepEqual(shared.heard(two), shared.heard(memberId(3)));
  assert.ok(isNear(shared.heard(two).length / count, 0.7, count));

  const own = announcing(3, count, { way: () => ({ delay: DELAY, jitter: 0, loss: 0.3 }) });
  const both = own.heard(two).filter((number) => own.heard(memberId(3)).includes(number));
  assert.ok(isNear(own.heard(two).length / count, 0.7, count));
  assert.ok(isNear(both.length / count, 0.7 ** 2, count));
});

test("a mixture of both kinds loses what was asked, and counts each kind", () => {
  const count = 6000;
  const [loss, sharedLoss] = [0.4, 0.25];
  const independent = independentLoss(loss, sharedLoss);
  const way = () => ({ delay: DELAY, jitter: 0, loss: independent });
  const { group, heard } = announcing(3, count, { way, sharedLoss });
  assert.ok(isNear(heard(two).length / count, 1 - loss, count));
  assert.ok(isNear(group.lost.shared / (2 * count), sharedLoss, count));
  assert.equal(group.lost.shared + group.lost.independent + group.counts.total("given"), 2 * count);
});

test("jitter and late datagrams overtake each other, duplicates come twice", () => {
  const steady = announcing(2, 100, { way: () => ({ delay: DELAY, jitter: 0 }) });
  assert.deepEqual(steady.heard(two), upTo(100));
  const jittery = announcing(2, 100, { way: () => ({ delay: DELAY, jitter: 0.5, distribution: "uniform" }) });
  assert.notDeepEqual(jittery.heard(two), upTo(100));
  assert.deepEqual(
    jittery.heard(two).sort((a, b) => a - b),
    upTo(100),
  );
  const late = { chance: 0.1, by: milliseconds(5) };
  const overtaken = announcing(2, 1000, { way: () => ({ delay: DELAY, jitter: 0, late }) }).heard(two);
  const backwards = overtaken.filter((number, index) => number < (overtaken[index - 1] ?? 0)).length;
  assert.ok(backwards > 50 && backwards < 150, `${backwards} of 1,000 came after a later one`);
  const twice = announcing(2, 1000, { way: () => ({ delay: DELAY, jitter: 0, duplicate: 0.2 }) });
  assert.equal(twice.heard(two).length, 1000 + twice.group.lost.duplicated);
  assert.ok(isNear(twice.group.lost.duplicated / 1000, 0.2, 1000));
});

test("what comes to a full buffer is lost, and reading makes room again", () => {
  const network = { way: () => ({ delay: DELAY, jitter: 0 }) };
  const slow = { ...network, buffer: { places: 2, each: milliseconds(4) } };
  // A millisecond apart: two find room, the third does not, and each fourth is read by then.
  const { group, heard } = announcing(2, 12, slow);
  assert.deepEqual(heard(two), [1, 2, 5, 9]);
  assert.equal(group.lost.overflown, 8);
  assert.equal(announcing(2, 12, network).group.lost.overflown, 0);
});

test("a cut takes all of one direction and none of the other, and nobody is told", () => {
  const { group, heard } = announcing(2, 1, { way: () => ({ delay: DELAY, jitter: 0 }) });
  group.cut(one, two);
  group.request(one, [say(2)]);
  group.request(two, [say(3)]);
  group.run(instant(group.now + DELAY));
  group.heal(one, two);
  group.request(one, [say(4)]);
  group.run(instant(group.now + DELAY));
  assert.deepEqual([heard(one), heard(two)], [[3], [1, 4]]);
  assert.equal(group.lost.cut, 1);
});

test("a life that ended neither hears nor fires, and the next one has a life number of its own", () => {
  const { group } = announcing(2, 0, { way: () => ({ delay: DELAY, jitter: 0 }) });
  const first = group.member(two) as GroupProbe;
  group.request(two, [arm("a", 5)]);
  group.request(one, [say(1)]);
  group.stop(two);
  assert.equal(group.isRunning(two), false);
  group.run(instant(group.now + 2 * DELAY));
  assert.deepEqual(
    first.inputs.map(({ input }) => input.kind),
    ["start", "request"],
  );
  assert.equal(group.counts.not.unheard, 1);
  group.start(two);
  assert.notEqual(group.member(two), first);
});

test("a thousand members hear one, and one more is refused", () => {
  const { group } = announcing(1000, 1, { way: () => ({ delay: DELAY, jitter: 0 }) });
  assert.equal(group.counts.total("given"), 999);
  const network = { way: () => ({ delay: DELAY }) };
  assert.throws(() => announcing(1001, 1, network), /1001 members, 1000 are the most/);
});

test("a member that fails is named with the seed and the time", () => {
  const group = new VirtualGroup<GroupProbeProtocol>({
    members: [one],
    seed: 7,
    network: { way: () => ({ delay: DELAY }) },
    codec: groupProbeCodec,
    create: () => ({
      step: (input) => {
        if (input.kind === "timeout") throw new Error("out of ideas");
        return input.kind === "start" ? [arm("a", 1500), output("begun")] : [];
      },
    }),
  });
  group.start(one);
  assert.throws(
    () => group.run(instant(seconds(2))),
    /seed 7: member 1 failed after 1\.500000 s: out of ideas/,
  );
});
