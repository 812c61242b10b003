// lane: waits, 40 s
/** Disks are lost for good: what real servers do by themselves, and what the operator's commands do. */

import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { AskingSession } from "#node/host/tcp/asking-session.ts";
import { freePorts } from "#node/host/tcp/free-ports.ts";
import { OPEN } from "#node/wire/client/acl.ts";

const POLEBENCH = fileURLToPath(new URL("../polebench", import.meta.url));
const MAIN = fileURLToPath(new URL("../../node/main.ts", import.meta.url));
const HOST = "127.0.0.1";

/** Three servers of which any may run, each with a folder that may be lost. */
class Ensemble {
  readonly folder = mkdtempSync(join(tmpdir(), "polebench-recovery-"));
  readonly #ports: readonly number[];
  readonly #running = new Map<number, ChildProcess>();
  /** All that each has said. */
  readonly said = new Map<number, string>();

  private constructor(ports: readonly number[]) {
    this.#ports = ports;
  }

  static async open(t: TestContext): Promise<Ensemble> {
    const ensemble = new Ensemble(await freePorts(6));
    t.after(async () => {
      await ensemble.kill(1, 2, 3);
      rmSync(ensemble.folder, { recursive: true, force: true });
    });
    return ensemble;
  }

  dataDir(id: number): string {
    return join(this.folder, String(id));
  }

  words(id: number): string[] {
    const servers = [1, 2, 3].map((each) => `${each}=${HOST}:${this.#ports[each + 2]}`).join();
    const client = ["--client-port", String(this.#ports[id - 1]), "--tick-time", "500ms"];
    return ["--id", String(id), "--servers", servers, ...client, "--data-dir", this.dataDir(id)];
  }

  start(id: number, ...more: readonly string[]): void {
    const child = spawn(process.execPath, [MAIN, ...more, ...this.words(id)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    child.stdout.on("data", (text: Buffer) => this.said.set(id, (this.said.get(id) ?? "") + text.toString()));
    this.#running.set(id, child);
  }

  async kill(...ids: readonly number[]): Promise<void> {
    for (const id of ids) {
      const child = this.#running.get(id);
      if (child === undefined) continue;
      this.#running.delete(id);
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "close");
    }
  }

  /** And what it has said on it. */
  loseDisk(id: number): void {
    rmSync(this.dataDir(id), { recursive: true, force: true });
    this.said.delete(id);
  }

  session(id: number): Promise<AskingSession> {
    const port = this.#ports[id - 1] ?? 0;
    return within(`server ${id} gives a session`, () =>
      AskingSession.open({ host: HOST, port }).catch(() => undefined),
    );
  }

  async write(id: number, path: string): Promise<void> {
    using session = await this.session(id);
    const data = new TextEncoder().encode(path);
    const { error } = await session.ask({ kind: "create", path, data, acl: OPEN, flags: 0, ttl: -1 });
    assert.equal(error, 0);
  }

  async has(id: number, path: string): Promise<boolean> {
    using session = await this.session(id);
    await session.ask({ kind: "sync", path: "/" });
    const { error } = await session.ask({ kind: "exists", path, watch: false });
    return error === 0;
  }

  says(id: number, what: RegExp): Promise<boolean> {
    return within(`server ${id} says ${what}`, () =>
      Promise.resolve(what.test(this.said.get(id) ?? "") || undefined),
    );
  }
}

test("a lost disk comes back through the living others, and nothing acknowledged is lost", async (t) => {
  const ensemble = await Ensemble.open(t);
  for (const id of [1, 2, 3]) ensemble.start(id);
  await ensemble.write(1, "/before");
  await ensemble.kill(2);
  const usual = await polebench("recover", ...ensemble.words(2));
  assert.deepEqual([usual.code, usual.stdout], [2, ""]);
  assert.match(usual.stderr, /the disk of server 2 is not new, and it serves/);

  ensemble.loseDisk(2);
  const recovered = await polebench("recover", ...ensemble.words(2));
  assert.equal(recovered.code, 0, recovered.stderr);
  assert.match(recovered.stdout, /server 2: its disk is new, and others know an epoch: .* in epoch \d+ or a/);
  assert.match(recovered.stdout, /server 2 is back: it is level under server [13] in epoch \d+, and counts/);
  await ensemble.write(3, "/meanwhile");

  // From now on it is as good as any other: with it alone one of the others is a quorum.
  ensemble.start(2);
  await ensemble.has(2, "/before");
  await ensemble.kill(3);
  for (const path of ["/before", "/meanwhile"]) assert.ok(await ensemble.has(1, path), path);

  ensemble.loseDisk(3);
  await ensemble.kill(1);
  ensemble.start(3);
  await ensemble.says(3, /disk of this server is new, and it has not heard from server 1\. Start that; or,/);
  ensemble.start(1);
  assert.ok(await ensemble.has(3, "/meanwhile"));
});

test("a lost disk and one that never was found nothing; the last resort says what it gives up", async (t) => {
  const ensemble = await Ensemble.open(t);
  for (const id of [1, 2]) ensemble.start(id, "--initial", "yes");
  await ensemble.write(1, "/acknowledged");
  await ensemble.kill(1, 2);
  ensemble.loseDisk(2);
  for (const id of [2, 3]) ensemble.start(id);
  await ensemble.says(3, /has not heard from server 1/);
  ensemble.start(1);
  await within("somebody says what is missing", () =>
    Promise.resolve(
      [1, 2, 3].some((id) => /of these only 1 still/.test(ensemble.said.get(id) ?? "")) || undefined,
    ),
  );
  for (const id of [2, 3]) assert.doesNotMatch(ensemble.said.get(id) ?? "", /"event":"serving"/);

  const running = await polebench("salvage", "--from", ensemble.dataDir(1));
  assert.equal(running.code, 3);
  assert.match(running.stderr, /another server is running here/);
  await ensemble.kill(1, 2, 3);
  const [first, second] = ["new-1", "new-2"].map((name) => join(ensemble.folder, name)) as [string, string];
  const words = ["salvage", "--from", ensemble.dataDir(1), ensemble.dataDir(2), "--into", first, second];
  const told = await polebench(...words);
  assert.equal(told.code, 2);
  const last = /^last in its log: (0x1[0-9a-f]{8})$/m.exec(told.stdout)?.[1] ?? "";
  assert.match(
    told.stdout,
    /^given up: every write after it that only servers had whose folders are not named/m,
  );
  assert.match(told.stdout, /^epoch raised: from 1 to 10\d\d$/m);
  assert.match(told.stderr, new RegExp(`nothing was changed.* --confirm ${last}`));
  assert.equal((await polebench(...words, "--confirm", "0x1")).code, 2);
  assert.ok(!existsSync(first));
  const done = await polebench(...words, "--confirm", last);
  assert.equal(done.code, 0, done.stderr);
  const again = await polebench(...words, "--confirm", last);
  assert.equal(again.code, 64);
  assert.match(again.stderr, /there is something already; name new folders/);

  ensemble.start(1, "--data-dir", first);
  ensemble.start(2, "--data-dir", second);
  assert.ok(await ensemble.has(2, "/acknowledged"));
  await ensemble.says(2, /"event":"serving","leader":\d,"epoch":10\d\d,/);
  ensemble.loseDisk(3);
  ensemble.start(3);
  assert.ok(await ensemble.has(3, "/acknowledged"));
});

function polebench(
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(POLEBENCH, words, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

async function within<T>(what: string, found: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(50)) {
    const value = await found();
    if (value !== undefined) return value;
  }
  return assert.fail(`not within a minute: ${what}`);
}
