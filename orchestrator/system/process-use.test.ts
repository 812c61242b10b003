import assert from "node:assert/strict";
import test from "node:test";
import { cpuSeconds, machineBusySeconds, processUse, residentBytes } from "./process-use.ts";

test("a process may be called anything", () => {
  const stat = "42 (a ) b) S 1 42 42 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 1 0 7 1000 200";
  assert.equal(cpuSeconds(stat), 3);
});

test("resident memory is told in bytes", () => {
  assert.equal(residentBytes("Name:\tx\nVmRSS:\t   12 kB\nThreads:\t1\n"), 12 * 1024);
  assert.equal(residentBytes("Name:\tzombie\n"), 0);
});

test("this process has used something", () => {
  const { cpuSeconds: cpu, residentBytes: resident } = processUse(process.pid);
  assert.ok(cpu > 0 && resident > 1e6);
});

test("a machine is busy with all but idling and waiting for disks", () => {
  assert.equal(machineBusySeconds("cpu  100 10 50 90000 800 5 15 20 7 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n"), 2);
  assert.ok(machineBusySeconds() > 0);
});
