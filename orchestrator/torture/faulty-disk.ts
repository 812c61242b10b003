/**
 * A real disk that goes wrong when it is ordered to. What it does is what disks do: it cannot say whether it
 * has what it was given, the power goes in the middle of a write, it takes its time. It never forgets what it
 * had confirmed. (A disk that is full needs no pretending: see `ensemble.ts`.)
 */

import { setTimeout as delay } from "node:timers/promises";
import type { Disk, DiskFile } from "#node/host/tcp/store/disk.ts";
import type { DiskFault } from "./orders.ts";

const SLOW_MS = 100;

export const faultyDisk = (disk: Disk, fault: () => DiskFault | null): Disk => ({
  directory: disk.directory,
  names: () => disk.names(),
  open: (name) => disk.open(name),
  create: async (name, mode) => faultyFile(await disk.create(name, mode), fault),
  truncate: (name, size) => disk.truncate(name, size),
  rename: (from, to) => disk.rename(from, to),
  remove: (name) => disk.remove(name),
  sync: () => disk.sync(),
});

const faultyFile = (file: DiskFile, fault: () => DiskFault | null): DiskFile => ({
  async write(bytes, position) {
    switch (fault()) {
      case "failing":
        // The kernel has it, and cannot say whether the disk does.
        await file.write(bytes, position);
        throw new Error("EIO: i/o error, fdatasync");
      case "torn":
        await file.write(bytes.subarray(0, bytes.length >> 1), position);
        process.kill(process.pid, "SIGKILL");
        return;
      case "slow":
        // Nothing of it is there before its time: who dies meanwhile has lost it.
        await delay(SLOW_MS);
        return file.write(bytes, position);
      case null:
        return file.write(bytes, position);
    }
  },
  sync: () => file.sync(),
  close: () => file.close(),
});
