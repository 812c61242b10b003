// lane: works, 6 s
// What priority election costs when its leader ends, counted, and how long nobody leads, beside what its
// stages add up to over the network of the POLE paper's Deployment 1.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { memberId, type ServerId, serverId } from "../../core/identity.ts";
import { type Duration, microseconds, milliseconds, seconds, toMilliseconds } from "../../core/time.ts";
import { Contender, type ContenderProtocol } from "../../election/chain/contender.ts";
import type { Strategy } from "../../election/priority/strategy.ts";
import { serviceElections } from "../../election/service-catalog.ts";
import type { ServiceElectionProtocol } from "../../election/service-election.ts";
import { oracles } from "../../oracle/catalog.ts";
import {
  PriorityWorld,
  type Recorded,
  type WorldShape,
} from "../../testing/election/priority/priority-world.ts";
import { VirtualService } from "../../testing/host/virtual-service.ts";
import { VirtualMembers } from "./service-members.ts";

const [first, second, third] = [memberId(1), memberId(2), memberId(3)];

const WITHIN = { takeoverWithin: seconds(10), releaseWithin: seconds(10) };

const lastId: Strategy = {
  preempts: false,
  choose: ({ candidates }) => candidates.at(-1)?.member ?? "",
};

/** All have come, and this one leads. */
function led(by: string, shape: WorldShape): PriorityWorld {
  const world = new PriorityWorld(shape);
  for (const prefer of [[by], []]) {
    world.wish({ prefer });
    world.pass(seconds(2));
  }
  assert.deepEqual(world.acting, [by]);
  return world;
}

suite("priority election, counted", () => {
  for (const [watching, formula] of [
    ["lean", (survivors: number) => 4 * survivors + 2],
    ["all", (survivors: number) => 7 * survivors],
  ] as const) {
    for (const n of [3, 10, 100]) {
      test(`${n} that watch ${watching === "lean" ? "what they need" : "all"}: a leader's end`, () => {
        const options = () => ({ watching, strategy: lastId });
        const leader = n === 3 ? "p2" : "p5";
        const world = led(leader, { members: n, options });
        const { tally } = world.service;
        const [before, writes] = [tally.notifications, world.writes];
        world.resign(memberId(Number(leader.slice(1))));
        world.pass(seconds(2));
        assert.deepEqual(world.acting, [`p${n}`]);
        assert.equal(tally.notifications - before, formula(n - 1), "as servers count them");
        assert.equal(world.writes - writes, 1 + 3, "the session's end, and elected, PROGRESS and READY");
      });
    }
  }
});

/** Sites of Deployment 1, and the round trips between them in milliseconds. */
const SITES = ["fnal", "slac", "slac", "caltech", "caltech"] as const;
const ROUND_TRIPS: Readonly<Record<string, number>> = {
  "slac slac": 0.1,
  "caltech caltech": 0.1,
  "caltech slac": 9.88,
  "fnal slac": 53.26,
  "caltech fnal": 77.06,
};

function roundTrip(a: number, b: number): number {
  const [one, other] = [SITES[a - 1] ?? "", SITES[b - 1] ?? ""];
  return ROUND_TRIPS[[one, other].sort().join(" ")] ?? assert.fail(`no way from ${one} to ${other}`);
}

const DEPLOYMENT = {
  servers: 5,
  sync: microseconds(0),
  way: microseconds(1),
  jitter: 0,
  delay: (from: ServerId, to: ServerId): Duration => milliseconds(roundTrip(from, to) / 2),
  oracle: oracles.preference.create({ preference: [serverId(5)] }),
};

const LEADER = 5;
/** Two of the four others have it: p4 beside the leader, and the nearest of the next site. */
const CONSENSUS = 9.88;
/** What clients beside their servers add. */
const PROCESSING = 0.1;

/** Elector, candidate and old leader are at the servers of Deployment 1 that the formula is told for. */
const AT = { elector: 2, candidate: 1, old: 3 } as const;

function deployed(by = "p2"): PriorityWorld {
  const at = [AT.elector, AT.old, AT.candidate];
  const world = led(by, {
    ...DEPLOYMENT,
    members: 3,
    options: () => ({ strategy: lastId }),
    policy: (member) => ({ first: (at[member - 1] ?? 1) - 1 }),
  });
  assert.deepEqual(
    [first, second, third].map((member) => world.serverOf(member)),
    at,
  );
  assert.equal(world.service.leader, LEADER);
  return world;
}

