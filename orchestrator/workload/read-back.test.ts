// lane: waits, 2 s

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { EXIT } from "#node/core/exit-code.ts";
import type { ReadBackPlan } from "./final-state.ts";

describe("what is read back in the end", () => {
  test("a server that does not answer is told in a sentence, by name", async () => {
    const nowhere: ReadBackPlan = { servers: [{ id: 3, host: "127.0.0.1" }], clientPort: 1, clients: [0] };
    const script = fileURLToPath(new URL("./read-back.ts", import.meta.url));
    const { exitCode, stdout, stderr } = await execa(process.execPath, [script, JSON.stringify(nowhere)], {
      reject: false,
    });
    assert.equal(exitCode, EXIT.failed);
    assert.equal(stdout, "");
    assert.match(stderr, /^p3 cannot be read: 127\.0\.0\.1:1 cannot be asked: .*$/);
  });
});
