/**
 * A real disk that goes wrong when a file beside it says how. What it does is what disks do: it is full, a
 * write fails, the power goes in the middle of one, it takes its time. It never forgets what it had
 * confirmed.
 */

import { existsSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Disk, DiskFile } from "#node/host/tcp/store/disk.ts";

export const DISK_FAULTS = ["full", "broken", "torn", "slow"] as const;
export type DiskFault = (typeof DISK_FAULTS)[number];

const SLOW_MS = 100;

export function faultyDisk(disk: Disk, orders: string): Disk {
  const fault = (): DiskFault | null => {
    const text = existsSync(orders) ? readFileSync(orders, "utf8") : "";
    return DISK_FAULTS.find((known) => known === text) ?? null;
  };
  return {
    directory: disk.directory,
    names: () => disk.names(),
    open: (name) => disk.open(name),
    create: async (name, mode) => faultyFile(await disk.create(name, mode), fault),
    truncate: (name, size) => disk.truncate(name, size),
    rename: (from, to) => disk.rename(from, to),
    remove: (name) => disk.remove(name),
    sync: () => disk.sync(),
  };
}

const faultyFile = (file: DiskFile, fault: () => DiskFault | null): DiskFile => ({
  async write(bytes, position) {
    switch (fault()) {
      case "full":
        await file.write(bytes.subarray(0, bytes.length >> 2), position);
        throw new Error("ENOSPC: no space left on device, write");
      case "broken":
        // The kernel has it, and cannot say whether the disk does.
        await file.write(bytes, position);
        throw new Error("EIO: i/o error, fdatasync");
      case "torn":
        await file.write(bytes.subarray(0, bytes.length >> 1), position);
        process.kill(process.pid, "SIGKILL");
        return;
      case "slow":
        await delay(SLOW_MS);
        return file.write(bytes, position);
      case null:
        return file.write(bytes, position);
    }
  },
  sync: () => file.sync(),
  close: () => file.close(),
});
