/**
 * The complete list of what anything is judged by, each shown a lie of its kind: what looks whole, and is
 * wrong in that one point. A check that cannot see its own lie has never checked anything. Whoever adds a
 * check adds its lie here; until then the list is incomplete, and this file fails.
 */

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import test, { suite } from "node:test";
import { serverId } from "#node/core/identity.ts";
import { instant } from "#node/core/time.ts";
import type { Zxid } from "#node/core/zxid.ts";
import type { History } from "../check/history.ts";
import { type Property, PROPERTIES } from "../check/property.ts";
import type { Finding } from "../check/verdict.ts";
import { conclude } from "../measure/conclude.ts";
import type { ServiceRecording } from "../recording/recording.ts";
import { type Conduct, judgeRun } from "../torture/judgement.ts";
import { SESSION_TIMEOUT_MS } from "../torture/plan.ts";
import type { MulticastJudged } from "../testbed/network/multicast.ts";
import { calm } from "./calm-conduct.ts";
import { add, audit, create, digest, draw, end, hold, list, open, read, transfer, write } from "./example.ts";
import { madeCertificate } from "./made-certificate.ts";
import { madeElection } from "./made-election.ts";
import { madeRecording } from "./made-recording.ts";

/** What clients may claim to have seen. */
const OF_CLIENTS: Readonly<Record<Property, History>> = {
  durable: [add("a"), list("", { at: [5, 6] })],
  linearizable: [create("a"), write("b", 1, { at: [2, 3] }), read("a", 0, { at: [4, 5] })],
  sequential: [
    create("a", { zxid: 1, session: "s2" }),
    write("b", 1, { zxid: 2 }),
    read("a", 0, { mzxid: 1, synced: false }),
  ],
  unforked: [create("a"), write("b", 1), write("c", 1)],
  numbered: [draw(1), draw(1, { at: [0, 1] })],
  conserved: [open("a", 10), open("b", 10), transfer(3), audit([10, 13])],
  exclusive: [hold("s1", 0, 5, 1), hold("s2", 4, 9, 2)],
  watched: [
    create("a", { zxid: 1 }),
    read("a", 0, { session: "s2", mzxid: 1, zxid: 1, watch: true }),
    write("b", 1, { zxid: 3 }),
    create("v", { key: "y", zxid: 3, session: "s2" }),
  ],
  ephemeral: [end("s1", 5), read("a", 0, { owner: "s1", at: [6, 7] })],
  equal: [digest(1, 9, "f00d"), digest(2, 9, "beef")],
};

const made = madeRecording();
const live = { ...made, plan: { ...made.plan, runtime: "netns" as const } };
const network = (ms: number, tcpMs: number) => {
  const certificate = madeCertificate([["slac", "fnal", ms]]);
  return {
    ...certificate,
    ways: certificate.ways.map((way) => ({ ...way, roundTrip: { ...way.roundTrip, tcp: 1e3 * tcpMs } })),
  };
};
const AS_ASKED = network(53.3, 53.3);
const LOST_FOR_ALL: MulticastJudged = {
  messages: 1000,
  lost: { asked: 0.1, achieved: 0.1 },
  together: { asked: 0.01, achieved: 0.1 },
  faults: ["of multicasts 10.00 % are lost to two receivers at once instead of 1.00 %"],
};

/** What may be wrong with a trial of a service. */
const OF_TRIALS: Readonly<Record<string, ServiceRecording>> = {
  "no acknowledged write lost": {
    ...made,
    finals: made.finals.map((final) => ({
      ...final,
      keys: final.keys.map((key) => ({ ...key, lastId: key.lastId - 3, version: key.version - 1 })),
    })),
  },
  "sessions see one order": {
    ...made,
    operations: made.operations.map((one, index) => (index === 900 ? { ...one, zxid: 1 } : one)),
  },
  "equal state on all servers": {
    ...made,
    finals: made.finals.map((final) => ({ ...final, digest: `of p${final.server}` })),
  },
  "writes are served in steady state": {
    ...made,
    operations: made.operations.map((one) =>
      one.intended > 15e6 ? { ...one, outcome: "unknown" as const } : one,
    ),
  },
  "the network is the topology's": { ...live, certificates: { idle: network(56, 53.3), loaded: null } },
  "TCP handshakes find the same network": {
    ...live,
    certificates: { idle: network(53.3, 1), loaded: null },
  },
  "multicast is lost as the topology says": {
    ...live,
    certificates: { idle: { ...AS_ASKED, multicast: LOST_FOR_ALL }, loaded: null },
  },
  "the network is the topology's, under load too": {
    ...live,
    certificates: { idle: AS_ASKED, loaded: network(56, 53.3) },
  },
  "TCP handshakes find the same network, under load too": {
    ...live,
    certificates: { idle: AS_ASKED, loaded: network(53.3, 56) },
  },
  "the run is whole": { ...made, finals: [] },
};

