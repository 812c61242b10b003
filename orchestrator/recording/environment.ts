/** Whatever may explain a difference between two runs of one plan, asked of this machine. */

import { readFileSync } from "node:fs";
import { arch, cpus, release, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import type { Environment } from "./recording.ts";
import { sourcesOf } from "./sources.ts";
import { execaSync } from "execa";

export function environmentOf(
  engine: string,
  command: string,
  sources = sourcesOf(null),
  revision = commit(),
): Environment {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  const processors = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return {
    command,
    startedAt: new Date().toISOString(),
    version,
    commit: revision,
    sources,
    node: process.version,
    kernel: release(),
    machine: `${arch()}, ${processors.length} x ${processors[0]?.model.trim() ?? "unknown"}, ${memory}`,
    engine,
  };
}

let loaded: string | null = null;

/** As this process found it first, which is how it runs what it runs itself. */
export function commitAsLoaded(): string {
  loaded ??= commit();
  return loaded;
}

/** Empty outside a checkout; `+` when the sources differ from the commit. */
export function commit(): string {
  const git = (...args: string[]): string =>
    execaSync("git", args, { cwd: fileURLToPath(new URL(".", import.meta.url)) }).stdout.trim();
  try {
    const changed = git("status", "--porcelain", "--untracked-files=no", "--", "..", "../../node");
    return git("rev-parse", "--short=12", "HEAD") + (changed === "" ? "" : "+");
  } catch {
    return "";
  }
}
