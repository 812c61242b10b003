import { deepEqual, equal, notEqual, ok, throws } from "node:assert/strict";
import { test } from "node:test";
import { AssertionError } from "../../core/assert.ts";
import type { Automaton } from "../../core/automaton.ts";
import { type ServerId, serverId } from "../../core/identity.ts";
import { type Duration, type Instant, instant, milliseconds, seconds } from "../../core/time.ts";
import { Probe, type ProbeInput, type ProbeProtocol, probeCodec } from "../../testing/host/contract-probe.ts";
import { transactions } from "../../testing/host/contract-scene.ts";
import { EnsembleFailure, type EnsembleShape, VirtualEnsemble } from "./ensemble.ts";

const [one, two, three] = [serverId(1), serverId(2), serverId(3)];
const servers = [one, two, three];

function build(shape: Partial<EnsembleShape<ProbeProtocol>> = {}) {
  const probes = new Map<ServerId, Probe>();
  const events: string[] = [];
  const ensemble: VirtualEnsemble<ProbeProtocol> = new VirtualEnsemble({
    servers,
    seed: 1,
    codec: probeCodec,
    network: { link: () => ({ delay: milliseconds(10), jitter: 0 }) },
    create: (server) => {
      const probe = new Probe();
      probes.set(server, probe);
      return probe;
    },
    observer: {
      output: (server, output) => probes.get(server)?.output(output),
      crashed: (server, reason, time) => events.push(`${time / 1000} ms: ${server} crashed: ${reason}`),
      closed: (server, peer, reason) => events.push(`${server} closed ${peer}: ${reason}`),
    },
    ...shape,
  });
  for (const server of servers) ensemble.start(server);
  const inputs = (server: ServerId): ProbeInput[] =>
    (probes.get(server)?.inputs ?? []).map(({ input }) => input);
  const kinds = (server: ServerId): string[] => inputs(server).map(({ kind }) => kind);
  return { ensemble, probes, events, inputs, kinds };
}

const at = (ms: number): Instant => instant(ms * 1000);
const say = (to: ServerId, number: number) =>
  ({ kind: "send", to: [to], message: { channel: "bulk", number, padding: 0 } }) as const;

/** Gossips with everyone forever, at random sizes and with a busy disk, so that any difference would show. */
class Gossip implements Automaton<ProbeProtocol> {
  readonly #self: ServerId;
  readonly #life: number;
  #step = 0;

  constructor(self: ServerId, life: number) {
    this.#self = self;
    this.#life = life;
  }