/** Three members begin, follow 3 and say so. */
const ELECTED = { 0: "1, 1!, 2, 2!, 3, 3!", 100: "1 > 3, 2 > 3, 3 > 3" };
/** What may be wrong with an election by itself. */
const OF_ELECTIONS: Readonly<Record<string, ReturnType<typeof madeElection>>> = {
  "all began that were to": madeElection({ 0: "1, 1!, 3, 3!", 100: "1 > 3, 3 > 3" }),
  "all that live follow one that lives, in the end": madeElection({ ...ELECTED, 9000: "1 > 1" }),
  "the greatest that lives leads, in the end": madeElection({ ...ELECTED, 100: "1 > 2, 2 > 2, 3 > 2" }),
  "what was announced is what hosts counted": {
    ...madeElection(ELECTED),
    counts: { sent: { announcement: 77 }, given: {}, lost: null, overflown: null, carried: null },
  },
  "the run is whole": { ...madeElection(ELECTED), interrupted: true },
};

const LOST = { name: "s1", how: "its session expired", at: instant(9e6), heard: instant(8e6), lateAt: null };
const tree = (counters: string) => ({ text: "a", counters, zxid: 9 as Zxid });
/** What torture asks of servers besides. */
const OF_TORTURE: Readonly<Record<string, Partial<Conduct>>> = {
  "serves within 2 session timeouts of the last fault": { servedAfterMs: 2 * SESSION_TIMEOUT_MS + 1 },
  "no server ends by itself": { suicides: ["p1 (1): no room"] },
  "everything can be looked at in the end": { looked: null },
  "sessions go on at another connection": { moves: 0 },
  "sessions of who goes on asking outlive the loss of a quorum and every move": {
    sitters: [{ moves: 1, bereaved: [LOST] }],
  },
  "children counted alike on all servers": {
    trees: new Map([
      [serverId(1), tree("a 1")],
      [serverId(2), tree("a 2")],
    ]),
  },
};
const tortured = (conduct: Partial<Conduct> = {}) =>
  judgeRun(
    { system: "polebench", mutant: null, topology: "lan", seed: 1, seconds: 1, clients: 1, kinds: [] },
    { main: [], locks: [] },
    { ...calm, ...conduct },
  ).findings;

/** Whatever makes a finding; in `check/` each file is one. */
const JUDGES = [
  "check/verdict.ts",
  "measure/judgement.ts",
  "measure/members/judgement.ts",
  "torture/bereavement.ts",
  "torture/judgement.ts",
  "torture/tree-comparison.ts",
];

const seenBy = (findings: readonly Finding[], property: string): void => {
  const found = findings.find((one) => one.property === property);
  assert.ok(found !== undefined, `nobody looks whether ${property}`);
  assert.notEqual(found.judgement, "valid", property);
  assert.ok(found.reasons.length > 0);
};

suite("every check sees a lie of its kind", () => {
  for (const [property, history] of Object.entries(OF_CLIENTS))
    test(`of clients: ${property}`, () => {
      const { judgement, operations, reasons } = PROPERTIES[property as Property](history);
      assert.equal(judgement, "invalid");
      assert.ok(operations > 0, `it was not only vacuous: ${reasons.join("; ")}`);
    });
  for (const [property, recording] of Object.entries(OF_TRIALS))
    test(`of trials: ${property}`, () => seenBy(conclude(recording).verdict.findings, property));
  for (const [property, recording] of Object.entries(OF_ELECTIONS))
    test(`of elections: ${property}`, () => seenBy(conclude(recording).verdict.findings, property));
  for (const [property, conduct] of Object.entries(OF_TORTURE))
    test(`of torture: ${property}`, () => seenBy(tortured(conduct), property));
});

suite("the list is complete", () => {
  const among = (findings: readonly Finding[], lies: object, besides: readonly string[] = []): void => {
    const known = [...Object.keys(lies), ...besides];
    for (const { property } of findings) assert.ok(known.includes(property), `no lie about: ${property}`);
  };

  test("of clients", () => assert.deepEqual(Object.keys(OF_CLIENTS), Object.keys(PROPERTIES)));

  test("of trials and elections, all that is ever found of them", () => {
    const whole = { ...live, certificates: { idle: AS_ASKED, loaded: AS_ASKED }, interrupted: true };
    among(conclude(whole).verdict.findings, OF_TRIALS);
    among(conclude({ ...madeElection(ELECTED), interrupted: true }).verdict.findings, OF_ELECTIONS);
  });

  test("of torture", () => {
    const ofClients = Object.values(PROPERTIES).map((check) => check([]).property);
    among(tortured(), OF_TORTURE, ofClients);
  });

  test("nobody else makes findings", () => {
    const root = fileURLToPath(new URL("..", import.meta.url));
    const makers = globSync("**/*.ts", { cwd: root })
      // What a sweep finds is about deployments, and judges no run.
      .filter((file) => !/\.test\.ts$|^testing\/|^sweep\//.test(file))
      .filter((file) => /\bfinding\(|\bjudgement: "unknown"/.test(readFileSync(`${root}${file}`, "utf8")));
    const others = makers.filter((file) => !/^check\/[a-z-]+\.ts$/.test(file) && !JUDGES.includes(file));
    assert.deepEqual(others, [], "their findings need lies, too");
    const checks = makers.filter((file) => /^check\/[a-z-]+\.ts$/.test(file) && file !== "check/verdict.ts");
    assert.equal(
      checks.length,
      Object.keys(PROPERTIES).length,
      "a check of clients is a line in property.ts",
    );
  });
});
