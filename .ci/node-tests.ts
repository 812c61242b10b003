// A test file in a process of its own: what node:test says of it, and what it does not say. What the file
// printed is shown when it is over, in one piece, because others run beside it; a failure at once as well, so
// that whoever ends this run from outside sees why it did not end by itself.
import { resolve as resolvePath } from "node:path";
import { run } from "node:test";
import { endOverdue } from "./overdue.ts";

export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly string[];
  /** Which test, and why. */
  readonly skipped: readonly string[];
}

export interface Limits {
  /** For each test, and each of a suite's hooks. */
  readonly testMs: number;
  /** For a file's process as a whole. */
  readonly fileMs: number;
  /** To stop what it started, when it is overdue. */
  readonly graceMs: number;
}

const short = (file: string): string => file.replace(`${process.cwd()}/`, "");
const indented = (text: string): string => text.replaceAll(/^/gm, "    ");

function describe(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return indented(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause));
}

export async function testFile(
  path: string,
  { testMs, fileMs, graceMs }: Limits,
  execArgv: readonly string[] = [],
): Promise<Outcome> {
  // By its whole path, node:test names a file itself as it names the file of each of its tests.
  const file = resolvePath(path);
  const name = short(file);
  const failures: string[] = [];
  const skipped: string[] = [];
  const printed: string[] = [];
  let [passed, failed, isHeard] = [0, 0, false];
  const fail = (failure: string): void => {
    console.log(`FAIL ${failure.split("\n", 2).join("\n")}`);
    failures.push(failure);
  };
  const end = async (): Promise<void> => {
    const ended = indented((await endOverdue(process.pid, file, graceMs)).join("\n"));
    fail(`${name}: not over after ${fileMs / 1000} s, so it was ended:\n${ended}`);
  };
  let overdue: Promise<void> | undefined;
  const alarm = setTimeout(() => {
    overdue = end();
  }, fileMs);

  const stream = run({ files: [file], timeout: testMs, execArgv: [...execArgv] });
  stream.on("test:fail", ({ name: test, details }) => {
    isHeard = true;
    // A parent fails only because a child did; the child says why.
    const subtests = "failureType" in details.error && details.error.failureType === "subtestsFailed";
    if (!subtests) fail(`${name}: ${test}\n${describe(details.error)}`);
  });
  stream.on("test:pass", ({ name: test, skip }) => {
    if (skip !== undefined) skipped.push(`${name}: ${test}: ${skip}`);
  });
  for (const channel of ["test:stdout", "test:stderr"] as const)
    stream.on(channel, ({ message }) => printed.push(message));
  stream.on("test:summary", ({ file: of, counts, duration_ms: ms, success }) => {
    if (of === undefined) {
      passed = counts.passed;
      failed = counts.tests - counts.passed - counts.skipped - counts.todo;
      if (!success && failed === 0) failed = 1;
      return;
    }
    isHeard = true;
    const tests = `${counts.tests} tests, ${(ms / 1000).toFixed(1)} s`;
    printed.push(`${success ? "ok  " : "FAIL"} ${name} (${tests})\n`);
  });
  stream.resume();
  await new Promise((resolve) => stream.once("close", resolve));
  clearTimeout(alarm);
  process.stdout.write(printed.join(""));
  await overdue;
  // node:test passes a file that holds no test, or that leaves before its first one.
  if (isHeard) return { passed, failed, failures, skipped };
  fail(`${name}: ran no test`);
  return { passed: 0, failed: 1, failures, skipped };
}
