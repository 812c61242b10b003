// lane: quiet, 30 s, with docker: two ways of measuring the same network are compared
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import test, { suite } from "node:test";
import { setTimeout } from "node:timers/promises";
import { parseTopology } from "../../topology/topology.ts";
import { feed } from "../../testbed/command-feed.ts";
import { isRoot } from "../../testbed/environment.ts";
import { LOADED } from "../../testbed/network/fidelity.ts";
import { pairOf, Prober } from "../../testbed/network/prober.ts";
import { openTestbed, type Testbed } from "../../testbed/testbed.ts";
import { useDaemon } from "../../testing/suite-fixtures.ts";

// Others may compute meanwhile: what is compared here are two ways of measuring the same network.
const BUSY = { ...LOADED, mean: 5000, p99: 50_000, sd: 1, ks: 1, late: 1, grain: 1000 };
const SITES = "sites:\n  a: { servers: [p1], load: 0 }\n  b: { servers: [p2], load: 1 }\nlinks:\n";
const LIMITED = `${SITES}  - { between: [a, b], rtt: 20ms, rate: 50mbit }\n`;

const inside = (testbed: Testbed, name: string, ...command: readonly string[]): readonly string[] => [
  ...testbed.infrastructure.enter(testbed.machine(name)),
  ...command,
];

async function ping(testbed: Testbed): Promise<number> {
  const { address } = testbed.machine("p2");
  const said = await feed(inside(testbed, "p1", "ping", "-q", "-c", "40", "-i", "0.05", address), "");
  const [, least] = /min\/avg\/max\/mdev = ([0-9.]+)/.exec(said) ?? assert.fail(said);
  return Number(least);
}

async function iperf(testbed: Testbed): Promise<number> {
  const [program = "", ...rest] = inside(testbed, "p2", "iperf3", "--server", "--one-off");
  const server = spawn(program, rest, { stdio: "pipe" });
  const isListening = new Promise((resolve) => server.stdout.once("data", resolve));
  try {
    // It says that it listens only into a terminal's buffer, so it may have to be asked again.
    await Promise.race([isListening, setTimeout(500)]);
    const { address } = testbed.machine("p2");
    const command = inside(testbed, "p1", "iperf3", "--json", "--time", "3", "--client", address);
    const said = JSON.parse(await feed(command, "")) as Iperf;
    return said.end.sum_received.bits_per_second;
  } finally {
    server.kill("SIGKILL");
  }
}

interface Iperf {
  readonly end: { readonly sum_received: { readonly bits_per_second: number } };
}

const skip = isRoot() ? false : "only root may enter machines of docker from outside";

suite("other people's tools see what the certificate says", { skip }, () => {
  for (const infrastructure of ["netns", "docker"] as const) {
    test(`ping and iperf3 on machines of ${infrastructure}`, async (context) => {
      await using _ = infrastructure === "docker" ? await useDaemon() : undefined;
      await using testbed = await openTestbed({
        topology: parseTopology(LIMITED, "test.yaml"),
        engine: "plane",
        infrastructure,
        base: "own",
      });
      const { ways } = await testbed.certify({ rounds: 50, bandwidthSeconds: 3, tolerance: BUSY });
      const there = ways.find(({ from, to }) => from === "a" && to === "b") ?? assert.fail("a to b");
      const back = ways.find(({ from, to }) => from === "b" && to === "a") ?? assert.fail("b to a");
      const certified = (there.achieved.p50 + back.achieved.p50) / 1000;
      const [seen, flow] = [await ping(testbed), await iperf(testbed)];
      const told = there.bandwidth ?? 0;
      context.diagnostic(`round trip: certificate ${certified.toFixed(2)} ms, ping ${seen.toFixed(2)} ms`);
      context.diagnostic(
        `flow: certificate ${(told / 1e6).toFixed(1)}, iperf3 ${(flow / 1e6).toFixed(1)} Mbit/s`,
      );
      assert.ok(Math.abs(seen - certified) < 1, "a round trip");
      assert.ok(flow > 0.8 * told && flow < 50e6, "a flow");
    });
  }
});

suite("jitter with a half-life", () => {
  /** How much a delay has to do with the one before it, 10 ms ago: 0 nothing, 1 all. */
  async function correlation(halfLife: string): Promise<number> {
    const jitter = `jitter: { distribution: normal, sd: 3ms${halfLife} }`;
    const yaml = `${SITES}  - { between: [a, b], rtt: 80ms, ${jitter} }\n`;
    await using testbed = await openTestbed({
      topology: parseTopology(yaml, "test.yaml"),
      engine: "plane",
    });
    await using prober = new Prober(testbed.infrastructure);
    const pairs = [pairOf(testbed.machine("p1"), testbed.machine("p2"))];
    const { ways } = await prober.ask({ kind: "one-way", pairs, rounds: 400, interval: 10_000 });
    // Half of the round trip and four sd: what takes longer was held up by the machine.
    const delays = (ways[0]?.delays ?? []).map((delay) => Math.min(delay, 52_000));
    const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
    const product = (lag: number): number =>
      delays
        .slice(lag)
        .reduce((sum, delay, index) => sum + (delay - mean) * ((delays[index] ?? 0) - mean), 0);
    return product(1) / product(0);
  }

  test("swings slowly; without one, every packet draws for itself", async () => {
    const [swinging, free] = [await correlation(", halfLife: 200ms"), await correlation("")];
    assert.ok(swinging > 0.7 && free < 0.4, `${swinging} with a half-life, ${free} without`);
  });
});
