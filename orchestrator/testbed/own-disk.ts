/**
 * A disk of its own for a folder: a file system in a file beside it, mounted there. It can be made to stand
 * still, as one does whose controller hangs: who writes or syncs waits in the kernel, who reads goes on, and
 * neither is told that anything is wrong. So it is the same for every program, whatever it is written in.
 */

import { mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { execa, execaSync } from "execa";
import { CannotRunHere, demand, isRoot } from "./environment.ts";

/** Sparse: it takes what is written into it. */
const BYTES = 2 * 2 ** 30;

export class OwnDisk implements AsyncDisposable {
  readonly #folder: string;
  #isHeld = false;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes the folder, and mounts an empty disk there; all that is below it goes away with the disk. */
  static async at(folder: string): Promise<OwnDisk> {
    if (!isRoot()) throw new CannotRunHere("disks of their own are mounted, which takes root");
    demand("mkfs.ext4", "mount", "fsfreeze");
    const image = `${folder}.disk`;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(image, "");
    truncateSync(image, BYTES);
    // All its tables are written now, so that nothing is done behind a server's back later.
    const tables = "lazy_itable_init=0,lazy_journal_init=0,nodiscard";
    await execa("mkfs.ext4", ["-q", "-F", "-m", "0", "-N", "4096", "-J", "size=16", "-E", tables, image]);
    const mounted = await execa("mount", ["-o", "loop", image, folder], { reject: false });
    if (mounted.exitCode !== 0) {
      throw new CannotRunHere(
        `no disk can be mounted here (${mounted.stderr.trim()}): it takes loop devices and CAP_SYS_ADMIN`,
      );
    }
    return new OwnDisk(folder);
  }

  /** From now on no write returns. What was under way may still be done, as with any disk. */
  async hold(): Promise<void> {
    if (this.#isHeld) return;
    this.#isHeld = true;
    await execa("fsfreeze", ["--freeze", this.#folder]);
  }

  async release(): Promise<void> {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    await execa("fsfreeze", ["--unfreeze", this.#folder]);
  }

  /** Whoever still uses it keeps it until it ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    await execa("fsfreeze", ["--unfreeze", this.#folder], { reject: false });
    await execa("umount", ["--lazy", this.#folder], { reject: false });
  }
}

/** What a dead run left mounted below a folder: a disk that stands still would hold up who removes it. */
export function unmountBelow(folder: string): void {
  const mounts = readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "")
    .filter((place) => place.startsWith(`${folder}/`));
  for (const place of mounts) {
    execaSync("fsfreeze", ["--unfreeze", place], { reject: false });
    execaSync("umount", ["--lazy", place], { reject: false });
  }
}
