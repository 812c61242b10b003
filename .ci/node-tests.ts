// Test files, each in a process of its own: what node:test says of them, and what it does not say.
import { resolve as resolvePath } from "node:path";
import { run } from "node:test";
import { endOverdue } from "./overdue.ts";

export interface Outcome {
  passed: number;
  failed: number;
  readonly failures: string[];
}

export interface Limits {
  readonly concurrency: number;
  /** For each test, and each of a suite's hooks. */
  readonly testMs: number;
  /** For a file's process as a whole. */
  readonly fileMs: number;
  /** To stop what it started, when it is overdue. */
  readonly graceMs: number;
}

const short = (file: string): string => file.replace(`${process.cwd()}/`, "");
const indented = (text: string): string => text.replaceAll(/^/gm, "    ");

function describe(name: string, file: string | undefined, error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return `${short(file ?? "?")}: ${name}\n${indented(text)}`;
}

export async function nodeTests(
  paths: readonly string[],
  { concurrency, testMs, fileMs, graceMs }: Limits,
  execArgv: readonly string[] = [],
): Promise<Outcome> {
  const outcome: Outcome = { passed: 0, failed: 0, failures: [] };
  if (paths.length === 0) return outcome;
  const heard = new Set<string | undefined>();
  const overdue = new Map<string, NodeJS.Timeout>();
  const ends: Promise<void>[] = [];
  // Told at once as well: whoever ends this run from outside sees why it did not end by itself.
  const fail = (failure: string): void => {
    console.log(`FAIL ${failure.split("\n", 2).join("\n")}`);
    outcome.failures.push(failure);
  };
  const end = async (file: string): Promise<void> => {
    const ended = await endOverdue(process.pid, file, graceMs);
    fail(
      `${short(file)}: not over after ${fileMs / 1000} s, so it was ended:\n${indented(ended.join("\n"))}`,
    );
  };

  // By its whole path, node:test names a file itself as it names the file of each of its tests.
  const files = paths.map((path) => resolvePath(path));
  const isFile = ({ name, file, nesting }: { name: string; file?: string; nesting: number }): boolean =>
    nesting === 0 && name === file;
  const stream = run({ files, concurrency, timeout: testMs, execArgv: [...execArgv] });
  stream.on("test:dequeue", (of) => {
    if (isFile(of))
      overdue.set(
        of.name,
        setTimeout(() => ends.push(end(of.name)), fileMs),
      );
  });
  stream.on("test:complete", (of) => {
    if (isFile(of)) clearTimeout(overdue.get(of.name));
  });
  stream.on("test:fail", ({ name, file, details }) => {
    heard.add(file);
    // A parent fails only because a child did; the child says why.
    const subtests = "failureType" in details.error && details.error.failureType === "subtestsFailed";
    if (!subtests) fail(describe(name, file, details.error));
  });
  stream.on("test:stderr", ({ message }) => process.stderr.write(message));
  stream.on("test:stdout", ({ message }) => process.stdout.write(message));
  stream.on("test:summary", ({ file, counts, duration_ms: ms, success }) => {
    if (file === undefined) {
      outcome.passed = counts.passed;
      outcome.failed = counts.tests - counts.passed - counts.skipped - counts.todo;
      if (!success && outcome.failed === 0) outcome.failed = 1;
      return;
    }
    heard.add(file);
    console.log(
      `${success ? "ok  " : "FAIL"} ${short(file)} (${counts.tests} tests, ${(ms / 1000).toFixed(1)} s)`,
    );
  });
  stream.resume();
  await new Promise((resolve) => stream.once("close", resolve));
  await Promise.all(ends);
  // node:test passes a file that holds no test, or that leaves before its first one.
  for (const file of files.filter((each) => !heard.has(each))) {
    fail(`${short(file)}: ran no test`);
    outcome.passed -= 1;
    outcome.failed += 1;
  }
  return outcome;
}
