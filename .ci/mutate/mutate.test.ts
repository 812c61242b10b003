// lane: works, 3 s
// A file with a test, its mistakes, and what becomes of them.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Compiler } from "./compiler.ts";
import { digest, Ledger } from "./ledger.ts";
import { reachOf, runs } from "./reach.ts";
import { filesOf, roomOf, testsOf } from "./rooms.ts";
import { sampleOf } from "./sample.ts";
import { trial } from "./trial.ts";

const folder = mkdtempSync(join(tmpdir(), "mutate-"));
after(() => rmSync(folder, { recursive: true }));
const minute = 60_000;
const settings = {
  compilerOptions: { noEmit: true, target: "esnext", module: "nodenext", strict: true, types: [] },
  include: ["price.ts"],
};
const price = `export interface Price { readonly net: number; readonly gross: number; readonly of: string }
export function payable(price: Price, pieces: number): number {
  if (pieces < 1) return 0;
  let sum = 0;
  for (let left = pieces; left > 0; left -= 1) sum += price.gross;
  return sum;
}
export const dearest = (prices: readonly number[]): number => Math.max(...prices);
`;
const priceTest = `import assert from "node:assert/strict";
import { test } from "node:test";
import { payable } from "./price.ts";
test("two cost twice as much", () => assert.equal(payable({ net: 5, gross: 6, of: "tea" }, 2), 12));
`;
const file = join(folder, "price.ts");
const testFile = join(folder, "price.test.ts");
writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
writeFileSync(file, price);
writeFileSync(testFile, priceTest);

function drawn(count: number, seed: string) {
  using compiler = new Compiler(folder);
  return sampleOf(compiler, [file], count, seed).mutants;
}
const mutants = drawn(Infinity, "1");
const changes = mutants.map(({ line, was, instead }) => `${line}: ${was} -> ${instead}`);
function mutant(change: string) {
  const found = mutants[changes.indexOf(change)];
  assert.ok(found !== undefined, `${change} is none of\n${changes.join("\n")}`);
  return found;
}

test("mistakes that the compiler takes are made, and no others", () => {
  for (const change of [
    "3: < -> <=",
    "3: pieces < 1 -> false",
    "5: gross -> net",
    "5: sum += price.gross; -> ;",
    "6: sum -> 0",
    "8: max -> min",
  ])
    mutant(change);
  assert.ok(
    changes.every((change) => !change.endsWith("-> of")),
    "a text is no price",
  );
});

test("a mistake is killed by the test that sees it, and one that nobody sees survives", async () => {
  const seen = await trial(testFile, minute, { changed: mutant("5: gross -> net") });
  assert.deepEqual([seen.ending, seen.by], ["failed", "two cost twice as much"]);
  const unseen = await trial(testFile, minute, { changed: mutant("3: < -> <=") });
  assert.equal(unseen.ending, "passed");
});

test("a mistake that goes on for ever is ended by its time", async () => {
  const endless = await trial(testFile, 1500, { changed: mutant("5: -= -> +=") });
  assert.equal(endless.ending, "timed out");
});

test("where no test comes is known without a trial", async () => {
  const reached = await reachOf(testFile, [file], minute);
  assert.ok(reached.passes);
  assert.ok(runs(reached, file, price.indexOf("price.gross")));
  assert.ok(!runs(reached, file, price.indexOf("return 0")), "nobody asked for none");
  assert.ok(!runs(reached, file, price.indexOf("Math.max")), "nobody asked for the dearest");
});

test("a seed draws the same mistakes again, another seed others", () => {
  const five = drawn(5, "1");
  assert.deepEqual(five, mutants.slice(0, 5));
  assert.notDeepEqual(drawn(5, "2"), five);
});

test("what is known outlives the process, and a line that was cut does not hurt", () => {
  const path = join(folder, "known.jsonl");
  new Ledger<number>(path).set(digest("a"), 1);
  writeFileSync(path, '{"key":"cut', { flag: "a" });
  const again = new Ledger<number>(path);
  assert.equal(again.get(digest("a")), 1);
  assert.equal(again.get(digest("b")), undefined);
});

test("a room is asked for by its name, and its own tests are the nearest", () => {
  assert.equal(roomOf("store"), "node/host/tcp/store");
  assert.equal(roomOf("nowhere"), undefined);
  const files = filesOf("node/wire");
  assert.ok(files.includes("node/wire/reader.ts") && files.every((path) => !path.endsWith(".test.ts")));
  const [nearest = ""] = testsOf("node/wire/reader.ts", "node/wire");
  assert.match(nearest, /^node\/wire\//);
});
