import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Random } from "../../core/random.ts";
import { milliseconds } from "../../core/time.ts";
import { type Durability, openDisk } from "../../host/tcp/store/disk.ts";
import { Agenda } from "../../host/virtual/agenda.ts";
import { diskContract } from "./disk-contract.ts";
import { MemoryDisk } from "./memory-disk.ts";
import { SectorDisk } from "./sector-disk.ts";
import { Settling } from "./settling.ts";

for (const durability of ["fsync", "none"] as const satisfies readonly Durability[]) {
  diskContract(`a folder of this machine, ${durability}`, (t) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "polebench-disk-"));
    t.after(() => fs.rmSync(folder, { recursive: true }));
    return { disk: openDisk(folder, durability), done: (promise) => promise };
  });
}

diskContract("in memory", () => ({ disk: new MemoryDisk(), done: (promise) => promise }));

diskContract("of sectors, in virtual time", () => {
  const agenda = new Agenda();
  const settling = new Settling();
  const shape = { sync: milliseconds(1), tears: true };
  const disk = new SectorDisk("p1", shape, agenda, new Random(1), settling);
  return {
    disk,
    async done(promise) {
      promise.catch(() => {});
      while (agenda.size > 0) {
        agenda.advance();
        await settling.settled();
      }
      return promise;
    },
  };
});
