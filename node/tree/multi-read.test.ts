// Several reads in one journey.

import assert from "node:assert/strict";
import { test } from "node:test";
import { failure, make, Stage } from "../testing/tree/stage.ts";
import { ERRORS } from "../wire/client/error.ts";
import type { ClientRequest } from "../wire/client/request.ts";

function begin() {
  const stage = new Stage();
  const session = stage.open();
  return {
    write: (request: ClientRequest) => stage.write(request, session),
    read: (request: ClientRequest) => stage.read(request, session),
  };
}

test("each read is answered for itself", () => {
  const { write, read } = begin();
  write(make("/a"));
  const reply = read({
    kind: "multiRead",
    operations: [
      { kind: "getData", path: "/none", watch: false },
      { kind: "getChildren", path: "/a", watch: false },
    ],
  });
  assert.deepEqual(reply, {
    kind: "multiRead",
    results: [
      { kind: "error", error: ERRORS.noNode },
      { kind: "getChildren", names: [] },
    ],
  });
});

test("no more is answered than a client takes, however often a large znode is asked for", () => {
  const { write, read } = begin();
  const name = "x".repeat(1 << 19);
  write(make("/a", { data: new Uint8Array(1 << 19) }));
  write(make(`/a/${name}`));
  for (const kind of ["getData", "getChildren"] as const) {
    const reply = read({
      kind: "multiRead",
      operations: Array.from({ length: 1000 }, () => ({ kind, path: "/a", watch: false })),
    });
    assert.ok(reply.kind === "multiRead" && reply.results.length === 1000);
    const told = reply.results.filter((result) => result.kind === kind).length;
    assert.ok(told === 32 || told === 33, `${told} times half a megabyte`);
    assert.deepEqual(reply.results.at(-1), failure("marshalling"));
  }
});
