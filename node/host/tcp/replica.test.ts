import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { clientId, ensemble, type ServerId } from "../../core/identity.ts";
import { joined } from "../../core/pieces.ts";
import { milliseconds } from "../../core/time.ts";
import { ZERO } from "../../core/zxid.ts";
import { history } from "../../oracle/history.ts";
import { KeyValueMachine } from "../../testing/replica/key-value.ts";
import { decodeReply, encodeOperation, encodeQuery } from "../../testing/replica/key-value-operation.ts";
import { Replica } from "../../replica/replica.ts";
import type { ReplicaOutput, ReplicaProtocol } from "../../replica/replica-protocol.ts";
import { replicaCodec } from "../replica-codec.ts";
import { freePorts } from "./free-ports.ts";
import type { Address } from "./link.ts";
import { openDisk } from "./store/disk.ts";
import { TcpHost } from "./tcp-host.ts";

const client = clientId(1);

/** Three replicas of the key-value machine in this process, on real sockets and disks. */
class Trio {
  readonly servers = ensemble([1, 2, 3]);
  readonly #folder: string;
  readonly #addresses: ReadonlyMap<ServerId, Address>;
  readonly #hosts = new Map<ServerId, TcpHost<ReplicaProtocol>>();
  readonly #replicas = new Map<ServerId, Replica>();
  readonly #answers = new Map<number, (result: Uint8Array) => void>();
  #changed = Promise.withResolvers<void>();
  #asked = 0;

  private constructor(folder: string, addresses: ReadonlyMap<ServerId, Address>) {
    this.#folder = folder;
    this.#addresses = addresses;
  }

  static async start(t: TestContext): Promise<Trio> {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "polebench-trio-"));
    const ports = await freePorts(3);
    const addresses = ensemble([1, 2, 3]).map((server, index) => {
      return [server, { host: "127.0.0.1", port: ports[index] ?? 0 }] as const;
    });
    const trio = new Trio(folder, new Map(addresses));
    t.after(async () => {
      for (const server of trio.servers) await trio.kill(server);
      fs.rmSync(folder, { recursive: true });
    });
    for (const server of trio.servers) await trio.start(server);
    return trio;
  }

  async start(self: ServerId): Promise<void> {
    const replica = new Replica({
      self,
      servers: this.servers,
      machine: new KeyValueMachine(),
      oracle: history,
      election: { name: "pole", options: { electionTimeout: milliseconds(50) } },
      broadcast: { checkpointTransactions: 40 },
    });
    const host = await TcpHost.start<ReplicaProtocol>({
      self,
      servers: this.#addresses,
      cluster: "trio",
      automaton: replica,
      codec: replicaCodec,
      disk: openDisk(path.join(this.#folder, String(self)), "fsync"),
      output: (output) => this.#take(output),
      tell: () => {},
      failed: assert.fail,
    });
    this.#replicas.set(self, replica);
    this.#hosts.set(self, host);
    host.request({ kind: "attach", client, seen: ZERO });
  }

  async kill(server: ServerId): Promise<void> {
    await this.#hosts.get(server)?.stop(true);
    this.#hosts.delete(server);
    this.#replicas.delete(server);
    this.#change();
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await this.#changed.promise;
  }

  /** The leader, once everybody alive serves under it. */
  async leader(): Promise<ServerId> {
    const leaders = (): (ServerId | null)[] =>
      [...this.#replicas.values()].map(({ status }) => status.leader);
    const agreed = (): boolean => leaders().every((leader) => leader !== null && leader === leaders()[0]);
    await this.until(() => agreed() && this.#hosts.has(leaders()[0] as ServerId));
    return leaders()[0] as ServerId;
  }

  write(at: ServerId, key: string, value: string): Promise<Uint8Array> {
    const payload = encodeOperation({ kind: "put", key, value: Buffer.from(value) });
    return this.#ask(at, (tag) => ({ kind: "write", client, tag, payload }));
  }

  async read(at: ServerId, key: string): Promise<string> {
    await this.#ask(at, (tag) => ({ kind: "sync", client, tag }));
    const reply = await this.#ask(at, (tag) => ({ kind: "read", client, tag, query: encodeQuery(key) }));
    return Buffer.from(decodeReply(reply).value).toString();
  }

  #ask(at: ServerId, request: (tag: number) => ReplicaProtocol["request"]): Promise<Uint8Array> {
    const host = this.#hosts.get(at) ?? assert.fail(`server ${at} is down`);
    const tag = ++this.#asked;
    return new Promise((resolve) => {
      this.#answers.set(tag, resolve);
      host.request(request(tag));
    });
  }

  #take(output: ReplicaOutput): void {
    if (output.kind === "reply") this.#answers.get(output.tag)?.(joined(output.result));
    this.#change();
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

test("three replicas on sockets and disks: what is written at one is read at every other", async (t) => {
  const trio = await Trio.start(t);
  await trio.leader();
  await Promise.all(
    Array.from({ length: 100 }, (_, n) => trio.write(trio.servers[n % 3] as ServerId, `k${n}`, `v${n}`)),
  );
  for (const server of trio.servers) assert.equal(await trio.read(server, "k77"), "v77");
});

test("a leader that is killed is replaced, nothing acknowledged is lost, and it comes back", async (t) => {
  const trio = await Trio.start(t);
  const first = await trio.leader();
  for (let n = 0; n < 60; n++) await trio.write(first, `k${n}`, `v${n}`);
  await trio.kill(first);
  const second = await trio.leader();
  assert.notEqual(second, first);
  assert.equal(await trio.read(second, "k59"), "v59");
  await trio.write(second, "k60", "v60");

  await trio.start(first);
  assert.equal(await trio.leader(), second);
  assert.equal(await trio.read(first, "k60"), "v60");
});

test("all are killed at once: every acknowledged write is there afterwards", async (t) => {
  const trio = await Trio.start(t);
  const leader = await trio.leader();
  await Promise.all(Array.from({ length: 90 }, (_, n) => trio.write(leader, `k${n}`, `v${n}`)));
  await Promise.all(trio.servers.map((server) => trio.kill(server)));
  for (const server of trio.servers) await trio.start(server);
  const next = await trio.leader();
  for (const n of [0, 44, 89]) assert.equal(await trio.read(next, `k${n}`), `v${n}`);
});
