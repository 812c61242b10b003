// Names that pure code may not speak, each with what to say instead. The compiler already lacks
// the ambient ones there (node/tsconfig.pure.json); those of the language itself it cannot refuse.
import { isPure } from "./layers.ts";
import { type Finding, isTest, matches, type Source } from "./source.ts";

type Ban = readonly [pattern: RegExp, instead: string];

const chance: Ban = [/\bMath\s*\.\s*random\b/, "Math.random: chance comes in; use core/random.ts"];
const clock: Ban = [/(?<![.#\w])Date\b(?!\s*:)/, "Date: time comes in as `now`"];
const timers: Ban = [
  /(?<![.#\w])(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/,
  "timers: return an `arm` effect",
];

const pureBans: readonly Ban[] = [
  chance,
  clock,
  timers,
  [/(?<![.#\w])performance\s*\./, "performance: time comes in as `now`"],
  [/(?<![.#\w])process\s*\./, "process: configuration comes in, output goes out as an effect"],
  [/(?<![.#\w])console\s*\./, "console: return an `output` effect"],
  [/(?<![.#\w])(?:async|await)\b(?!\s*[:?=,)}])/, "async, await: return an effect, its answer is an input"],
  [/(?<![.#\w])Promise\b/, "Promise: return an effect, its answer is an input"],
  [/(?<![.#\w])(?:globalThis|eval|require)\b(?!\s*:)/, "ambient names: pure code has its inputs only"],
  [
    /(?<![.#\w])(?:WeakRef|FinalizationRegistry)\b/,
    "WeakRef: when it empties is not a function of the inputs",
  ],
  [
    /\.\s*(?:localeCompare|toLocale\w+)\b|(?<![.#\w])Intl\b/,
    "locale: differs between machines; compare with < and >",
  ],
];

// Virtual time must replay byte for byte, though what runs it may measure its own speed.
const virtualBans: readonly Ban[] = [chance, clock, timers];

export function purity(source: Source): Finding[] {
  if (!source.path.endsWith(".ts")) return [];
  const bans = isPure(source.path) ? pureBans : isVirtual(source.path) ? virtualBans : [];
  return bans.flatMap(([pattern, instead]) => matches(source, pattern, instead));
}

function isVirtual(path: string): boolean {
  return path.startsWith("node/host/virtual/") && !isTest(path);
}
