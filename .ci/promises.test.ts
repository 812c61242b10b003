import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import test from "node:test";
import { brokenPromises, PROMISES } from "./promises.ts";

test("what is held to be promised stands in the README, and has its proof", () => {
  const readme = readFileSync("README.md", "utf8").replaceAll(/\s+/g, " ");
  const files = globSync("{node,orchestrator}/**/*.system.test.ts");
  for (const [words, proof] of Object.entries(PROMISES)) {
    assert.ok(readme.includes(words), `the README does not say any more: ${words}`);
    assert.ok(
      files.some((file) => proof.test(file)),
      `no test file proves: ${words}`,
    );
  }
});

test("a skipped proof of what the README says is a broken promise, another skip is none", () => {
  const curator = "orchestrator/conformance/clients.system.test.ts: Curator: there is no JDK here";
  const image = "orchestrator/testbed/image.system.test.ts: the image: a daemon of somebody else's";
  const broken = brokenPromises([image, curator]);
  assert.equal(broken.length, 1);
  assert.match(broken[0] ?? "", /no JDK here\n.*but the README says "zkCli, the Java and C clients/);
});
