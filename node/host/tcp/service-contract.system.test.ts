// lane: waits, 30 s
// Members on real sockets, before three server processes on this machine; what lies between a member and the
// servers can be held back and broken.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after as afterAll } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { MemberId } from "../../core/identity.ts";
import { after, type Duration, milliseconds, toMilliseconds } from "../../core/time.ts";
import { Relay } from "../../testing/host/relay.ts";
import type {
  ServiceMaker,
  ServiceProbeProtocol,
  ServiceRequest,
  ServiceUnderTest,
} from "../../testing/host/service-contract-probe.ts";
import { arm } from "../../testing/host/service-contract-scene.ts";
import { describeServiceContract } from "../../testing/host/service-contract-suite.ts";
import { monotonic } from "../monotonic.ts";
import { ServiceCounts } from "../service-counts.ts";
import { AskingSession } from "./asking-session.ts";
import { freePorts } from "./free-ports.ts";
import type { Place } from "./live-session.ts";
import { LiveMember } from "./service-member.ts";

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));
const HOST = "127.0.0.1";

async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await condition())) {
    assert.ok(Date.now() < end, `not within a minute: ${what}`);
    await sleep(2);
  }
}

/** Three server processes, and where clients find them. */
async function servers(): Promise<readonly Place[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "polebench-service-"));
  const [clientPorts, peers] = [await freePorts(3), await freePorts(3)];
  const children = clientPorts.map((port, index): ChildProcess => {
    const file = path.join(folder, `${index + 1}.cfg`);
    const lines = [
      `id=${index + 1}`,
      `dataDir=${path.join(folder, String(index + 1))}`,
      `clientPort=${port}`,
      "tickTime=500",
      "maxSessionTimeout=60000",
      "initial=yes",
      ...peers.map((peer, at) => `server.${at + 1}=${HOST}:${peer}:${peer}`),
    ];
    fs.writeFileSync(file, lines.join("\n"));
    return spawn(process.execPath, [MAIN, file], { stdio: "ignore" });
  });
  afterAll(async () => {
    await Promise.all(
      children.map(async (child) => {
        child.kill("SIGKILL");
        if (child.exitCode === null && child.signalCode === null) await once(child, "close");
      }),
    );
    fs.rmSync(folder, { recursive: true, force: true });
  });
  const places = clientPorts.map((port) => ({ host: HOST, port }));
  for (const place of places) await until(`a session at port ${place.port}`, () => givesSession(place));
  return places;
}

async function givesSession(place: Place): Promise<boolean> {
  try {
    using _session = await AskingSession.open(place);
    return true;
  } catch {
    await sleep(50);
    return false;
  }
}

class LoopbackHost implements ServiceUnderTest {
  readonly #timeout: Duration;
  readonly #create: Parameters<ServiceMaker["make"]>[2];
  readonly #output: Parameters<ServiceMaker["make"]>[3];
  readonly #relays: ReadonlyMap<MemberId, Relay>;
  readonly #members = new Map<MemberId, LiveMember<ServiceProbeProtocol>>();
  readonly #left = new Map<MemberId, boolean>();

  constructor(relays: ReadonlyMap<MemberId, Relay>, ...shape: Parameters<ServiceMaker["make"]>) {
    this.#relays = relays;
    [, this.#timeout, this.#create, this.#output] = shape;
  }

  async start(id: MemberId): Promise<void> {
    const member = new LiveMember<ServiceProbeProtocol>({
      member: this.#create(id),
      places: this.#relay(id).places,
      policy: { timeout: this.#timeout, first: id },
      output: (output) => this.#output(id, output),
      left: (acknowledged) => this.#left.set(id, acknowledged),
    });
    this.#members.set(id, member);
  }

  async kill(id: MemberId): Promise<void> {
    this.#members.get(id)?.end();
    this.#members.delete(id);
  }

  request(id: MemberId, effects: ServiceRequest): void {
    this.#members.get(id)?.request(effects);
  }

  async disconnect(id: MemberId): Promise<void> {
    this.#relay(id).sever();
  }

  cut(id: MemberId): void {
    this.#relay(id).hold("all");
  }

  heal(id: MemberId): void {
    this.#relay(id).release();
  }

  /** Nothing is given while this thread does not come back to its event loop. */
  async atHandWhenDue(id: MemberId, question: ServiceRequest): Promise<void> {
    const relay = this.#relay(id);
    relay.hold("answers");
    this.request(id, question);
    await until("there is an answer", () => relay.heldAnswers > 0);
    this.request(id, [arm("a", 5)]);
    relay.release();
    for (const end = after(monotonic(), milliseconds(15)); monotonic() < end; );
  }

  async until(what: string, condition: () => boolean): Promise<void> {
    await until(what, condition);
  }

  async pass(time: Duration): Promise<void> {
    await sleep(toMilliseconds(time));
  }

  counts(id: MemberId): ServiceCounts {
    return this.#members.get(id)?.counts ?? new ServiceCounts();
  }

  left(id: MemberId): boolean | null {
    return this.#left.get(id) ?? null;
  }

  async close(): Promise<void> {
    for (const member of this.#members.values()) member.end();
    for (const relay of this.#relays.values()) relay.close();
  }

  #relay(id: MemberId): Relay {
    return this.#relays.get(id) ?? assert.fail(`there is no member ${id}`);
  }
}

const places = await servers();
describeServiceContract({
  name: "TCP",
  async make(...shape) {
    const relays = new Map<MemberId, Relay>();
    for (const member of shape[0]) relays.set(member, await Relay.open(places));
    return new LoopbackHost(relays, ...shape);
  },
});
