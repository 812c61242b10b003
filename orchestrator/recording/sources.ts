/**
 * Which code made a run, as one short word: equal for equal files, whether they were committed or not. It is
 * of all that decides how a run goes and what is measured of it, and of one's own oracle; pages and charts
 * are not in it, because they are made again at any time.
 */

import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const DECIDING = [
  "package-lock.json",
  "node/**/*.ts",
  "orchestrator/{check,fault,measure,plan,recording,runner,statistics,system,terminal}/**/*.ts",
  "orchestrator/{testbed,topology,workload}/**/*.{ts,py}",
];
/** What only tests use decides nothing. */
const BESIDE = /\.test\.ts$|^node\/testing\//;

export function sourcesOf(ownOracle: string | null): string {
  const hash = createHash("sha256");
  const files = globSync(DECIDING, { cwd: ROOT }).filter((name) => !BESIDE.test(name));
  for (const name of files.sort()) hash.update(`${name}\0`).update(readFileSync(`${ROOT}/${name}`));
  if (ownOracle !== null) hash.update(readFileSync(ownOracle));
  return hash.digest("hex").slice(0, 12);
}

const loaded = new Map<string | null, string>();

/** As this process found them first, which is how it runs what it runs itself. */
export function sourcesAsLoaded(ownOracle: string | null): string {
  const sources = loaded.get(ownOracle) ?? sourcesOf(ownOracle);
  loaded.set(ownOracle, sources);
  return sources;
}
