// lane: quiet, 60 s: members that begin late are told as members that differ
// An election by itself seen, and struck, by somebody who has no part in it.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { suite, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { conclude } from "../../measure/conclude.ts";
import { type MembersFlags, planMembers } from "../../plan/members-flags.ts";
import type { ElectionRecording } from "../../recording/recording.ts";
import { CannotRun } from "../../terminal/exit-code.ts";
import { isRoot } from "../../testbed/environment.ts";
import { addressOfMachine } from "../../testbed/network/plane/control.ts";
import { runElectionLive, runElectionSeries } from "./members.ts";

const OPTIONS = { command: "members-outside.system.test", signal: new AbortController().signal };
const TIMES = { listen: "1750ms", suppress: "250ms" };

/** T_A tells the members of one test from all others. */
const plan = (announce: string, flags: MembersFlags) =>
  planMembers({ ...TIMES, announce, members: "4", ...flags }, "netns");

/** The living processes of members, by number. */
function membersWith(announce: string): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const pid of readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name))) {
    const words = commandOf(pid);
    const [, id] = /^--id=([0-9]+)$/.exec(words.find((word) => word.startsWith("--id=")) ?? "") ?? [];
    const isMember = words[0]?.endsWith("node") === true && words.includes(`--announce=${announce}`);
    if (isMember && id !== undefined) found.set(Number(id), Number(pid));
  }
  return found;
}

function commandOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

async function processOf(member: number, announce: string): Promise<number> {
  for (;;) {
    const pid = membersWith(announce).get(member);
    if (pid !== undefined) return pid;
    await delay(50);
  }
}

/** When the first of those that the run began with has spoken. */
async function killedOnceItLives(member: number, announce: string, afterMs: number): Promise<void> {
  const pid = await processOf(member, announce);
  await delay(afterMs);
  process.kill(pid, "SIGKILL");
}

/** All wait so long until they begin together, with what machines take. */
const BEGUN_MS = 13_000;

suite("members and somebody else", { concurrency: 1 }, () => {
  test("a leader that somebody kills with -9 is told in words, and the rest is judged", async () => {
    const running = runElectionLive(plan("501ms", { duration: "12s" }), OPTIONS);
    await killedOnceItLives(4, "501ms", BEGUN_MS);
    const recording = await running;
    const { verdict, measures } = conclude(recording);
    assert.equal(verdict.judgement, "valid", JSON.stringify(verdict.findings));
    assert.deepEqual(
      measures.disturbances.map(({ what, leader }) => [what, leader]),
      [
        ["the beginning", 4],
        ["SIGKILL to member 4 from outside", 3],
      ],
    );
    assert.deepEqual(
      recording.marks.map(({ servers, byHand }) => [servers, byHand]),
      [[[4], true]],
    );
    assert.equal(measures.disagreement.falseAlarms, 0);
    assert.equal(membersWith("501ms").size, 0, "and nobody is left behind");
  });

  test("among repetitions it is missed in those that follow, and they say so", async () => {
    const running = runElectionSeries(plan("502ms", { duration: "1500ms", members: "3" }), OPTIONS, 8);
    await killedOnceItLives(1, "502ms", BEGUN_MS);
    const runs = await running;
    assert.equal(runs.length, 8);
    const struck = runs.findIndex(({ marks }) => marks.length > 0);
    assert.ok(struck >= 0 && struck < 7, `struck in ${struck}`);
    const missing = (run: ElectionRecording | undefined): readonly string[] =>
      run === undefined ? [] : (conclude(run).verdict.findings[0]?.reasons ?? []);
    assert.deepEqual(missing(runs[0]), []);
    assert.deepEqual(missing(runs[7]), ["member 1 never began"]);
  });

  test("one that is killed before all begin ends the run in a sentence, at once", async () => {
    const running = runElectionLive(plan("503ms", { duration: "500s" }), OPTIONS);
    const told = assert.rejects(running, (error: Error) => {
      assert.ok(error instanceof CannotRun);
      assert.match(error.message, /^member 2 was ended by SIGKILL from outside before all began$/);
      return true;
    });
    await killedOnceItLives(2, "503ms", 1000);
    await told;
    assert.equal(membersWith("503ms").size, 0);
  });

  const skip = isRoot() ? false : "only root may enter machines from outside";

  test("what a tap in a member's machine sees is what the run recorded", { skip }, async () => {
    const running = runElectionLive(plan("504ms", { duration: "6s" }), OPTIONS);
    const tap = await tapOf(await processOf(1, "504ms"));
    const recording = await running;
    const packets = await tap.end();
    const sent = Map.groupBy(
      recording.events.filter(({ event }) => event === "announced"),
      ({ member }) => member,
    );
    const seen = Map.groupBy(packets, ({ from }) => from);
    const count = (of: ReadonlyMap<unknown, readonly unknown[]>, key: unknown): number =>
      of.get(key)?.length ?? 0;
    const machines = [1, 2, 3, 4].map((member) => [member, addressOfMachine(member - 1)] as const);
    // What the members sent when they were ended is no part of the record.
    for (const [member, address] of machines)
      assert.ok(
        count(seen, address) - count(sent, member) <= 1 && count(seen, address) >= count(sent, member),
        `member ${member}: ${count(seen, address)} on the wire, ${count(sent, member)} recorded`,
      );
    assert.ok(packets.length >= 10, `${packets.length} packets`);
    assert.deepEqual(
      new Set(packets.map(({ to, port, ttl }) => `${to}:${port} ttl ${ttl}`)),
      new Set(["239.80.76.69:8769 ttl 1"]),
    );
    assert.ok(packets.every(({ from, sent: own }) => own === (from === addressOfMachine(0))));
  });
});

interface Packet {
  readonly from: string;
  readonly to: string;
  readonly port: number;
  readonly ttl: number;
  /** By the machine itself. */
  readonly sent: boolean;
}

const TAP = fileURLToPath(new URL("../../testing/group_tap.py", import.meta.url));

/** In the network namespace of this process. */
async function tapOf(pid: number): Promise<{ readonly end: () => Promise<readonly Packet[]> }> {
  const python = execFileSync("sh", ["-c", "command -v python3"], { encoding: "utf8" }).trim();
  const inside = ["--target", String(pid), "--net", python, TAP];
  const child = spawn("nsenter", inside, { stdio: ["ignore", "pipe", "inherit"] });
  const lines: string[] = [];
  const reading = createInterface(child.stdout);
  reading.on("line", (line) => lines.push(line));
  await once(reading, "line");
  return {
    end: async () => {
      const closed = once(reading, "close");
      child.kill("SIGTERM");
      await closed;
      return lines.slice(1).map((line) => JSON.parse(line) as Packet);
    },
  };
}