  step(input: ProbeInput): ReturnType<Probe["step"]> {
    this.#step += 1;
    if (input.kind === "turn" || input.kind === "durable") return [];
    const to = servers.filter((server) => server !== this.#self && (this.#step + server) % 2 === 0);
    const message = {
      channel: "bulk",
      number: (this.#life ^ this.#step) >>> 0,
      padding: this.#step % 50,
    } as const;
    return [
      { kind: "send", to, message },
      { kind: "append", records: transactions(this.#step, this.#step) },
      { kind: "arm", timer: "a", after: milliseconds(7) },
    ];
  }
}

function gossip(seed: number): string {
  const link = () => ({ delay: milliseconds(5), jitter: 0.3, breaksPerHour: 3600 }) as const;
  const { ensemble } = build({ seed, network: { link }, create: (server, life) => new Gossip(server, life) });
  ensemble.at(at(300), () => ensemble.crashProcess(one));
  ensemble.at(at(400), () => ensemble.start(one));
  ensemble.at(at(500), () => ensemble.cut(two, three));
  ensemble.at(at(900), () => ensemble.heal(two, three));
  ensemble.run(at(1500));
  return ensemble.fingerprint;
}

test("the same seed is the same run, another seed another", () => {
  equal(gossip(7), gossip(7));
  notEqual(gossip(7), gossip(8));
});

test("what arrives at one instant is one batch with one turn", () => {
  const { ensemble, kinds } = build();
  ensemble.run(at(200));
  const before = kinds(one).length;
  for (const from of [two, three]) ensemble.request(from, [say(one, 1), say(one, 2)]);
  ensemble.run(at(300));
  deepEqual(kinds(one).slice(before), ["message", "message", "message", "message", "turn"]);
});

test("a paused process handles nothing; when it goes on, what waited comes in order, as one batch", () => {
  const { ensemble, kinds, inputs } = build();
  ensemble.run(at(200));
  ensemble.request(one, [{ kind: "arm", timer: "a", after: milliseconds(15) }]);
  ensemble.run(at(200));
  const before = kinds(one).length;
  ensemble.pause(one);
  ensemble.request(two, [say(one, 5)]);
  ensemble.at(at(230), () => ensemble.request(three, [say(one, 6)]));
  ensemble.run(at(5000));
  equal(kinds(one).length, before);
  ensemble.resume(one);
  ensemble.run(at(5000));
  deepEqual(kinds(one).slice(before), ["message", "timeout", "message", "turn"]);
  ok(!inputs(two).some(({ kind }) => kind === "unreachable"), "its connections have stayed");
});

test("a timer that ran out during a pause does not fire when something that waited disarms it", () => {
  const { ensemble, kinds } = build();
  ensemble.request(one, [{ kind: "arm", timer: "a", after: milliseconds(10) }]);
  ensemble.pause(one);
  ensemble.run(at(5));
  ensemble.request(one, [{ kind: "disarm", timer: "a" }]);
  ensemble.run(at(100));
  ensemble.resume(one);
  ensemble.run(at(200));
  ok(!kinds(one).includes("timeout"));
});

test("a process that is paused before its turn has it when it goes on", () => {
  const { ensemble, kinds } = build();
  ensemble.run(at(200));
  ensemble.request(one, []);
  ensemble.pause(one);
  ensemble.run(at(300));
  equal(kinds(one).at(-1), "request");
  ensemble.resume(one);
  ensemble.run(at(300));
  equal(kinds(one).at(-1), "turn");
});

test("what waited to be read on a connection is gone when the process closes it", () => {
  const { ensemble, kinds } = build();
  ensemble.run(at(200));
  const before = kinds(one).length;
  ensemble.pause(one);
  ensemble.request(two, [say(one, 1)]);
  ensemble.request(three, [say(one, 2)]);
  ensemble.run(at(220));
  ensemble.request(one, [{ kind: "close", server: two, reason: "the test says so" }]);
  ensemble.request(two, [say(one, 3)]);
  ensemble.run(at(240));
  ensemble.resume(one);
  ensemble.run(at(240));
  deepEqual(kinds(one).slice(before), ["message", "message", "request", "unreachable", "turn"]);
});

test("an automaton that throws is a finding: seed, server and time are told", () => {
  const { ensemble } = build({
    seed: 42,
    create: (server) => ({
      step: (input) => {
        if (server === two && input.kind === "timeout")
          throw new AssertionError("two zxids for one transaction");
        return input.kind === "start" ? [{ kind: "arm", timer: "a", after: milliseconds(12.5) }] : [];
      },
    }),
  });
  throws(
    () => ensemble.run(at(100)),
    (error) => {
      ok(error instanceof EnsembleFailure && error.cause instanceof AssertionError);
      deepEqual([error.seed, error.server, error.time], [42, two, 12_500]);
      equal(error.message, "seed 42: server 2 failed after 0.012500 s: two zxids for one transaction");
      return true;
    },
  );
});

test("a server on a full disk is stopped with the reason, and its peers learn of it", () => {
  const { ensemble, events, kinds } = build({ disk: () => ({ sync: milliseconds(4), steady: 1 }) });
  ensemble.run(at(100));
  ensemble.disk(one).fill();
  ensemble.request(one, [{ kind: "append", records: transactions(1, 1) }]);
  ensemble.run(at(200));
  deepEqual(events, ["104 ms: 1 crashed: no space left on the disk"]);
  equal(ensemble.isRunning(one), false);
  equal(ensemble.request(one, []), false);
  ok(kinds(two).includes("unreachable"));
  ok(!kinds(one).includes("durable"));
});

test("a server with a damaged log is refused, and starts again once its disk is wiped", () => {
  const { ensemble, inputs } = build();
  ensemble.request(one, [{ kind: "append", records: transactions(1, 9) }]);
  ensemble.run(at(100));
  ensemble.crashProcess(one);
  ensemble.disk(one).damage(0.4);
  const started = ensemble.start(one);
  ok(!started.ok && started.offset === 414 && started.reason.length > 0);
  equal(ensemble.isRunning(one), false);
  ensemble.disk(one).wipe();
  ok(ensemble.start(one).ok);
  const [start] = inputs(one);
  ok(start?.kind === "start" && start.recovered.transactions.length === 0);
});

test("what a peer says in no known tongue closes the connection, with the reason", () => {
  const { ensemble, events } = build();
  ensemble.run(at(200));
  ensemble.inject(one, two, Uint8Array.of(0, 0, 0, 1, 7));
  ensemble.run(at(400));
  deepEqual(events, ["2 closed 1: 7 is neither 0 nor 1, at byte 5"]);
  ok(ensemble.isRunning(two) && ensemble.isConnected(two, one));
});

test("after a leap ahead timers are due sooner; a jump of the time of day is told, and moves none", () => {
  const { ensemble, probes, inputs, kinds } = build();
  ensemble.request(one, [{ kind: "arm", timer: "a", after: seconds(10) }]);
  ensemble.request(two, [{ kind: "arm", timer: "a", after: seconds(10) }]);
  ensemble.run(at(1000));
  ensemble.leapClock(one, seconds(4));
  ensemble.jumpClock(two, seconds(4));
  ensemble.run(at(5999));
  ok(!kinds(one).includes("timeout"));
  ensemble.run(at(6000));
  equal(kinds(one).filter((kind) => kind === "timeout").length, 1);
  ensemble.run(at(9999));
  ok(!kinds(two).includes("timeout"));
  ensemble.run(at(20_000));
  deepEqual(
    [one, two].map((server) => kinds(server).filter((kind) => kind === "timeout").length),
    [1, 1],
  );
  deepEqual(
    [one, two, three].map((server) => kinds(server).filter((kind) => kind === "clock").length),
    [0, 1, 0],
  );
  const told = probes.get(two)?.inputs.find(({ input }) => input.kind === "clock");
  const [begun] = probes.get(two)?.inputs ?? [];
  ok(told?.input.kind === "clock" && begun?.input.kind === "start");
  equal(told.input.timeOfDay - begun.input.timeOfDay, (told.now - begun.now) / 1000 + 4000);
  const timeAtStart = (server: ServerId): number => {
    ensemble.crashProcess(server);
    ensemble.start(server);
    const [start] = inputs(server);
    return start?.kind === "start" ? start.timeOfDay : Number.NaN;
  };
  ok(probes.size === 3);
  equal(timeAtStart(two) - timeAtStart(three), 4000);
});

test("each server reads its own clock, and its timers run by it", () => {
  const drift = 1000;
  const { ensemble, probes } = build({
    clock: (server) => ({ offset: seconds(server), drift: server === two ? drift : 0 }),
  });
  const arm = { kind: "arm", timer: "a", after: seconds(100) } as const;
  const fired: number[] = [];
  ensemble.request(one, [arm]);
  ensemble.request(two, [arm]);
  for (let time = 99_800; time < 100_100; time++) {
    ensemble.run(at(time));
    for (const server of [one, two]) {
      const timeout = probes.get(server)?.inputs.find(({ input }) => input.kind === "timeout");
      if (timeout !== undefined && !fired.includes(server)) {
        fired.push(server);
        equal(timeout.now, seconds(100 + server));
        equal(ensemble.now, at(server === two ? 99_901 : 100_000));
      }
    }
  }
  deepEqual(fired, [two, one]);
});

test("an automaton that sends to itself is a bug, and told as one", () => {
  const { ensemble } = build();
  throws(() => ensemble.request(one, [say(one, 1)]), /seed 1: server 1 failed .* sends to itself/);
});

test("speed, for information", (context) => {
  const pong: Automaton<ProbeProtocol> = {
    step: (input) => {
      if (input.kind === "connected") return [say(input.server, 0)];
      return input.kind === "message" ? [say(input.from, input.message.number + 1)] : [];
    },
  };
  const link = () => ({ delay: 100 as Duration });
  const ensemble = new VirtualEnsemble({
    servers,
    seed: 1,
    codec: probeCodec,
    network: { link },
    create: () => pong,
    observer: { input: () => void (inputs += 1) },
  });
  let inputs = 0;
  for (const server of servers) ensemble.start(server);
  const began = performance.now();
  ensemble.run(at(1000));
  const ns = ((performance.now() - began) * 1e6) / inputs;
  context.diagnostic(`${inputs} inputs of a toy, ${ns.toFixed(0)} ns each, bytes and network included`);
});

test("servers that go round at one instant, without an end, end with a sentence", () => {
  const restless: Automaton<ProbeProtocol> = {
    step: () => [{ kind: "arm", timer: "a", after: milliseconds(0) }],
  };
  const { ensemble } = build({ create: () => restless });
  throws(() => ensemble.run(instant(1000)), /seed 1: .*time stands still after 0\.000000 s/);
});
