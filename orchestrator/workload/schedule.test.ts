import assert from "node:assert/strict";
import test from "node:test";
import { serverId } from "#node/core/identity.ts";
import { seconds } from "#node/core/time.ts";
import { loadTopology, withLoad, withServers } from "../topology/topology.ts";
import { clientsOf, parseSchedule, printSchedule, scheduleOf } from "./schedule.ts";
import type { Workload } from "./workload.ts";

const topology = loadTopology("3dc");
const workload: Workload = {
  ratePerSecond: 1000,
  arrivals: "poisson",
  payloadBytes: 1024,
  client: "typescript",
};

test("each server has a client of its own site", () => {
  const places = clientsOf(topology).map(({ id, site, home }) => `${id} ${site} p${home}`);
  assert.deepEqual(places, ["1 fnal p1", "2 slac p2", "3 slac p3", "4 caltech p4", "5 caltech p5"]);
});

test("a site without load has no clients", () => {
  const onlyFnal = withLoad(topology, new Map([["fnal", 1]]));
  assert.deepEqual(
    clientsOf(onlyFnal).map(({ home }) => home),
    [1],
  );
  assert.equal(new Set(scheduleOf(onlyFnal, workload, seconds(1), 1).client).size, 1);
});

test("clients of a site without servers are of each server of the nearest site", () => {
  const two = withServers(
    topology,
    new Map([
      ["caltech", [serverId(1), serverId(2)]],
      ["fnal", [serverId(3)]],
    ]),
  );
  const places = clientsOf(two).map(({ id, site, home }) => `${id} ${site} p${home}`);
  // From slac it is 9.88 ms to caltech, and 53.26 ms to fnal.
  assert.deepEqual(places, ["1 caltech p1", "2 slac p1", "3 caltech p2", "4 slac p2", "5 fnal p3"]);
});

test("requests arrive at the given rate, shared among the sites, in order of time", () => {
  const { intended, client, clients } = scheduleOf(topology, workload, seconds(60), 7);
  assert.ok(Math.abs(intended.length - 60_000) < 3 * Math.sqrt(60_000), `${intended.length} requests`);
  assert.ok(intended.every((at, index) => index === 0 || at >= (intended[index - 1] ?? 0)));
  for (const site of topology.sites.keys()) {
    const ids = clients.filter((one) => one.site === site).map(({ id }) => id);
    const count = client.reduce((sum, id) => sum + Number(ids.includes(id)), 0);
    assert.ok(Math.abs(count - 20_000) < 500, `${site}: ${count}`);
  }
});

test("the gaps of a Poisson process vary as much as they are long, those of an even one hardly", () => {
  const variation = (arrivals: Workload["arrivals"]): number => {
    const only = withLoad(topology, new Map([["fnal", 1]]));
    const { intended } = scheduleOf(only, { ...workload, arrivals }, seconds(20), 3);
    const gaps = [...intended].slice(1).map((at, index) => at - (intended[index] ?? 0));
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    return Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length) / mean;
  };
  assert.ok(Math.abs(variation("poisson") - 1) < 0.05);
  assert.ok(variation("even") < 0.01);
});

test("one seed is one schedule, and another seed another", () => {
  const print = (seed: number) => printSchedule(scheduleOf(topology, workload, seconds(1), seed));
  assert.equal(print(5), print(5));
  assert.notEqual(print(5), print(6));
});

test("a schedule survives its file", () => {
  const schedule = scheduleOf(topology, workload, seconds(1), 5);
  assert.deepEqual(parseSchedule(printSchedule(schedule)), schedule);
  assert.throws(() => parseSchedule('{"format":"other"}\n'), /begins with polebench schedule 1/);
});