/** W: the elector elects, the candidate claims, takes over, and is ready. */
const transition = (takeover: number): number =>
  roundTrip(AT.elector, LEADER) + 2.5 * roundTrip(AT.candidate, LEADER) + 3 * CONSENSUS + takeover;

const timeOf = (world: PriorityWorld, kind: Recorded["kind"]): number =>
  world.history.findLast((each) => each.kind === kind)?.at ?? assert.fail(`nothing was ${kind}`);

function near(measured: number, formula: number): void {
  const over = measured - formula;
  assert.ok(over >= -0.01 && over < PROCESSING, `${measured} ms, by the formula ${formula} ms`);
}

suite("how long nobody leads, over Deployment 1", () => {
  test("from the end of the old leader's session", () => {
    for (const takeover of [0, 30]) {
      const world = deployed();
      world.works(third, { takesOver: milliseconds(takeover) });
      world.resign(second);
      world.pass(seconds(3));
      assert.deepEqual(world.acting, ["p3"]);
      near(timeOf(world, "acts") - timeOf(world, "freed"), transition(takeover));
    }
  });

  test("when the leader was the elector, too: who came second elects, and asks nobody for the time", () => {
    const world = deployed("p1");
    world.works(third, { takesOver: milliseconds(0) });
    world.resign(first);
    world.pass(seconds(3));
    assert.deepEqual(world.acting, ["p3"]);
    near(timeOf(world, "acts") - timeOf(world, "freed"), transition(0));
  });

  test("the case that is told: 232.2 ms", () => {
    assert.ok(Math.abs(transition(0) - 232.2) < 0.05, String(transition(0)));
  });

  test("from a wish, with an old leader that has to give up first", () => {
    const world = deployed();
    const [takeover, stop] = [10, 25];
    world.works(third, { takesOver: milliseconds(takeover) });
    world.works(second, { stops: milliseconds(stop) });
    world.wish({ prefer: ["p3"] });
    world.pass(seconds(3));
    assert.deepEqual(world.acting, ["p3"]);
    const release = roundTrip(AT.old, LEADER) + stop + CONSENSUS;
    near(timeOf(world, "acts") - timeOf(world, "policy"), transition(takeover) + release);
  });

  test("in a chain: the next hears of it", () => {
    let [freed, leads] = [0, 0];
    const service = new VirtualService(DEPLOYMENT);
    const members = new VirtualMembers<ContenderProtocol>({
      clients: service.clients,
      servers: [...service.followers, service.leader],
      create: (member) =>
        new Contender({ self: `p${member}`, root: "/chain" }, { pause: seconds(1) }, "next lower"),
      place: String,
      // The first at the leader's own server, the second where the candidate was.
      policy: (member) => ({ first: member === first ? LEADER - 1 : AT.candidate - 1 }),
      seed: 1,
      observer: {
        output: (member, { kind }, at) => {
          if (member === second && kind === "elected") leads = toMilliseconds(at as unknown as Duration);
        },
        left: (_member, _acknowledged, at) => {
          freed = toMilliseconds(at as unknown as Duration);
        },
      },
    });
    for (const member of [first, second]) {
      members.start(member);
      service.pass(seconds(1));
    }
    members.request(first, { kind: "resign" });
    service.pass(seconds(1));
    near(leads - freed, roundTrip(AT.candidate, LEADER) / 2);
  });
});

test("as the catalog has it: terms rise, and the old leader is deposed before the next leads", () => {
  const said: string[] = [];
  const service = new VirtualService();
  const entry = serviceElections.priority;
  const options = { pause: seconds(1), takeover: milliseconds(20), ...WITHIN };
  const members = new VirtualMembers<ServiceElectionProtocol>({
    clients: service.clients,
    servers: [...service.followers, service.leader],
    create: (member) => entry.create({ self: `p${member}`, root: "/catalog" }, options),
    place: String,
    seed: 1,
    observer: {
      output: (member, output) => {
        if (output.kind === "deposed") said.push(`p${member} is deposed`);
        if (output.kind === "elected" && output.leader === `p${member}`) {
          said.push(`p${member} leads in term ${output.claim}`);
        }
      },
    },
  });
  for (const member of [first, second, third]) {
    members.start(member);
    service.pass(seconds(1));
  }
  for (const member of [first, second]) {
    members.request(member, { kind: "resign" });
    service.pass(seconds(1));
  }
  assert.deepEqual(said, [
    "p1 leads in term 1",
    "p1 is deposed",
    "p2 leads in term 2",
    "p2 is deposed",
    "p3 leads in term 3",
  ]);
});
