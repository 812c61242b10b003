/** What the command lines of the swarms have in common: numbers, names, and mistakes told in a sentence. */

import { EXIT } from "../../core/exit-code.ts";

/** What was typed cannot be done; the message says why. */
export class UsageError extends Error {}

export function asCount(name: string, text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw new UsageError(`--${name} ${text}: a whole number is wanted`);
}

export function asOneOf<Name extends string>(what: string, text: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === text);
  if (found !== undefined) return found;
  throw new UsageError(`--${what} ${text}: no such ${what}; there are ${names.join(", ")}`);
}

export function* seedsFrom(first: number, count: number): Generator<number> {
  for (let seed = first; seed < first + count; seed++) yield seed;
}

/** The process ends with what `main` returns. */
export async function run(main: (argv: readonly string[]) => Promise<number>): Promise<void> {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    const isMistyped = (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS") === true;
    if (!isMistyped && !(error instanceof UsageError)) throw error;
    console.error((error as Error).message);
    process.exitCode = EXIT.usage;
  }
}
