/**
 * A real folder on a machine whose power can fail: whoever kills the process cuts the power.
 *
 * What the disk has not confirmed is kept in this process alone and dies with it: a write for as long as the
 * platter takes to come round, what was buffered until it is synced, a new name until the folder is. What it
 * has confirmed is in the real files. Where nobody ever asks for a confirmation (`none`) nothing arrives at
 * all: that is a machine that crashed before its kernel wrote anything back.
 */

import { setTimeout as delay } from "node:timers/promises";
import type { Disk, DiskFile, Durability } from "../../host/tcp/store/disk.ts";

/** `platterMs`: how long the platter takes to come round. */
export function volatileDisk(disk: Disk, durability: Durability, platterMs: number): Disk {
  /** Of a file with a new name that is not durable yet: what it is called on the disk. */
  const renamed = new Map<string, string>();
  const onDisk = (name: string): string => renamed.get(name) ?? name;
  let lastTurn: Promise<unknown> = Promise.resolve();
  /** While files get their new names on the disk, nobody else asks what they are called there. */
  const inTurn = <Result>(act: () => Promise<Result>): Promise<Result> => {
    const result = lastTurn.then(act);
    lastTurn = result.catch(() => {});
    return result;
  };
  return {
    directory: disk.directory,
    names: () => disk.names(),
    open: (name) => disk.open(onDisk(name)),
    async create(name, mode) {
      if (durability === "none") return FORGETFUL;
      const file = await inTurn(() => disk.create(onDisk(name), mode));
      return mode === "buffered" ? buffered(file, platterMs) : through(file, platterMs);
    },
    truncate: (name, size) => inTurn(() => disk.truncate(onDisk(name), size)),
    rename: (from, to) =>
      inTurn(async () => {
        renamed.set(to, onDisk(from));
        renamed.delete(from);
      }),
    remove: (name) =>
      inTurn(async () => {
        await disk.remove(onDisk(name));
        renamed.delete(name);
      }),
    async sync() {
      if (durability === "none") return;
      await delay(platterMs);
      await inTurn(async () => {
        for (const [to, from] of renamed) await disk.rename(from, to);
        renamed.clear();
        await disk.sync();
      });
    },
  };
}

const through = (file: DiskFile, platterMs: number): DiskFile => ({
  async write(bytes, position) {
    await delay(platterMs);
    await file.write(bytes, position);
  },
  sync: () => file.sync(),
  close: () => file.close(),
});

function buffered(file: DiskFile, platterMs: number): DiskFile {
  let loose: { readonly bytes: Uint8Array; readonly position: number }[] = [];
  return {
    write(bytes, position) {
      loose.push({ bytes: bytes.slice(), position });
      return Promise.resolve();
    },
    async sync() {
      const writes = loose;
      loose = [];
      await delay(platterMs);
      for (const { bytes, position } of writes) await file.write(bytes, position);
      await file.sync();
    },
    close: () => file.close(),
  };
}

const FORGETFUL: DiskFile = {
  write: () => Promise.resolve(),
  sync: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
