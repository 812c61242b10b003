/** A ring of probes on a host: each writes down what it hears and does what it is asked. */

import { deepEqual, ok } from "node:assert/strict";
import type { Protocol } from "../../core/automaton.ts";
import { type ServerId, serverId } from "../../core/identity.ts";
import {
  type OverPeers,
  Ring,
  type RingAutomaton,
  type RingEffect,
  type RingInput,
  type Way,
} from "../../election/medium/ring.ts";
import { ringCodec } from "../../election/medium/ring-entry.ts";
import type { Codec } from "../../host/codec.ts";
import { Reader } from "../../wire/reader.ts";
import { read, refused } from "../../wire/result.ts";
import { Writer } from "../../wire/writer.ts";
import type { HostMaker, HostUnderTest } from "./contract-probe.ts";

export interface RingProbeProtocol extends Protocol {
  readonly message: number;
  readonly timer: never;
  readonly request: readonly RingEffect<RingProbeProtocol>[];
  readonly output: never;
}

const bodies = ringCodec<number>({
  write: (message, writer) => void writer.u32(message),
  read: (reader) => reader.u32(),
  examples: [],
});

/** frame => length:u32 message */
const codec: Codec<OverPeers<RingProbeProtocol>> = {
  encode(message) {
    const writer = new Writer().u32(0);
    bodies.write(message, writer);
    return writer.patchU32(0, writer.length - 4).copy();
  },
  decode(frame) {
    const reader = new Reader(frame, 4);
    const message = bodies.read(reader);
    return reader.finish() && message !== null ? read(message) : refused(reader.failure ?? "no message");
  },
  channel: () => "control",
};

type ProbeInput = RingInput<RingProbeProtocol>;

class RingProbe implements RingAutomaton<RingProbeProtocol> {
  readonly inputs: ProbeInput[] = [];

  step(input: ProbeInput): readonly RingEffect<RingProbeProtocol>[] {
    this.inputs.push(input);
    return input.kind === "request" ? input.request : [];
  }
}

export class RingScene implements AsyncDisposable {
  readonly servers: readonly ServerId[];
  readonly host: HostUnderTest<OverPeers<RingProbeProtocol>>;
  readonly #probes: ReadonlyMap<ServerId, RingProbe[]>;

  private constructor(
    host: HostUnderTest<OverPeers<RingProbeProtocol>>,
    probes: ReadonlyMap<ServerId, RingProbe[]>,
  ) {
    this.host = host;
    this.#probes = probes;
    this.servers = [...probes.keys()].sort((a, b) => a - b);
  }

  /** A ring of these servers in this order, none of them started. */
  static async open(maker: HostMaker, ...order: readonly number[]): Promise<RingScene> {
    const ring = order.map(serverId);
    const servers = ring.toSorted((a, b) => a - b);
    const probes = new Map<ServerId, RingProbe[]>(servers.map((server) => [server, []]));
    const host = await maker.make<OverPeers<RingProbeProtocol>>(
      servers,
      codec,
      (self) => {
        const probe = new RingProbe();
        probes.get(self)?.push(probe);
        return new Ring({ self, servers, order: ring }, probe);
      },
      () => {},
    );
    return new RingScene(host, probes);
  }

  /** The same, all started and joined. */
  static async whole(maker: HostMaker, ...order: readonly number[]): Promise<RingScene> {
    const scene = await RingScene.open(maker, ...order);
    for (const server of scene.servers) await scene.host.start(server);
    for (const server of scene.servers) await scene.untilMembers(server, order.length);
    return scene;
  }

  /** What this server has heard in its present life, in order. */
  inputs(server: ServerId): readonly ProbeInput[] {
    const probe = this.#probes.get(server)?.at(-1);
    ok(probe !== undefined, `server ${server} was never started`);
    return probe.inputs;
  }

  ask(server: ServerId, ...effects: readonly RingEffect<RingProbeProtocol>[]): void {
    this.host.request(server, effects);
  }

  members(server: ServerId): readonly ServerId[] {
    const told = this.inputs(server).findLast(({ kind }) => kind === "joined" || kind === "left");
    return told?.kind === "joined" || told?.kind === "left" ? told.members : [server];
  }

  neighbour(server: ServerId, which: "successor" | "predecessor"): ServerId | null {
    const told = this.inputs(server).findLast(({ kind }) => kind === `${which} changed`);
    return told?.kind === "successor changed" || told?.kind === "predecessor changed" ? told.server : null;
  }

  heard(server: ServerId): readonly (readonly [from: ServerId, way: Way, message: number])[] {
    return this.inputs(server).flatMap((input) =>
      input.kind === "message" ? [[input.from, input.way, input.message] as const] : [],
    );
  }

  async untilMembers(server: ServerId, count: number): Promise<void> {
    await this.host.until(`${server} sees ${count} members`, () => this.members(server).length === count);
  }

  async untilHeard(server: ServerId, count: number): Promise<void> {
    await this.host.until(`${server} hears ${count}`, () => this.heard(server).length >= count);
  }

  /** Who is whose successor, beginning with `first`, as each of them was told. */
  tour(first: ServerId): readonly (ServerId | null)[] {
    const visited: (ServerId | null)[] = [];
    for (let at: ServerId | null = first; at !== null && !visited.includes(at); ) {
      visited.push(at);
      const next: ServerId | null = this.neighbour(at, "successor");
      if (next !== null && this.neighbour(next, "predecessor") !== at) visited.push(null);
      at = next;
    }
    return visited;
  }

  /** Sentences 2 and 3, true of any life. */
  checkLives(): void {
    for (const server of this.servers) {
      for (const { inputs } of this.#probes.get(server) ?? []) checkLife(server, inputs);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.checkLives();
    await this.host.stop();
  }
}

function checkLife(self: ServerId, inputs: readonly ProbeInput[]): void {
  const joined = new Set<ServerId>();
  const [successor, predecessor]: [{ now: ServerId | null }, { now: ServerId | null }] = [
    { now: null },
    { now: null },
  ];
  for (const [index, input] of inputs.entries()) {
    const at = `input ${index} of server ${self}`;
    if (input.kind === "joined") {
      ok(!joined.has(input.server) && input.server !== self, `${at}: ${input.server} joined again`);
      joined.add(input.server);
    } else if (input.kind === "left") {
      ok(joined.delete(input.server), `${at}: ${input.server} left, but was no member`);
    } else if (input.kind === "message") {
      ok(joined.has(input.from), `${at}: a message of ${input.from}, which is no member`);
    }
    if (input.kind !== "joined" && input.kind !== "left") continue;
    deepEqual(new Set(input.members), new Set([...joined, self]), `${at}: the members`);
    deepEqual(input.members[0], self, `${at}: this server comes first`);
    let next = index + 1;
    for (const [kind, known, is] of [
      ["successor changed", successor, input.members[1] ?? null],
      ["predecessor changed", predecessor, input.members.length > 1 ? (input.members.at(-1) ?? null) : null],
    ] as const) {
      if (known.now === is) continue;
      deepEqual(inputs[next], { kind, server: is }, `${at}: what follows it`);
      known.now = is;
      next += 1;
    }
    const after = inputs[next]?.kind;
    ok(after !== "successor changed" && after !== "predecessor changed", `${at}: a change of nothing`);
  }
}
