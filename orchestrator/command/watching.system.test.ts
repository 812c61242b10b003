// lane: waits, 30 s
/**
 * Who looks on at a command: a program that reads the stream, one that does not, a browser with its hand in.
 */

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import { EXIT } from "#node/core/exit-code.ts";
import { printTimedFault } from "../fault/words.ts";
import { isServiceRecording } from "../recording/recording.ts";
import { readRecording } from "../recording/run-folder.ts";
import { recordsOf } from "../view/from-recording.ts";
import type { StreamRecord } from "../view/record.ts";
import { Scene } from "../view/scene/scene.ts";

const POLEBENCH = fileURLToPath(new URL("../polebench", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "polebench-watching-"));
after(() => rmSync(folder, { recursive: true }));

const SHORT = ["--topology", "3dc", "--oracle", "latency", "--rate", "100/s", "--quick"];
const SIM = ["run", ...SHORT, "--runtime", "sim", "--duration", "6s", "--kill-at", "3s", "--quiet"];

interface Started {
  readonly child: ChildProcess;
  readonly said: { stdout: string; stderr: string };
  /** Its process is gone; what it wrote may still be unread. */
  readonly exited: Promise<number>;
  readonly ended: Promise<number>;
}

function start(...words: readonly string[]): Started {
  const child = spawn(POLEBENCH, words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "" };
  child.stderr?.on("data", (text: Buffer) => {
    said.stderr += text.toString("utf8");
  });
  const heard = (event: "exit" | "close"): Promise<number> =>
    once(child, event).then(([code]) => Number(code));
  return { child, said, exited: heard("exit"), ended: heard("close") };
}

const recordsIn = (text: string): StreamRecord[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as StreamRecord);

const kept = (runtime: string, out: string) => {
  const [trial = ""] = globSync(`${out}/run/*${runtime}*/trial.json`, { cwd: folder });
  const recording = readRecording(join(folder, dirname(trial)));
  assert.ok(isServiceRecording(recording));
  return { recording, html: readFileSync(join(folder, dirname(trial), "replay.html"), "utf8") };
};

/** In order of time, as the page puts them: what is written down late comes late. */
const sumsOf = (records: readonly StreamRecord[]) => {
  const timed = records.filter((record) => "at" in record).sort((a, b) => a.at - b.at);
  const ordered = [...records.filter((record) => !("at" in record)), ...timed];
  const { total, leader, epoch, outage, faults } = Scene.of(ordered, Number.POSITIVE_INFINITY);
  const { ok, failed, unknown } = total;
  const struck = faults.map(({ at, fault, byHand }) => ({ at, fault, byHand }));
  return { ok, failed, unknown, leader, epoch, outage: outage?.until, struck };
};

suite("a program", () => {
  test("reads the whole trial as NDJSON from stdout, and nothing else is there", async () => {
    const { child, said, ended } = start(...SIM, "--events", "-", "--out", "all");
    child.stdout?.on("data", (text: Buffer) => {
      said.stdout += text.toString("utf8");
    });
    assert.equal(await ended, 0, said.stderr);
    const records = recordsIn(said.stdout);
    assert.equal(records[0]?.kind, "plan");
    assert.equal(records.at(-1)?.kind, "end");
    const { recording, html } = kept("sim", "all");
    assert.deepEqual(sumsOf(records), sumsOf(recordsOf(recording)));
    const events = (of: readonly StreamRecord[]) =>
      of.filter(({ kind }) => kind === "event" || kind === "fault");
    assert.deepEqual(events(records), JSON.parse(JSON.stringify(events(recordsOf(recording)))));
    assert.match(said.stderr, /^valid: p5 led/m, "what people are told goes to stderr");
    assert.match(html, /id="recorded"/);
  });

  test("that goes away, or never reads, does not keep the run from its end", async () => {
    const [gone, stuck] = [
      start(...SIM, "--events", "-", "--out", "gone"),
      start(...SIM, "--events", "-", "--out", "stuck"),
    ];
    gone.child.stdout?.destroy();
    stuck.child.stdout?.pause();
    assert.equal(await gone.exited, 0, gone.said.stderr);
    assert.equal(await stuck.exited, 0, stuck.said.stderr);
    stuck.child.stdout?.destroy();
  });
});

suite("a hand", () => {
  test("kills the leader of a live trial: a fault of the plan, with its time and by hand", async () => {
    const live = ["run", ...SHORT, "--runtime", "netns", "--duration", "8s", "--kill-at", "never"];
    const { said, ended, child } = start(
      ...live,
      "--watch",
      "--hands-on",
      "--events",
      "live.ndjson",
      "--out",
      "live",
    );
    child.stdout?.resume();
    const link = await printed(said, /http:\S+/);
    const socket = new WebSocket(`${link.replace("http:", "ws:")}stream`, { origin: new URL(link).origin });
    const told: StreamRecord[] = [];
    const refused: string[] = [];
    socket.on("message", (data: Buffer) => {
      const heard = JSON.parse(data.toString("utf8")) as StreamRecord[] | { refused: string };
      if ("refused" in heard) refused.push(heard.refused);
      else told.push(...heard);
    });
    await once(socket, "open");
    const ask = (fault: string): void => socket.send(JSON.stringify({ fault }));
    ask("crash leader");
    await until(() => refused.length === 1);
    await until(() => told.some((record) => record.kind === "until" && record.at > 2e6));
    for (const words of ["crash p9", "explode p1", "disk-full p1", "crash leader"]) ask(words);
    // Whether the network deserved its certificate beside other tests is not asked here.
    const code = await ended;
    assert.ok(code === EXIT.passed || code === EXIT.failed, said.stderr);
    assert.match(refused[0] ?? "", /^faults by hand are taken while the load lasts$/);
    assert.equal(refused.length, 4, refused.join("\n"));

    const { recording } = kept("netns", "live");
    const [mark, ...others] = recording.marks;
    assert.deepEqual(others, []);
    assert.deepEqual([mark?.fault, mark?.byHand, mark?.servers], ["crash leader", true, [5]]);
    assert.deepEqual(recording.plan.faults.map(printTimedFault), [`${(mark?.at ?? 0) / 1e6}s crash leader`]);
    for (const records of [told, recordsIn(readFileSync(join(folder, "live.ndjson"), "utf8"))])
      assert.deepEqual(sumsOf(records), sumsOf(recordsOf(recording)));
    const page = connect(Number(new URL(link).port), "127.0.0.1");
    const [error] = (await once(page, "error")) as [NodeJS.ErrnoException];
    assert.equal(error.code, "ECONNREFUSED", "nothing is left of the page");
  });
});

async function printed(said: { readonly stderr: string }, words: RegExp): Promise<string> {
  await until(() => words.test(said.stderr));
  return words.exec(said.stderr)?.[0] ?? "";
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}
