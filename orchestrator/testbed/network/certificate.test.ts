// lane: works, 2 s
// A certificate of a network that is as its numbers say: the prober sees the asked delays and what each story
// adds to them.
import assert from "node:assert/strict";
import { join } from "node:path";
import test, { suite } from "node:test";
import { type Duration, microseconds, milliseconds } from "#node/core/time.ts";
import { type LinkShape, parseTopology, type Topology } from "../../topology/topology.ts";
import type { Machine } from "../infrastructure/infrastructure.ts";
import { type Asker, type Certificate, certify, type CertificateOptions } from "./certificate.ts";
import { printCertificate } from "./certificate-text.ts";
import { machinesOf, type NetworkReport, type WayReport } from "./network.ts";
import type { Finding, Multicasts, Pair, Question } from "./probe/survey.ts";

const UNEQUAL = `sites:
  a: { servers: [p1, p2], load: 0 }
  b: { servers: [p3], load: 0 }
  c: { servers: [p4], load: 1 }
links:
  - { from: a, to: b, delay: 5ms }
  - { from: b, to: a, delay: 20ms }
  - { between: [a, c], rtt: 40ms }
  - { between: [b, c], rtt: 60ms }
`;

/** Of a machine's packet or handshake to another, in microseconds. */
type Of<T> = (from: string, to: string) => T;

interface Story {
  readonly yaml?: string;
  /** Added to the asked delay of probe number `n`. */
  readonly extra?: (from: string, to: string, n: number) => number;
  readonly lost?: Of<number>;
  readonly reordered?: Of<number>;
  readonly handshakes?: Of<readonly number[]>;
  readonly perSecond?: Of<readonly number[]>;
  /** Machines that hear no message to all. */
  readonly missed?: readonly number[];
  readonly shapes?: Readonly<Record<string, Partial<LinkShape>>>;
  /** One before the probes and one after them. */
  readonly reports?: readonly Partial<NetworkReport>[];
  readonly options?: CertificateOptions;
}

async function certified(story: Story): Promise<{ certificate: Certificate; asked: Question[] }> {
  const topology = parseTopology(story.yaml ?? UNEQUAL, "made.yaml");
  const machines = machinesOf(topology);
  const reports = [...(story.reports ?? [{}, {}])];
  const asked: Question[] = [];
  const certificate = await certify(
    topology,
    {
      kind: "netns",
      machines: new Map(machines.map((machine) => [machine.name, machine])),
      enter: () => [],
      remark: "made machines",
    },
    {
      engine: "plane",
      asked: (from, to) => shapeOf(topology, machines, story, from, to),
      report: () =>
        Promise.resolve({ ways: [], processor: 0.25, late: 0, remark: "a made plane", ...reports.shift() }),
    },
    proberOf(story, topology, machines, asked),
    { rounds: 40, ...story.options },
  );
  return { certificate, asked };
}

function shapeOf(
  topology: Topology,
  machines: readonly Machine[],
  { shapes = {} }: Story,
  from: string,
  to: string,
): LinkShape {
  const site = (name: string): string => machines.find((one) => one.name === name)?.site ?? assert.fail(name);
  return { ...topology.link(site(from), site(to)), ...shapes[`${from} ${to}`] };
}

