/** Which code names the cells of a sweep: all that decides a trial, and what draws maps and makes rows. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sourcesAsLoaded } from "../recording/sources.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));
let known: string | null = null;

/** As this process found them first. */
export function sourcesOfSweep(): string {
  if (known !== null) return known;
  const hash = createHash("sha256").update(sourcesAsLoaded(null));
  for (const name of ["cell.ts", "maps.ts", "row.ts", "trial.ts"])
    hash.update(readFileSync(join(HERE, name)));
  known = hash.digest("hex").slice(0, 12);
  return known;
}
