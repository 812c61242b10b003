// lane: works, 1 s
// Three maps, worked by hand. The way inside of a site takes nothing, and sites are called by their servers.
import assert from "node:assert/strict";
import test from "node:test";
import { serverId } from "#node/core/identity.ts";
import { microseconds } from "#node/core/time.ts";
import { newsOf, type OutageFloor, outageFloor } from "./outage.ts";
import { parseTopology, type Topology, withLink } from "./topology.ts";

const p = serverId;

function map(sites: string, ...links: readonly (readonly [between: string, rttMs: number])[]): Topology {
  const lines = links.map(([between, rtt]) => `  - { between: [${between}], rtt: ${rtt}ms }`);
  const topology = parseTopology(`sites:\n${sites}\nlinks:\n${lines.join("\n")}\n`, "map.yaml");
  return [...topology.sites.keys()].reduce(
    (flat, site) => withLink(flat, site, site, { delay: microseconds(0) }),
    topology,
  );
}

const rounded = (floor: OutageFloor | null) =>
  floor && {
    established: floor.establishedMs,
    beside: floor.besideMs,
    first: floor.ms,
    sites: Object.fromEntries(floor.sites),
  };

test("three servers in a row: the successor's own news and the other's word come at once or later", () => {
  const row = map(
    "  a: { servers: [p1], load: 1 }\n  b: { servers: [p2], load: 1 }\n  c: { servers: [p3], load: 1 }",
    ["a, b", 20],
    ["b, c", 60],
    ["a, c", 80],
  );
  // p3 dies. p2 knows after 30, p1 after 40 and its word is at p2 after 50; a write to p1 and back takes 20.
  assert.deepEqual(rounded(outageFloor(row, p(2), [p(3)], newsOf(row, [p(3)]))), {
    established: 50,
    beside: 70,
    first: 70,
    // A write of p1 is at p2 with its word; the answer takes 10. Clients of c go to p2, the way back is 30.
    sites: { a: 80, b: 70, c: 100 },
  });
  // The same, and the kernel takes 12 to bury the process.
  assert.equal(outageFloor(row, p(2), [p(3)], newsOf(row, [p(3)], 12))?.ms, 82);
  // p1 knows after 40 and p2's word came by then: 30 + 10.
  assert.equal(outageFloor(row, p(1), [p(3)], newsOf(row, [p(3)]))?.establishedMs, 40);
});

test("five servers: the second nearest word completes the quorum, and a far client is later", () => {
  const five = map(
    "  a: { servers: [p4, p5], load: 1 }\n  b: { servers: [p2, p3], load: 1 }\n" +
      "  c: { servers: [p1], load: 1 }",
    ["a, b", 10],
    ["b, c", 50],
    ["a, c", 70],
  );
  // p5 dies; p3 leads: p3 and p2 know after 5, p4 after 0 and its word is there after 5.
  assert.deepEqual(rounded(outageFloor(five, p(3), [p(5)], newsOf(five, [p(5)]))), {
    established: 5,
    beside: 15,
    first: 15,
    // p1 knows after 35; its write is at p3 after 60, ten later it is committed, told after 25 more.
    sites: { a: 20, b: 15, c: 95 },
  });
});

test("silence: who notices late is waited for only where the quorum needs it", () => {
  const two = map("  a: { servers: [p1, p3], load: 1 }\n  b: { servers: [p2, p4, p5], load: 1 }", [
    "a, b",
    20,
  ]);
  const noticed = new Map([
    [p(1), 300],
    [p(2), 280],
    [p(3), 310],
    [p(4), 250],
  ]);
  const floor = outageFloor(two, p(4), [p(5)], (server) => noticed.get(server) ?? 0);
  // Words at p4: p2's after 280, p1's after 310, p3's after 320.
  assert.deepEqual(rounded(floor), {
    established: 310,
    beside: 330,
    first: 330,
    sites: { a: 340, b: 330 },
  });
});

test("without a quorum, or a successor that lives, there is nothing to say", () => {
  const lan = map("  a: { servers: [p1, p2, p3], load: 1 }\n  b: { servers: [], load: 0 }", ["a, b", 1]);
  assert.equal(outageFloor(lan, p(1), [p(2), p(3)], newsOf(lan, [p(3)])), null);
  assert.equal(outageFloor(lan, p(3), [p(3)], newsOf(lan, [p(3)])), null);
});
