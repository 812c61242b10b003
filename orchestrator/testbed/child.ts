/**
 * Children of ours, by execa. What lives on is held by its pipes and by the kernel's promise that it dies
 * with us; it is a session of its own, so that Ctrl-C at the terminal is for us, who end it in order.
 */

import { execa, execaSync } from "execa";
import type { ChildProcess } from "node:child_process";
import { LABEL_VARIABLE, type Label } from "./label.ts";

/** Whoever starts this dies with us; only what has just changed its credentials must ask for it again. */
export const DIE_WITH_PARENT = ["setpriv", "--pdeathsig", "KILL", "--"] as const;

export const labelled = (label: Label): NodeJS.ProcessEnv => ({ ...process.env, [LABEL_VARIABLE]: label });

export interface ChildPlan {
  readonly cwd?: string | undefined;
  /** All of it; this process's own when not given. */
  readonly env?: NodeJS.ProcessEnv;
  readonly stdin?: "ignore" | "pipe";
  /** A number is a descriptor of ours: what a child writes into it does not pass through this process. */
  readonly stdout?: "ignore" | "pipe" | "inherit" | number;
  readonly stderr?: ChildPlan["stdout"];
  readonly signal?: AbortSignal | undefined;
}

/** Starts it and leaves it alone: what it says is read as it comes, how it ends is told by its events. */
export function child(command: readonly string[], plan: ChildPlan = {}): ChildProcess {
  const [program = "", ...rest] = command;
  const { cwd, env, stdin = "ignore", stdout = "pipe", stderr = "pipe", signal } = plan;
  const started = execa(program, rest, {
    ...(cwd !== undefined && { cwd }),
    ...(env !== undefined && { env, extendEnv: false }),
    ...(signal !== undefined && { cancelSignal: signal }),
    // A descriptor goes on to Node as it is, though execa's types do not name it here.
    stdio: [stdin, stdout as "pipe", stderr as "pipe"],
    detached: true,
    cleanup: false,
    buffer: false,
    reject: false,
    stripFinalNewline: false,
  });
  return started.nodeChildProcess;
}

/** Whether it could be run, and ended well. */
export const succeeds = (...[program = "", ...rest]: readonly string[]): boolean =>
  execaSync(program, rest, { stdio: "ignore", reject: false }).exitCode === 0;
