/**
 * What reaches a disk, from the kernel's books of the disk itself.
 *
 * The books of a process (`/proc/PID/io`) would be its own alone, but they count what it dirties in the
 * page cache, by folio: since Linux 6.16 one of ext4's may have a megabyte, and a write of 1 kB into it, of
 * which the disk sees one page, counts as that megabyte (measured: 1,048,576 bytes beside 5,400).
 */

import { readFileSync, statSync } from "node:fs";

/** As /proc/diskstats counts, whatever the disk's own sectors are. */
const SECTOR_BYTES = 512;

/** Since the machine started; null where the folder lies on no disk of this machine's. */
export function bytesWrittenTo(folder: string): number | null {
  return bytesOf(statSync(folder).dev, readFileSync("/proc/diskstats", "utf8"));
}

/** Field 10 counts sectors written. A device's number is divided as makedev(3) does. */
export function bytesOf(device: number, diskstats: string): number | null {
  const major = (device >>> 8) & 0xfff;
  const minor = (device & 0xff) | ((device >>> 12) & 0xfff00);
  const lines = diskstats.split("\n").map((line) => line.trim().split(/ +/).map(Number));
  const fields = lines.find(([first, second]) => first === major && second === minor);
  return fields === undefined ? null : (fields[9] as number) * SECTOR_BYTES;
}
