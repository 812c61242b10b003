// A test file in a process of its own, on the sources as they are or with one of them changed. It is stopped
// at its first failure, and by a bound on its time.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { setPriority, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

export type Ending = "passed" | "failed" | "timed out";

const inject = pathToFileURL(join(import.meta.dirname, "inject.ts")).href;
/** A mutant may collect without end. */
const heapMb = 1500;

const running = new Set<number>();

export interface Trial {
  readonly ending: Ending;
  readonly ms: number;
  /** The first test that failed. */
  readonly by: string;
}

export async function trial(
  test: string,
  boundMs: number,
  { changed, coverage }: { changed?: { path: string; text: string }; coverage?: string },
): Promise<Trial> {
  const folder = mkdtempSync(join(tmpdir(), "mutant-"));
  const textFile = join(folder, "text");
  if (changed !== undefined) writeFileSync(textFile, changed.text);
  const begun = performance.now();
  const child = spawn(process.execPath, ["--test-reporter=tap", test], {
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
    env: {
      ...process.env,
      // It tells in words what became of it, also where this runs in a test itself.
      NODE_TEST_CONTEXT: undefined,
      TMPDIR: folder,
      NODE_OPTIONS: `--import=${inject} --max-old-space-size=${heapMb} --disable-warning=ExperimentalWarning`,
      // What comes compiled out of the cache is not counted block by block.
      ...(coverage === undefined
        ? { NODE_COMPILE_CACHE: resolve(".cache/mutate/compiled") }
        : { NODE_V8_COVERAGE: coverage }),
      ...(changed !== undefined && {
        MUTANT_OF: pathToFileURL(resolve(changed.path)).href,
        MUTANT_TEXT: textFile,
      }),
    },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${process.execPath} cannot be started`);
  running.add(pid);
  setPriority(pid, 15);
  let ending: Ending = "passed";
  let by = "";
  const end = (how: Ending): void => {
    ending = how;
    endGroup(pid);
  };
  const alarm = setTimeout(() => end("timed out"), boundMs);
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    const failure = lines
      .map((line) => /^\s*not ok \d+ - (?<test>.*)/.exec(line))
      .find((found) => found !== null);
    if (failure === undefined || ending !== "passed") return;
    by = failure?.groups?.["test"] ?? "";
    end("failed");
  });
  const code = await new Promise<number | null>((done) => child.once("close", done));
  clearTimeout(alarm);
  endGroup(pid);
  running.delete(pid);
  rmSync(folder, { recursive: true, force: true });
  if (ending === "passed" && code !== 0) ending = "failed";
  return { ending, ms: performance.now() - begun, by };
}

/** They have groups of their own, so nobody's interruption reaches them. */
export function endAll(): void {
  for (const pid of running) endGroup(pid);
}

/** With all that it started and left in its group. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
