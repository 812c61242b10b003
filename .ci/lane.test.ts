import assert from "node:assert/strict";
import test from "node:test";
import { needOf } from "./lane.ts";

test("a test file says in its first line what it asks of the machine", () => {
  const line = "// lane: alone, 45 s: a certificate is about the network alone";
  assert.deepEqual(needOf("a.test.ts", `${line}\nimport "x";\n`), { lane: "alone", seconds: 45 });
  assert.deepEqual(needOf("a.test.ts", "// lane: waits, 30 s\n"), { lane: "waits", seconds: 30 });
  const sharing = { lane: "works", seconds: 9, fixture: "docker" };
  assert.deepEqual(needOf("a.test.ts", "// lane: works, 9 s, with docker\n"), sharing);
});

test("one that says nothing computes, and not for long", () => {
  assert.deepEqual(needOf("a.test.ts", 'import "x";\n// lane: waits, 30 s\n'), { lane: "works", seconds: 1 });
});

test("what is almost a lane is told with its place", () => {
  for (const almost of ["// lane: sleeps, 3 s", "// lane: waits", "// lane: waits, 3 s because"])
    assert.throws(() => needOf("a.test.ts", `${almost}\n`), /^Error: a\.test\.ts:1: .* should be like/);
  assert.throws(() => needOf("a.test.ts", "// lane: works, 9 s, with etcd\n"), /there is no "etcd" to share/);
  assert.throws(() => needOf("a.test.ts", "// lane: alone, 3 s\n"), /who runs alone says why/);
  assert.throws(() => needOf("a.test.ts", "// lane: quiet, 3 s\n"), /who runs quiet says why/);
});
