import assert from "node:assert/strict";
import { test } from "node:test";
import type { Finding, Judgement } from "../check/verdict.ts";
import { hunt, huntRow } from "./hunt.ts";
import type { Report } from "./judgement.ts";
import type { Directed } from "./mutants.ts";
import type { Torture } from "./plan.ts";

const LOST = "no acknowledged write lost";
const LATE = "serves within 2 session timeouts of the last fault";
const UNEQUAL = "equal state on all servers";

const directed: Directed = { faults: ["crash"], breaks: ["durable"] };
const plan: Torture = {
  system: "polebench",
  mutant: null,
  topology: "lan",
  seed: 5,
  seconds: 30,
  clients: 8,
  kinds: [],
};

const about = (property: string, judgement: Judgement, operations = 9): Finding => ({
  property,
  judgement,
  operations,
  reasons: judgement === "valid" ? [] : [`because of ${property}`],
});

/** What is found of the mutant, run by run, and what without it; and every plan that ran. */
async function hunted(ofMutant: readonly Finding[][], ofControl: readonly Finding[]) {
  const plans: Torture[] = [];
  const left = [...ofMutant];
  const found = await hunt("skip-truncate", directed, plan, (tried) => {
    plans.push(tried);
    const findings = tried.mutant === null ? ofControl : (left.shift() ?? []);
    return Promise.resolve({ findings, operations: 7 } as unknown as Report);
  });
  return { ...found, plans };
}

const sound = [about(LOST, "valid"), about(UNEQUAL, "valid")];

test("a mistake is caught by what it must break, and the same run without it is sound", async () => {
  const { isCaught, plans, ...rest } = await hunted(
    [[about(LOST, "valid")], [about(LOST, "invalid")]],
    sound,
  );
  assert.ok(isCaught);
  assert.deepEqual(
    plans.map(({ mutant, seed, kinds }) => [mutant, seed, kinds]),
    [
      ["skip-truncate", 5, ["crash"]],
      ["skip-truncate", 6, ["crash"]],
      [null, 6, ["crash"]],
    ],
  );
  const row = huntRow({ isCaught, ...rest });
  assert.match(row, /\| no acknowledged write lost \(because of .*\) \| 2 \| holds, 7 operations \|/);
});

test("not so: it was late, broke something else, or did nothing at all", async () => {
  const nothings = [[about(LATE, "invalid")], [about(UNEQUAL, "invalid")], [about(LOST, "invalid", 0)]];
  const { isCaught, ...rest } = await hunted(nothings, sound);
  assert.equal(isCaught, false);
  assert.match(huntRow({ isCaught, ...rest }), /ESCAPED/);
});

test("not so: what it breaks breaks without it too", async () => {
  const { isCaught, ...rest } = await hunted([[about(LOST, "invalid")]], [about(LOST, "invalid")]);
  assert.equal(isCaught, false);
  assert.match(huntRow({ isCaught, ...rest }), /ESCAPED.*BROKEN: no acknowledged write lost/);
});
