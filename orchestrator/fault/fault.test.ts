import assert from "node:assert/strict";
import test from "node:test";
import { serverId } from "#node/core/identity.ts";
import { loadTopology } from "../topology/topology.ts";
import { parseFault, printTimedFault, serversOf } from "./fault.ts";

const topology = loadTopology("3dc");

test("every fault is printed as it is said", () => {
  for (const text of [
    "60s crash leader",
    "60s crash-machine p4",
    "1.5s pause site:slac",
    "65s resume site:slac",
    "90s restart crashed",
    "60s cut p1 p4",
    "60s cut leader",
    "60s cut site:fnal",
    "60s cut-one-way p1 p4",
    "80s heal",
    "60s link slac fnal 100ms",
  ]) {
    const parsed = parseFault(text, topology);
    assert.ok(typeof parsed !== "string", text);
    assert.equal(printTimedFault(parsed), text);
  }
});

const refused: [text: string, problem: RegExp][] = [
  ["60 crash leader", /begins with no time such as 60s/],
  ["60s crush leader", /did you mean "crash"\?/],
  ["60s crash p6", /"p6" is nothing to aim at/],
  ["60s crash", /crash takes one target/],
  ["60s pause site:slak", /unknown site "slak", did you mean "slac"\?/],
  ["60s link slac cern 10ms", /unknown site "cern"/],
  ["60s link slac fnal 10", /"10" is no round-trip time/],
  ["60s link slac slac 10ms", /"60s link slac slac 10ms" links slac to itself/],
  ["60s cut p1 p1", /"60s cut p1 p1" cuts p1 off from itself/],
  ["60s cut p1 p2 p3", /cut takes one target or two/],
  ["60s heal p1", /heal takes nothing/],
];
for (const [text, problem] of refused) {
  test(`refused: ${text}`, () => {
    const parsed = parseFault(text, topology);
    assert.ok(typeof parsed === "string");
    assert.match(parsed, problem);
  });
}

test("a target is resolved when its time comes", () => {
  const now = { topology, leader: serverId(5), crashed: [serverId(2)] };
  const at = (text: string) => {
    const parsed = parseFault(text, topology);
    assert.ok(typeof parsed !== "string" && "target" in parsed.fault);
    return serversOf(parsed.fault.target, now);
  };
  assert.deepEqual(at("1s crash leader"), [5]);
  assert.deepEqual(at("1s restart crashed"), [2]);
  assert.deepEqual(at("1s pause site:slac"), [2, 3]);
  assert.deepEqual(serversOf({ kind: "leader" }, { ...now, leader: null }), []);
});
