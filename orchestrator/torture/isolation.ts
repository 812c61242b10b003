/**
 * A run in a process of its own, with mounts of its own: what it mounts, starts and makes goes when it goes,
 * however that happens. An ordinary user is root in a user namespace, which is enough.
 */

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { CannotRunHere, demand, isRoot } from "../testbed/environment.ts";
import { DIE_WITH_PARENT } from "../testbed/infrastructure/host-process.ts";
import type { Report } from "./judgement.ts";
import type { Torture } from "./plan.ts";

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
  const child = spawn("unshare", command, { stdio: ["ignore", "pipe", "pipe"] });
  let [said, complained] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complained += text));
  const code = await new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", (exit) => resolve(exit));
  });
  if (code === CANNOT_RUN) throw new CannotRunHere(complained.trim());
  if (code !== 0)
    throw new Error(`the run of seed ${plan.seed} ended with ${code}: ${complained.slice(-2000)}`);
  return JSON.parse(said) as Report;
}

export const CANNOT_RUN = 3;
