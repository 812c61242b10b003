/**
 * Which of our own sources have run so far. V8 counts every function and every block in it; a look takes what
 * was counted since the last one, so that the inputs between the two can be told to have reached something
 * new or not.
 *
 * Only what is loaded after `begin` is counted block by block.
 */

import { type Profiler, Session } from "node:inspector";

const OURS = new URL("../../", import.meta.url).href;
/** What runs whatever is fed. */
const MACHINERY = new URL("./", import.meta.url).href;
/** Characters; no file of ours comes near. */
const LONGEST_FILE = 1 << 16;

/** By file, a 1 for each of its characters that ran. */
export type Look = ReadonlyMap<string, Uint8Array>;

export class Coverage {
  readonly #session = new Session();
  readonly #reached = new Map<string, Uint8Array>();

  static begin(): Coverage {
    const coverage = new Coverage();
    coverage.#session.connect();
    coverage.#session.post("Profiler.enable");
    coverage.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    return coverage;
  }

  /** What ran since the last look. */
  look(): Look {
    let files: readonly Profiler.ScriptCoverage[] = [];
    // A session with its own thread answers before `post` returns.
    this.#session.post("Profiler.takePreciseCoverage", (error, { result }) => {
      if (error !== null) throw error;
      files = result.filter(({ url }) => isOurs(url));
    });
    return new Map(files.map(({ url, functions }) => [url, painted(functions)]));
  }

  /** Whether anything in it never ran before, as far as `learn` was told. */
  isNew(look: Look): boolean {
    for (const [file, ran] of look) {
      const reached = this.#reached.get(file);
      if (ran.some((one, at) => one === 1 && reached?.[at] !== 1)) return true;
    }
    return false;
  }

  learn(look: Look): void {
    for (const [file, ran] of look) {
      const reached = this.#reached.get(file) ?? new Uint8Array(LONGEST_FILE);
      for (let at = 0; at < ran.length; at++) if (ran[at] === 1) reached[at] = 1;
      this.#reached.set(file, reached);
    }
  }

  /** How many characters of our sources have been reached. */
  get reached(): number {
    return [...this.#reached.values()].reduce(
      (sum, file) => file.reduce((count, one) => count + one, sum),
      0,
    );
  }

  end(): void {
    this.#session.disconnect();
  }
}

function isOurs(file: string): boolean {
  if (!file.startsWith(OURS) || file.includes("/node_modules/")) return false;
  return !file.startsWith(MACHINERY) || file.startsWith(`${MACHINERY}testdata/`);
}

/** Functions come before those within them, and blocks too: whatever is said last of a character holds. */
function painted(functions: readonly Profiler.FunctionCoverage[]): Uint8Array {
  const ranges = functions.flatMap((one) => one.ranges);
  const ran = new Uint8Array(Math.max(0, ...ranges.map(({ endOffset }) => endOffset)));
  for (const { startOffset, endOffset, count } of ranges) ran.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  return ran;
}
