/**
 * A run in a process of its own, with mounts of its own: what it mounts, starts and makes goes when it goes,
 * however that happens. An ordinary user is root in a user namespace, which is enough.
 */

import { execa } from "execa";
import { fileURLToPath } from "node:url";
import { CannotRunHere, demand, isRoot } from "../testbed/environment.ts";
import { DIE_WITH_PARENT } from "../testbed/child.ts";
import type { Report } from "./judgement.ts";
import type { Torture } from "./plan.ts";
import { EXIT } from "#node/core/exit-code.ts";

const RUN = fileURLToPath(new URL("./run.ts", import.meta.url));

export async function runIsolated(plan: Torture): Promise<Report> {
  demand("unshare", "setpriv");
  const asRoot = isRoot() ? [] : ["--user", "--map-root-user"];
  const command = [
    ...asRoot,
    "--mount",
    "--",
    ...DIE_WITH_PARENT,
    process.execPath,
    RUN,
    JSON.stringify(plan),
  ];
  const run = await execa("unshare", command, { reject: false });
  const { exitCode: code, stdout: said, stderr: complained } = run;
  if (code === EXIT.cannotRun) throw new CannotRunHere(complained.trim());
  if (run.failed)
    throw new Error(
      `the run of seed ${plan.seed} ended with ${run.signal ?? code}: ${complained.slice(-2000)}`,
    );
  return JSON.parse(said) as Report;
}
