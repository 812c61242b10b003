/**
 * What a process can only be told before Node starts: a program starts over, in the same process, with words
 * for V8 and for the C library. The pid stays.
 *
 * Of what is compiled once is kept for the next start, for reading and stripping the sources is most of the
 * time until a program is there. The stripper itself is large, and stays in memory once it was used.
 */

import module from "node:module";
import path from "node:path";

/** Who says it otherwise, or debugs, is left alone. */
export function becomeThrifty(flags: readonly string[], environment: Readonly<Record<string, string>>): void {
  module.enableCompileCache();
  const said = [...process.execArgv, process.env["NODE_OPTIONS"] ?? ""].join(" ");
  if (!mayStartOver() || /semi-space|--inspect/.test(said)) return;
  startOver([...process.execArgv, ...flags], environment);
}

/**
 * Called when all is loaded: where sources were stripped for it, what came of them is kept, and the program
 * starts over without the stripper. Once only, wherever nothing can be kept.
 */
export function shedStripper(): void {
  if (!mayStartOver() || process.env[SHED] !== undefined || !hasStripper()) return;
  module.flushCompileCache();
  startOver(process.execArgv, { [SHED]: "1" });
}

const SHED = "POLEBENCH_STRIPPED";

const mayStartOver = (): boolean => process.execve !== undefined && !process.connected;

/** Node lists what it has loaded of itself. */
function hasStripper(): boolean {
  const loaded: unknown = Reflect.get(process, "moduleLoadList");
  return Array.isArray(loaded) && loaded.some((name) => String(name).includes("amaro"));
}

function startOver(flags: readonly string[], environment: Readonly<Record<string, string>>): void {
  const cache = module.getCompileCacheDir();
  process.execve?.(process.execPath, [process.execPath, ...flags, ...process.argv.slice(1)], {
    ...environment,
    // From the beginning: not even the first file is stripped again.
    ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(cache) }),
    ...process.env,
  });
}
