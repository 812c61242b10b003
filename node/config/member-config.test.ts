import assert from "node:assert/strict";
import { test } from "node:test";
import { milliseconds, seconds } from "../core/time.ts";
import { memberHelp, readMemberConfig } from "./member-config.ts";

const NEEDED = ["--id", "7", "--interface", "10.77.0.7"];

const problems = (...words: string[]): readonly string[] => {
  const reading = readMemberConfig(words);
  return reading.kind === "wrong" ? reading.problems : [];
};

test("a member needs a number and an address; the rest is usual, by election", () => {
  const reading = readMemberConfig(NEEDED);
  assert.ok(reading.kind === "config");
  assert.deepEqual(reading.config, {
    id: 7,
    election: "le-s",
    options: {
      announce: seconds(1),
      listen: milliseconds(3500),
      suppress: milliseconds(500),
      bye: 0,
      steepness: 0,
    },
    group: "239.80.76.69",
    port: 8769,
    interface: "10.77.0.7",
    ttl: 1,
    cluster: "polebench",
    secretFile: "",
    buffer: 0,
    startAt: 0,
    lives: 1,
    every: seconds(5),
  });
  const hasty = readMemberConfig([...NEEDED, "--election=le-a", "--announce=200ms", "--start-at", "12345"]);
  assert.ok(hasty.kind === "config");
  assert.deepEqual(hasty.config.options, {
    announce: milliseconds(200),
    listen: milliseconds(3500),
    bye: 0,
  });
  assert.equal(hasty.config.startAt, 12_345);
});

test("all that is wrong is told at once, each with what would be right", () => {
  assert.deepEqual(
    problems(
      "--id",
      "70000",
      "--group",
      "10.0.0.1",
      "--listen",
      "soon",
      "--colour",
      "red",
      "--election",
      "x",
    ),
    [
      "--election x: not one of le-a, le-s, le-m, le-mapped, le-q, sup-al, time-slice, variable-speeds",
      "--id 70000: not a whole number from 1 to 65535",
      "--listen soon: not a duration such as 50ms, 2s or 1m",
      "--group 10.0.0.1: not an IPv4 multicast address, 224.0.0.0 to 239.255.255.255",
      "--interface: it must be given, as --interface address",
      "--colour: no such flag with the election le-s; --help lists them",
    ],
  );
  assert.deepEqual(problems(...NEEDED, "--port"), ["--port: what? a value follows it"]);
});

test("an election takes its own options only", () => {
  assert.deepEqual(problems(...NEEDED, "--election=le-a", "--suppress=1s"), [
    "--suppress: no such flag with the election le-a; --help lists them",
  ]);
});

test("a leader that would be left between two heartbeats is refused", () => {
  assert.deepEqual(problems(...NEEDED, "--announce", "2s", "--listen", "1s"), [
    "listen is shorter than announce: a leader is left between two heartbeats",
  ]);
});

test("help lists every flag and every election", () => {
  assert.deepEqual(readMemberConfig(["--help"]), { kind: "help" });
  for (const word of ["--start-at us", "--election le-a|le-s|le-m", "  le-s ", "--suppress time", "(3500ms)"])
    assert.ok(memberHelp().includes(word), word);
});
