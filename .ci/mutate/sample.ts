// Which mutants of a room are tried: drawn by their own digest and a seed, so that the same seed draws the
// same ones again, and a change in one file leaves those of the others alone.
import type { Changed, Compiler } from "./compiler.ts";
import { digest } from "./ledger.ts";

export function sampleOf(
  compiler: Compiler,
  files: readonly string[],
  count: number,
  seed: string,
): { mutants: Changed[]; possible: number } {
  const all = files.flatMap((path) => {
    const { file, mutants } = compiler.mutants(path);
    const lineStarts = file.getLineStarts();
    return mutants.map((mutant) => {
      const { line } = file.getLineAndCharacterOfPosition(mutant.start);
      const words = file.text.slice(lineStarts[line], lineStarts[line + 1]).trim();
      const key = digest(seed, path, mutant.kind, words, `${mutant.end - mutant.start}`, ...mutant.instead);
      return { path, file, mutant, key };
    });
  });
  const drawn = all.toSorted((one, other) => (one.key < other.key ? -1 : 1));
  const mutants: Changed[] = [];
  let refused = 0;
  for (const { path, file, mutant } of drawn) {
    if (mutants.length >= count) break;
    const changed = compiler.take(path, file, mutant);
    if (changed === undefined) refused += 1;
    else mutants.push(changed);
  }
  const share = mutants.length / Math.max(1, mutants.length + refused);
  return { mutants, possible: Math.round(all.length * share) };
}
