/**
 * A real disk that goes wrong when it is ordered to. What it does is what disks do: it says that it failed,
 * and what it was given is there, or half of it, or nothing; half of it finds room; the power goes in the
 * middle of a write; it takes its time. It never forgets what it had confirmed.
 */

import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "#node/core/random.ts";
import type { Disk, DiskFile } from "#node/host/tcp/store/disk.ts";
import type { DiskBend } from "./abilities.ts";

export function bentDisk(disk: Disk, bend: () => DiskBend | null, random: Random): Disk {
  const unlessFailing = <Result>(act: () => Promise<Result>): Promise<Result> =>
    bend()?.kind === "failing" ? Promise.reject(ioError()) : act();
  return {
    directory: disk.directory,
    names: () => disk.names(),
    open: (name) => disk.open(name),
    create: async (name, mode) => bentFile(await disk.create(name, mode), bend, random),
    truncate: (name, size) => unlessFailing(() => disk.truncate(name, size)),
    rename: (from, to) => unlessFailing(() => disk.rename(from, to)),
    remove: (name) => disk.remove(name),
    sync: () => unlessFailing(() => disk.sync()),
  };
}

const bentFile = (file: DiskFile, bend: () => DiskBend | null, random: Random): DiskFile => ({
  async write(bytes, position) {
    await unlessStuck(bend);
    const now = bend();
    switch (now?.kind) {
      case "failing":
        await file.write(bytes.subarray(0, random.pick([0, bytes.length >> 1, bytes.length])), position);
        throw ioError();
      case "full":
        await file.write(bytes.subarray(0, bytes.length >> 1), position);
        throw new Error("ENOSPC: no space left on device");
      case "torn":
        await file.write(bytes.subarray(0, bytes.length >> 1), position);
        process.kill(process.pid, "SIGKILL");
        return;
      case "slow":
        // Nothing of it is there before its time: who dies meanwhile has lost it.
        await delay(now.by / 1e3);
        return file.write(bytes, position);
      default:
        return file.write(bytes, position);
    }
  },
  async sync() {
    await unlessStuck(bend);
    if (bend()?.kind === "failing") throw ioError();
    await file.sync();
  },
  close: () => file.close(),
});

/** Comes back when nothing holds the disk up. */
async function unlessStuck(bend: () => DiskBend | null): Promise<void> {
  while (bend()?.kind === "stuck") await delay(STUCK_LOOK_MS);
}

const STUCK_LOOK_MS = 5;

const ioError = (): Error => new Error("EIO: i/o error");
