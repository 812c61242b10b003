// lane: works, 10 s
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { Random } from "#node/core/random.ts";
import { Coverage } from "./coverage.ts";
import { type Fuzzing, fuzz } from "./fuzz.ts";
import { mutated } from "./mutation.ts";
import { watched } from "./watch.ts";

// Coverage sees what is loaded after it began.
const coverage = Coverage.begin();
const { TARGETS } = await import("./target.ts");
const hard = await import("./testdata/hard-targets.ts");

const names = Object.keys(TARGETS) as (keyof typeof TARGETS)[];
const some: Fuzzing = { seed: 1, ms: Infinity, inputs: 300, coverage: null };

for (const name of names) {
  test(`${name}: a few hundred inputs break nothing, and good ones are taken`, async () => {
    const { failure, inputs } = await fuzz(await TARGETS[name](), some);
    assert.equal(failure?.reason, undefined);
    assert.equal(inputs, 300);
  });
}

const corpus = new URL("corpus/", import.meta.url);
for (const file of readdirSync(corpus).filter((entry) =>
  names.some((name) => entry.startsWith(`${name}-`)),
)) {
  test(`${file}, which broke something once, does not any more`, async () => {
    const target = await TARGETS[file.split("-")[0] as keyof typeof TARGETS]();
    await target.feed(Uint8Array.from(readFileSync(new URL(file, corpus))));
  });
}

test("one seed gives the same inputs again", () => {
  const seeds = [Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)];
  const [first, second] = [new Random(7), new Random(7)];
  for (let count = 0; count < 100; count++) {
    assert.deepEqual(mutated(seeds, first), mutated(seeds, second));
  }
});

suite("what is hidden behind three right bytes", () => {
  const hidden: Fuzzing = { ...some, inputs: 100_000 };

  test("is reached by who follows the coverage", async () => {
    const { failure, inputs, found } = await fuzz(hard.TARGETS.hidden(), { ...hidden, coverage });
    assert.match(failure?.reason ?? "", /the vault is open/);
    assert.deepEqual([...(failure?.input?.subarray(2, 5) ?? [])], [0x50, 0x4f, 0x4c]);
    assert.equal(found, 2, "the inputs with one right byte, and with two");
    assert.ok(inputs < hidden.inputs);
  });

  test("and not by who mutates blindly, in as many inputs", async () => {
    const { failure, inputs } = await fuzz(hard.TARGETS.hidden(), hidden);
    assert.equal(failure, null);
    assert.equal(inputs, hidden.inputs);
  });
});

test("an input that takes more than a second of a processor is a failure", async () => {
  const { failure } = await fuzz(hard.TARGETS.slow(), { ...some, inputs: 100_000 });
  assert.match(failure?.reason ?? "", /it took \d{4} ms of a processor/);
  assert.equal(failure?.input?.[0], 7);
});

test("a target that keeps what it is fed is a failure of no single input", async () => {
  const { failure, inputs } = await fuzz(hard.TARGETS.growing(), some);
  assert.match(failure?.reason ?? "", /it keeps \d{8} bytes of what it was fed/);
  assert.equal(failure?.input, null);
  assert.equal(inputs, some.inputs);
});

suite("a target in a thread of its own", () => {
  const module = new URL("testdata/hard-targets.ts", import.meta.url).href;
  const assignment = { module, seed: 1, ms: 600_000, inputs: Infinity };

  test("that never comes back is ended, and the input known that did it", async () => {
    const { failure } = await watched({ ...assignment, target: "endless" }, 3000);
    assert.equal(failure?.reason, "no end after 3000 ms");
    assert.equal(failure.input?.[0], 7);
  });

  test("that dies is no more than a failure, and the input known that did it", async () => {
    const { failure } = await watched({ ...assignment, target: "deadly" });
    assert.match(failure?.reason ?? "", /ended its thread with 3/);
    assert.equal(failure?.input?.[0], 7);
  });

  test("that is sound is fed to the end", async () => {
    const url = new URL("target.ts", import.meta.url).href;
    const tally = await watched({ ...assignment, module: url, target: "greeting", inputs: 500 });
    assert.equal(tally.failure, null);
    assert.equal(tally.inputs, 500);
    assert.ok(tally.found > 0 && tally.reached > 0);
  });
});
