/**
 * Datagrams that reached this machine and that its kernel threw away, because this process did not read them
 * in time: the last column of /proc/net/udp. They show nowhere else.
 */

import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Of this process's sockets on a port; null where the kernel does not tell. */
export function kernelDrops(port: number): number | null {
  try {
    return dropsOf(readFileSync("/proc/self/net/udp", "utf8"), port, ownSockets());
  } catch {
    return null;
  }
}

/** From the table's text, for the sockets with these inodes; null when none of them is in it. */
export function dropsOf(table: string, port: number, inodes: ReadonlySet<string>): number | null {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const drops = table
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(suffix) === true && inodes.has(fields[9] ?? ""))
    .map((fields) => Number(fields.at(-1)));
  return drops.length === 0 ? null : drops.reduce((sum, count) => sum + count);
}

function ownSockets(): Set<string> {
  const inodes = new Set<string>();
  for (const descriptor of readdirSync("/proc/self/fd")) {
    const inode = /^socket:\[(\d+)\]$/.exec(targetOf(descriptor))?.[1];
    if (inode !== undefined) inodes.add(inode);
  }
  return inodes;
}

/** Empty for a descriptor that was closed since it was listed, as that of the listing itself. */
function targetOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return "";
  }
}
