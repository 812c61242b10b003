// lane: works, 5 s
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const MEMBER = fileURLToPath(new URL("./member.ts", import.meta.url));

const run = (...flags: string[]): ChildProcess =>
  spawn(process.execPath, [MEMBER, ...flags], { stdio: ["ignore", "pipe", "pipe"] });

/** How it ended, and what it complained of. */
async function ending(child: ChildProcess): Promise<{ code: number | null; complaint: string }> {
  assert.ok(child.stderr !== null);
  const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  return { code: code as number | null, complaint };
}

test("a member tells what happens line by line, and ends in order when it is asked to", async () => {
  const child = run("--id=3", "--interface=127.0.0.1", "--port=8770", "--announce=50ms", "--suppress=20ms");
  using cleanup = new DisposableStack();
  cleanup.defer(() => child.kill("SIGKILL"));
  assert.ok(child.stdout !== null);
  const events: string[] = [];
  const end = once(child, "exit");
  for await (const line of createInterface({ input: child.stdout })) {
    const { event, member } = JSON.parse(line) as { readonly event: string; readonly member: number };
    assert.equal(member, 3);
    events.push(event);
    const announced = events.filter((each) => each === "announced").length;
    if (event === "announced" && announced === 3) child.kill("SIGTERM");
  }
  assert.deepEqual(await end, [0, null]);
  assert.deepEqual(events.slice(0, 5), ["joined", "begun", "elected", "observed", "announced"]);
  assert.equal(events.at(-1), "ended");
});

test("it takes no more than 80 MB, also when nothing of it was compiled before", async () => {
  using cleanup = new DisposableStack();
  const cache = mkdtempSync(path.join(tmpdir(), "polebench-member-"));
  cleanup.defer(() => rmSync(cache, { recursive: true }));
  const flags = ["--id=3", "--interface=127.0.0.1", "--port=8772", "--announce=50ms", "--suppress=20ms"];
  const child = spawn(process.execPath, [MEMBER, ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
  });
  cleanup.defer(() => child.kill("SIGKILL"));
  assert.ok(child.stdout !== null);
  let announced = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('"announced"')) announced += 1;
    if (announced === 10) break;
  }
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  const resident = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
  assert.ok(resident > 0 && resident * 1024 < 80e6, `it takes ${resident} kB`);
});

test("lives one after another begin when they are to, each with a number of its own", async () => {
  const child = run(
    "--id=3",
    "--interface=127.0.0.1",
    "--port=8771",
    "--suppress=20ms",
    "--lives=3",
    "--every=300ms",
  );
  using cleanup = new DisposableStack();
  cleanup.defer(() => child.kill("SIGKILL"));
  assert.ok(child.stdout !== null);
  const told: {
    readonly event: string;
    readonly at: number;
    readonly life: number;
    readonly round: number;
  }[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    told.push(JSON.parse(line) as (typeof told)[number]);
    if (told.filter(({ event }) => event === "elected").length === 3) child.kill("SIGTERM");
  }
  const begun = told.filter(({ event }) => event === "begun");
  assert.equal(new Set(begun.map(({ life }) => life)).size, 3);
  assert.deepEqual(
    told.filter(({ event }) => event === "elected").map(({ round }) => round),
    [1, 1, 1],
  );
  const times = begun.map(({ at }) => at);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
});

test("what is wrong with its flags is told, and so is a group that cannot be joined", async () => {
  const wrong = await ending(run("--id=3", "--listen=soon"));
  assert.equal(wrong.code, 64);
  assert.equal(
    wrong.complaint,
    "--listen soon: not a duration such as 50ms, 2s or 1m\n" +
      "--interface: it must be given, as --interface address\n",
  );
  // An address that is kept for documents, so no machine has it.
  const elsewhere = await ending(run("--id=3", "--interface=192.0.2.1"));
  assert.equal(elsewhere.code, 3);
  assert.match(elsewhere.complaint, /^the group 239\.80\.76\.69 cannot be joined on 192\.0\.2\.1: .*\n$/);
});
