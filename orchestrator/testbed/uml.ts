/**
 * Another kernel on this one: User Mode Linux, whose modules hold netem, with this machine's files as its
 * own. It boots in about three seconds and needs no privilege, so the engine `netem` is tested for real also
 * where the kernel lacks it.
 *
 * It is slow where it matters little: one processor, system calls about 35 times slower, programs at their
 * own speed. What is measured inside must not be this machine's other work, so it runs in real time where
 * that is allowed.
 */

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CannotRunHere, demand } from "./environment.ts";
import { child, DIE_WITH_PARENT, labelled } from "./child.ts";
import { newLabel } from "./label.ts";
import { priority } from "./priority.ts";
import { labelledFolder } from "./reaper.ts";

/** What netem between namespaces needs; in the order of their dependencies. */
const MODULES = ["drivers/net/veth.ko", "net/sched/sch_netem.ko"];
const MEMORY = "2048M";
const MODULE_FOLDER = "/usr/lib/uml/modules";

export interface UmlResult {
  readonly code: number;
  readonly output: string;
}

/** Boots, runs the command in this folder, and halts. */
export async function runInUml(command: readonly string[], signal?: AbortSignal): Promise<UmlResult> {
  demand("linux.uml");
  const [release] = readdirSync(MODULE_FOLDER);
  if (release === undefined)
    throw new CannotRunHere(`${MODULE_FOLDER} is empty: apt-get install user-mode-linux`);
  const label = newLabel();
  const folder = labelledFolder("uml", label);
  const file = (name: string): string => join(folder, name);
  const modules = MODULES.map((module) => join(MODULE_FOLDER, release, "kernel", module));
  writeFileSync(file("init"), initScript(modules, command, file), { mode: 0o755 });
  try {
    const kernel = child(
      [
        ...DIE_WITH_PARENT,
        ...priority().prefix,
        "linux.uml",
        `mem=${MEMORY}`,
        "root=/dev/root",
        "rootfstype=hostfs",
        "rootflags=/",
        "rw",
        `init=${file("init")}`,
        "con=null",
        "con0=fd:0,fd:1",
        "quiet",
      ],
      { env: labelled(label), signal },
    );
    let console = "";
    kernel.stdout?.setEncoding("utf8").on("data", (text: string) => (console += text));
    kernel.stderr?.setEncoding("utf8").on("data", (text: string) => (console += text));
    await new Promise((resolve, reject) => {
      kernel.once("close", resolve);
      kernel.once("error", reject);
    });
    const code = readOr(file("code"), "");
    const output = readOr(file("output"), "");
    if (code === "")
      throw new CannotRunHere(`User Mode Linux did not get to its end: ${console.slice(-500)}`);
    return { code: Number(code), output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

function initScript(
  modules: readonly string[],
  command: readonly string[],
  file: (name: string) => string,
): string {
  return `#!/bin/bash
export PATH=${quote(process.env["PATH"] ?? "")}:/usr/sbin:/sbin HOME=/tmp
export NODE_COMPILE_CACHE=${quote(process.env["NODE_COMPILE_CACHE"] ?? "")}
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
ln -sf /proc/self/fd /dev/fd
${modules.map((module) => `insmod ${quote(module)}`).join("\n")}
ip link set lo up
cd ${quote(process.cwd())}
${command.map(quote).join(" ")} >${quote(file("output"))} 2>&1 </dev/null
echo $? >${quote(file("code"))}
sync
echo o >/proc/sysrq-trigger
sleep 10
`;
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return otherwise;
  }
}