function proberOf(story: Story, topology: Topology, machines: readonly Machine[], asked: Question[]): Asker {
  const { extra = () => 0, lost = () => 0, reordered = () => 0, handshakes = () => [] } = story;
  const name = (index: number): string => machines[index]?.name ?? assert.fail(`machine ${index}`);
  const between = <T>([from, to]: Pair, of: Of<T>): T => of(name(from), name(to));
  const isFirst = (): boolean => asked.filter(({ kind }) => kind === "one-way").length === 1;
  const seen = (question: Question): Finding => {
    asked.push(question);
    switch (question.kind) {
      case "one-way": {
        const isWarmUp = question.rounds === 50 && isFirst();
        const ways = question.pairs.map((pair) => {
          const delay = between(pair, (from, to) => shapeOf(topology, machines, story, from, to).delay);
          const count = question.rounds - (isWarmUp ? 0 : between(pair, lost));
          const delays = Array.from(
            { length: count },
            (_, n) => delay + (isWarmUp ? 90_000 : between(pair, (from, to) => extra(from, to, n))),
          );
          const [from, to] = pair;
          return { from, to, sent: question.rounds, delays, reordered: between(pair, reordered) };
        });
        return { kind: "one-way", ways };
      }
      case "handshake":
        return {
          kind: "handshake",
          ways: question.pairs.map((pair) => ({
            from: pair[0],
            to: pair[1],
            roundTrips: between(pair, handshakes),
          })),
        };
      case "bandwidth":
        return { kind: "bandwidth", perSecond: between(question.pair, story.perSecond ?? (() => [])) };
      case "multicast": {
        const { missed = [] } = story;
        const of = (from: number): Multicasts => ({
          from,
          missed: Array.from({ length: question.rounds }, () => missed.filter((to) => to !== from)),
        });
        return { kind: "multicast", senders: question.senders.map(of) };
      }
      case "stop":
        return { kind: "stop" };
    }
  };
  // Each kind of question has an answer of its kind, above.
  return { ask: (question) => Promise.resolve(seen(question) as never) };
}

const way = ({ ways }: Certificate, from: string, to: string) =>
  ways.find((one) => one.from === from && one.to === to) ?? assert.fail(`${from} to ${to}`);

const isOfC = (machine: string): boolean => ["p4", "clients-c"].includes(machine);

const lateOf = async (before: Partial<NetworkReport>, now: Partial<NetworkReport>) => {
  const { late, reasons } = (await certified({ reports: [before, now] })).certificate;
  return [late, ...reasons];
};
const delivered = (...counts: readonly number[]): Pick<NetworkReport, "ways"> => ({
  ways: counts.map((count) => wayReport({ delivered: count })),
});
const wayReport = (change: Partial<WayReport>): WayReport => ({
  from: "p1",
  to: "p3",
  packets: 0,
  delivered: 0,
  lost: 0,
  cut: 0,
  overflowed: 0,
  reordered: 0,
  ...change,
});

