import assert from "node:assert/strict";
import test, { after, before, suite } from "node:test";
import { Random } from "#node/core/random.ts";
import { type Ensemble, startEnsemble } from "../bench/ensemble.ts";
import { SYSTEMS } from "../bench/system.ts";
import { compareEndpoints, printDivergence } from "./back-to-back.ts";
import { Endpoint } from "./endpoint.ts";
import { drawScript } from "./script.ts";

const SEEDS = Number(process.env["SEEDS"] ?? 15);
const FIRST_SEED = Number(process.env["SEED"] ?? 1);
const STEPS = 150;
/** So many are told, of different scripts: they are often of different kinds. */
const MOST = 5;

/**
 * ZooKeeper agrees with itself, or the comparison asks for what it does not promise; ours agrees with
 * ZooKeeper.
 */
for (const system of Object.values(SYSTEMS)) {
  suite(`${system.name} back to back with zookeeper`, { skip: system.missing() ?? false }, () => {
    let one: Ensemble;
    let other: Ensemble;

    before(async () => {
      [one, other] = await Promise.all([startEnsemble(SYSTEMS.zookeeper, 3), startEnsemble(system, 3)]);
    });

    after(() => Promise.all([one, other].map((ensemble) => ensemble[Symbol.asyncDispose]())));

    test(`${SEEDS} scripts of ${STEPS} steps`, async () => {
      const divergences: string[] = [];
      for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS && divergences.length < MOST; seed++) {
        await using ofOne = await Endpoint.open(one.connectString);
        await using ofOther = await Endpoint.open(other.connectString);
        const script = drawScript(new Random(seed), `seed-${seed}`, STEPS);
        const divergence = await compareEndpoints(ofOne, ofOther, script);
        if (divergence !== null) divergences.push(`SEED=${seed} SEEDS=1\n${printDivergence(divergence)}`);
      }
      assert.deepEqual(divergences, [], divergences.join("\n\n"));
    });
  });
}
