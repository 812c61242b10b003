// The recipe's two forms on members beside real servers in virtual time: what each costs is counted, and who
// leads is looked at through failures.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type MemberId, memberId } from "../../core/identity.ts";
import { type Duration, type Instant, milliseconds, seconds } from "../../core/time.ts";
import { serviceElections } from "../../election/service-catalog.ts";
import type { ServiceElectionOutput, ServiceElectionProtocol } from "../../election/service-election.ts";
import { VirtualService } from "../../testing/host/virtual-service.ts";
import { VirtualMembers } from "./service-members.ts";

const TIMEOUT = seconds(4);
const ROOT = "/elections/one";
const MOMENT = milliseconds(100);

const nameOf = (member: MemberId): string => `p${member}`;

interface Said {
  readonly member: MemberId;
  readonly output: ServiceElectionOutput;
  readonly at: Instant;
}

/** So many members, all standing, member 1 first. */
class Race {
  readonly service = new VirtualService();
  readonly members: VirtualMembers<ServiceElectionProtocol>;
  readonly said: Said[] = [];
  readonly all: readonly MemberId[];

  constructor(election: "chain" | "herd", count: number) {
    const { clients, followers, leader } = this.service;
    const entry = serviceElections[election];
    this.members = new VirtualMembers({
      clients,
      servers: [...followers, leader],
      create: (self) => entry.create({ self: nameOf(self), root: ROOT }, { pause: seconds(1) }),
      place: String,
      policy: (member) => ({ timeout: TIMEOUT, first: member }),
      seed: 1,
      observer: { output: (member, output, at) => this.said.push({ member, output, at }) },
    });
    this.all = Array.from({ length: count }, (_, index) => memberId(index + 1));
    for (const member of this.all) {
      this.members.start(member);
      this.pass(MOMENT);
    }
  }

  pass(time: Duration): void {
    this.service.pass(time);
  }

  /** Who believes to lead. */
  get leaders(): readonly MemberId[] {
    return this.all.filter((member) => {
      const last = this.said.findLast(
        ({ member: who, output }) => who === member && output.kind !== "observed",
      )?.output;
      return last?.kind === "elected" && last.leader === nameOf(member);
    });
  }

  /** Notifications, lists and questions that watch, as servers count them. */
  costs(): [notifications: number, lists: number, watches: number] {
    const { tally } = this.service;
    return [tally.notifications, tally.askedFor("getChildren"), tally.watching];
  }

  /** What it cost the others that these resign one after the other. */
  costsOfResigning(...members: MemberId[]): [number, number, number] {
    const before = this.costs();
    for (const member of members) {
      this.members.request(member, { kind: "resign" });
      this.pass(MOMENT);
    }
    const after = this.costs();
    return [after[0] - before[0], after[1] - before[1], after[2] - before[2]];
  }
}

suite("the recipe, counted", () => {
  for (const n of [3, 10, 100]) {
    const [first, second, youngest] = [1, 2, n].map(memberId) as [MemberId, MemberId, MemberId];

    test(`${n} in a chain: whoever goes wakes one`, () => {
      const race = new Race("chain", n);
      assert.deepEqual(race.leaders, [first]);
      assert.deepEqual(race.costs(), [0, n, n - 1], "each lists once, and all but one watch");
      assert.deepEqual(race.costsOfResigning(youngest), [0, 0, 0]);
      assert.deepEqual(race.costsOfResigning(first), [1, 1, 0]);
      assert.deepEqual(race.leaders, [second]);
    });

    test(`${n} in a chain: another than the leader goes`, () => {
      const race = new Race("chain", n);
      assert.deepEqual(race.costsOfResigning(second), [1, 1, 1]);
      assert.deepEqual(race.leaders, [first]);
    });

    test(`${n} in a chain, down to one`, () => {
      const race = new Race("chain", n);
      assert.deepEqual(race.costsOfResigning(...race.all.slice(0, -1)), [n - 1, n - 1, 0]);
      assert.deepEqual(race.leaders, [youngest]);
    });

    test(`${n} in a herd: the leader's end wakes all, another's nobody`, () => {
      const race = new Race("herd", n);
      assert.deepEqual(race.costs(), [0, n, n - 1]);
      assert.deepEqual(race.costsOfResigning(first), [n - 1, n - 1, n - 2]);
      assert.deepEqual(race.leaders, [second]);
      assert.deepEqual(race.costsOfResigning(youngest), [0, 0, 0]);
    });

    test(`${n} in a herd, down to one`, () => {
      const race = new Race("herd", n);
      const half = (n * (n - 1)) / 2;
      assert.deepEqual(race.costsOfResigning(...race.all.slice(0, -1)), [half, half, half - (n - 1)]);
    });
  }
});

suite("the recipe, disturbed", () => {
  const [first, second, third] = [1, 2, 3].map(memberId) as [MemberId, MemberId, MemberId];

  test("who dies is missed when its session has timed out, and the next leads", () => {
    const race = new Race("chain", 3);
    race.members.kill(first);
    race.pass(milliseconds(3500));
    assert.deepEqual(race.said.filter(({ member }) => member === second).length, 1);
    race.pass(seconds(4));
    assert.deepEqual(race.leaders.slice(1), [second], "the dead one cannot say that it leads no more");
  });

  test("a leader that is cut off is deposed before another is elected, and comes back as the last", () => {
    const race = new Race("chain", 3);
    race.service.cut.add(String(first));
    race.pass(seconds(8));
    assert.deepEqual(race.leaders, [second]);
    const deposed = race.said.find(({ output }) => output.kind === "deposed");
    const elected = race.said.find(
      ({ member, output }) =>
        member === second && output.kind === "elected" && output.leader === nameOf(second),
    );
    assert.ok(deposed?.member === first && elected !== undefined && deposed.at < elected.at);
    race.service.heal(String(first));
    race.pass(seconds(5));
    assert.deepEqual(race.leaders, [second]);
    for (const member of [second, third]) {
      race.members.request(member, { kind: "resign" });
      race.pass(MOMENT);
    }
    assert.deepEqual(race.leaders, [first], "who has resigned is heard to lead no more");
  });

  test("claims rise from leader to leader", () => {
    const race = new Race("chain", 5);
    race.costsOfResigning(...race.all.slice(0, -1));
    const claims = race.said.flatMap(({ member, output }) =>
      output.kind === "elected" && output.leader === nameOf(member) ? [output.claim] : [],
    );
    assert.equal(claims.length, 5);
    assert.deepEqual(
      claims,
      claims.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(claims).size, 5);
  });

  test("its server dies while its znode is made: it has one znode, whether it was told or not", () => {
    let untold = 0;
    for (let ms = 0; ms <= 40; ms += 4) {
      const race = new Race("chain", 2);
      race.members.start(third);
      race.pass(milliseconds(10 + ms));
      const server = race.members.serverOf(third);
      assert.ok(server !== null);
      race.service.killProcess(server);
      race.pass(seconds(3));
      const nodes = [...race.service.trees].find(([id]) => id !== server)?.[1].state.nodes;
      assert.ok(nodes !== undefined);
      const paths = [...nodes.subtree(nodes.find(ROOT))].map((row) => nodes.path(row));
      const own = paths.filter((path) => path.startsWith(`${ROOT}/p3-`));
      assert.equal(own.length, 1, `after ${ms} ms: ${own.join(", ")}`);
      untold += race.members.counts(third).unknown;
    }
    assert.ok(untold > 0, "some were not told");
  });
});