suite("a certificate", () => {
  test("a round trip is the way there and the way back, however unequal they are", async () => {
    const { certificate } = await certified({
      extra: (from) => (from === "p3" ? 40 : 10),
      handshakes: (from, to) => (from === "p1" && to === "p3" ? [25_100, 25_300] : []),
    });
    assert.deepEqual(way(certificate, "a", "b").roundTrip, { asked: 25_000, udp: 25_050, tcp: 25_200 });
    assert.deepEqual(way(certificate, "b", "a").roundTrip, { asked: 25_000, udp: 25_050, tcp: null });
    assert.equal(way(certificate, "a", "b").achieved.mean, 5010);
    assert.deepEqual([certificate.verdict, certificate.reasons], ["valid", []]);
    assert.equal(certificate.remark, "a made plane; made machines");
    assert.deepEqual(
      [certificate.engine, certificate.infrastructure, certificate.condition, certificate.processor],
      ["plane", "netns", "idle", 0.25],
    );
    assert.match(certificate.congestionControl, /^\w+$/);
  });

  test("at rest a tenth of a millisecond is too much, under load it is not", async () => {
    const slow = { extra: (from: string, to: string) => (from === "p1" && isOfC(to) ? 200 : 0) };
    const [idle, loaded] = await Promise.all(
      [{}, { condition: "loaded" as const }].map((options) => certified({ ...slow, options })),
    );
    // p1 and p2 are of one site: half of its packets are late.
    assert.deepEqual(idle?.certificate.reasons, ["a to c: the mean is off by 100 us, 50 us are allowed"]);
    assert.deepEqual([idle?.certificate.verdict, loaded?.certificate.verdict], ["invalid", "valid"]);
    assert.equal(loaded?.certificate.condition, "loaded");
    assert.deepEqual(
      [idle, loaded].map((one) => one?.asked.length),
      [3, 2],
      "only at rest it is warmed up",
    );
  });

  test("another tolerance holds where one is given", async () => {
    const extra = () => 100;
    const tolerance = { mean: 120, p99: 300, sd: 0.05, ks: 0.05, grain: 15, late: 0.01 };
    assert.equal((await certified({ extra })).certificate.verdict, "invalid");
    assert.equal((await certified({ extra, options: { tolerance } })).certificate.verdict, "valid");
  });

  test("what is asked of the prober: how often, how far apart, and of every pair", async () => {
    const { asked } = await certified({ options: {} });
    const [first, oneWay, handshake] = asked;
    assert.ok(first?.kind === "one-way" && oneWay?.kind === "one-way" && handshake?.kind === "handshake");
    assert.deepEqual([first.rounds, oneWay.rounds, handshake.rounds], [50, 40, 4]);
    assert.deepEqual([first.interval, oneWay.interval], [12_000, 12_000]);
    assert.deepEqual(
      [first, oneWay, handshake].map(({ pairs }) => pairs.length),
      [20, 20, 20],
    );
    const again = await certified({ options: { interval: 500 } });
    assert.equal(again.asked[1]?.kind === "one-way" && again.asked[1].interval, 500);
  });

  test("what the machines of two sites saw is added up", async () => {
    const { certificate } = await certified({
      lost: (from, to) => (from === "p2" && to === "p3" ? 4 : 0),
      reordered: (from, to) => (to === "p3" ? (from === "p1" ? 2 : 3) : 0),
      handshakes: (from, to) => (to === "p3" ? [from === "p1" ? 24_000 : 26_000] : []),
    });
    const { samples, loss, reordered, roundTrip } = way(certificate, "a", "b");
    assert.deepEqual([samples, reordered, roundTrip.tcp], [76, 5, 25_000]);
    assert.ok(Math.abs(loss.achieved - 0.05) < 1e-12);
    assert.deepEqual(certificate.reasons, [
      "a to b: 5.00 % are lost instead of 0.00 %",
      "a to b: 5 of 76 packets were overtaken",
      "c to b: 6 of 80 packets were overtaken",
    ]);
  });

  test("a way that a fault has changed is judged by itself, by what is asked of it now", async () => {
    const { certificate } = await certified({ shapes: { "p1 p3": { delay: milliseconds(70) } } });
    assert.equal(way(certificate, "p1", "p3").samples, 40);
    assert.equal(way(certificate, "p1", "p3").asked.mean, 70_000);
    assert.deepEqual(way(certificate, "p1", "p3").roundTrip, { asked: 90_000, udp: 90_000, tcp: null });
    assert.equal(way(certificate, "a", "b").samples, 40);
    assert.equal(certificate.verdict, "valid");
  });

  test("the way back of a changed way may be as planned, and the other way round", async () => {
    const delay = milliseconds(70);
    const { certificate } = await certified({
      shapes: { "p3 p4": { delay }, "p3 clients-c": { delay }, "p4 clients-c": { delay } },
    });
    const trip = (from: string, to: string) => way(certificate, from, to).roundTrip;
    assert.deepEqual(trip("p3", "p4"), { asked: 100_000, udp: 100_000, tcp: null });
    assert.equal(trip("c", "b").udp, 100_000, "nothing is left of b to c");
    assert.equal(trip("p4", "clients-c").udp, 70_050);
    assert.equal(trip("c", "c").udp, 100, "clients-c to p4, and back as p4 to another would");
  });

  test("only what was late meanwhile counts, up to one packet in a hundred", async () => {
    const before = { late: 0.5, ...delivered(60, 40) };
    assert.deepEqual(await lateOf(before, { late: 0.18, ...delivered(200, 100) }), [
      0.02,
      "the engine cannot keep up: 2.0 % of the packets over 1 ms late",
    ]);
    assert.deepEqual(await lateOf(before, { late: 0.25, ...delivered(200) }), [0]);
    assert.deepEqual(await lateOf({ late: 0, ...delivered(0) }, { late: 0.01, ...delivered(100) }), [0.01]);
    assert.deepEqual(await lateOf(before, before), [0], "nothing was delivered");
    assert.deepEqual(await lateOf({ late: null }, before), [null]);
    assert.deepEqual(await lateOf(before, { late: null }), [null]);
  });

  test("a queue may be full only where a rate was asked for", async () => {
    const overflown = { ways: [wayReport({ overflowed: 7 }), wayReport({ to: "p4" })] };
    const reports = [{}, overflown];
    assert.deepEqual((await certified({ reports })).certificate.reasons, [
      "p1 to p3: 7 packets found a queue full",
    ]);
    const limited = await certified({ reports, shapes: { "p1 p3": { rate: 1e6 } } });
    assert.equal(limited.certificate.verdict, "valid");
  });

  test("the best second of one flow between each two sites is its bandwidth", async () => {
    const { certificate, asked } = await certified({
      perSecond: (from, to) => (from === "p1" && to === "p3" ? [5e6, 9e6, 8e6] : [1e6]),
      options: { bandwidthSeconds: 3, socketBuffers: 4096 },
    });
    const flows = asked.filter(({ kind }) => kind === "bandwidth");
    assert.deepEqual(flows[0], { kind: "bandwidth", pair: [0, 2], seconds: 3, buffers: 4096 });
    assert.equal(flows.length, 6, "each way between sites once, none within one");
    assert.equal(way(certificate, "a", "b").bandwidth, 9e6);
    assert.equal(way(certificate, "a", "a").bandwidth, null);
    assert.ok((await certified({})).asked.every(({ kind }) => kind !== "bandwidth"));
  });

  test("messages to all are sent from each site where asked for, and what is lost is judged", async () => {
    const { certificate, asked } = await certified({ options: { multicast: true } });
    assert.deepEqual(asked.at(-1), { kind: "multicast", senders: [1, 2, 4], rounds: 1000, interval: 2000 });
    assert.deepEqual(certificate.multicast, {
      messages: 3000,
      lost: { asked: 0, achieved: 0 },
      together: { asked: 0, achieved: 0 },
      faults: [],
    });
    const lossy = await certified({ missed: [0, 3], options: { multicast: true } });
    assert.deepEqual(lossy.certificate.reasons, [
      "of multicasts 50.00 % are lost to a receiver instead of 0.00 %",
      "of multicasts 16.67 % are lost to two receivers at once instead of 0.00 %",
    ]);
    assert.equal(lossy.certificate.verdict, "invalid");
    assert.equal((await certified({})).certificate.multicast, undefined);
  });

  test("of many machines some of each two sites are probed", async () => {
    const servers = (first: number, count: number): string =>
      Array.from({ length: count }, (_, index) => `p${first + index}`).join(", ");
    const many = (count: number): string => `sites:
  a: { servers: [${servers(1, count)}], load: 0 }
  b: { servers: [${servers(count + 1, 4)}], load: 1 }
links:
  - { between: [a, b], rtt: 40ms }
`;
    const pairs = async (count: number): Promise<number> => {
      const { asked } = await certified({ yaml: many(count) });
      const [first] = asked;
      return first?.kind === "one-way" ? first.pairs.length : assert.fail();
    };
    assert.equal(await pairs(6), 110, "eleven machines: all");
    // Four ways, 27 of each; within b there are only 20.
    assert.equal(await pairs(7), 3 * 27 + 20);
  });

  test("for people it is a line for each way, what was asked beside what was measured", async (t) => {
    const jitter: LinkShape["jitter"] = {
      distribution: "normal",
      scale: microseconds(300),
      halfLife: 0 as Duration,
    };
    const { certificate } = await certified({
      shapes: { "p1 p3": { jitter, loss: 0.01 }, "p4 p3": { rate: 1e6 } },
      extra: (from, to, n) => (from === "p1" && to === "p3" ? 40 * n - 500 : 7),
      lost: (from, to) => (from === "p1" && to === "p3" ? 3 : 0),
      handshakes: () => [25_100, 25_300],
      perSecond: () => [12_345_678],
      missed: [0],
      reports: [{}, { late: 0.0123, ...delivered(1000), processor: 0.37 }],
      options: { bandwidthSeconds: 1, multicast: true },
    });
    const text = printCertificate({ ...certificate, congestionControl: "cubic" });
    t.assert.fileSnapshot(`${text}\n`, join(import.meta.dirname, "testdata", "certificate.txt"), {
      serializers: [(one: string) => one],
    });
  });
});
