/**
 * The last resort when a quorum of disks is lost for good: the newest history among those that are left
 * becomes that of the ensemble.
 *
 * Nobody can tell whether the lost disks had more. What they alone had is given up, acknowledged or not; and
 * what stands in the log that is kept, whether it was acknowledged or not, stands from now on. The kept
 * history is written into new folders, for a quorum of servers, in an epoch far above all that is known here:
 * so an old disk that turns up later does not count against it, and is brought level.
 */

import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { newest } from "#node/broadcast/newest.ts";
import { serverId } from "#node/core/identity.ts";
import type { Recovered } from "#node/core/record.ts";
import { type Epoch, epoch, NO_EPOCH, printZxid, type Zxid, ZERO } from "#node/core/zxid.ts";
import { FolderLock } from "#node/host/tcp/store/folder-lock.ts";
import { DATA_FOLDER } from "#node/service.ts";
import { RefusedInput } from "../../terminal/problem.ts";
import { CannotRunHere } from "../../testbed/environment.ts";
import { copyFolder, DataFolder } from "./data-folder.ts";

/** More elections than may have begun on the lost disks alone. */
const JUMP = 1024;

export interface Salvage {
  /** The data folder whose history is kept. */
  readonly source: string;
  readonly epoch: Epoch;
  readonly lastZxid: Zxid;
  readonly snapshot: Zxid | null;
  readonly transactions: number;
  /** In which the kept history is written. */
  readonly raised: Epoch;
  readonly others: readonly { readonly folder: string; readonly epoch: Epoch; readonly lastZxid: Zxid }[];
}

/** Looks at the folders of servers that do not run, and changes nothing in them. */
export async function planSalvage(dataDirs: readonly string[]): Promise<Salvage> {
  const looked = [];
  for (const [index, dataDir] of dataDirs.entries()) {
    const recovered = await readState(dataDir);
    const { transactions, snapshot } = recovered;
    const lastZxid = transactions.at(-1)?.zxid ?? snapshot?.zxid ?? ZERO;
    looked.push({ id: serverId(index + 1), dataDir, currentEpoch: recovered.epoch, lastZxid, recovered });
  }
  const candidates = looked.map((each) => ({ ...each, member: each.currentEpoch > NO_EPOCH }));
  const [first, ...rest] = candidates.filter(({ member }) => member);
  if (first === undefined)
    throw new RefusedInput(
      `${dataDirs.join(", ")}: no server of an epoch ran here; there is nothing to keep`,
    );
  const best = newest(first, rest);
  const kept = candidates.find(({ id }) => id === best.id) ?? first;
  const highest = Math.max(
    ...looked.map(({ recovered }) => Math.max(recovered.epoch, recovered.promise?.epoch ?? NO_EPOCH)),
  );
  return {
    source: kept.dataDir,
    epoch: kept.currentEpoch,
    lastZxid: kept.lastZxid,
    snapshot: kept.recovered.snapshot?.zxid ?? null,
    transactions: kept.recovered.transactions.length,
    raised: epoch(highest + JUMP),
    others: looked
      .filter(({ id }) => id !== kept.id)
      .map(({ dataDir, currentEpoch, lastZxid }) => ({ folder: dataDir, epoch: currentEpoch, lastZxid })),
  };
}

/** What an operator must know before it is done. */
export function printSalvage({ source, lastZxid, ...plan }: Salvage): string {
  const last = printZxid(lastZxid);
  const snapshot = plan.snapshot === null ? "no snapshot" : `a snapshot of ${printZxid(plan.snapshot)}`;
  const others = plan.others.map(
    ({ folder, epoch: of, lastZxid: to }) => `  ${folder}: epoch ${of}, ends at ${printZxid(to)}; not kept`,
  );
  return [
    `kept: ${source}, epoch ${plan.epoch}: ${snapshot} and ${plan.transactions} transactions after it`,
    `last in its log: ${last}`,
    ...others,
    `epoch raised: from ${plan.epoch} to ${plan.raised}`,
    "given up: every write after it that only servers had whose folders are not named here, acknowledged or",
    "  not. Nobody can tell whether there is any. Clients that saw such a write will find it gone;",
    "  what rests on it, a lock or an election, may be held twice",
    "stands from now on: everything in the kept log, also what was never acknowledged to anybody",
  ].join("\n");
}

/** Writes the kept history into new folders, for as many servers as are a quorum. */
export async function salvage({ source, raised }: Salvage, into: readonly string[]): Promise<void> {
  for (const dataDir of into) {
    const folder = join(dataDir, DATA_FOLDER);
    if (existsSync(folder) && readdirSync(folder).length > 0)
      throw new RefusedInput(`${folder}: there is something already; name new folders`);
  }
  for (const dataDir of into) {
    const folder = join(dataDir, DATA_FOLDER);
    copyFolder(join(source, DATA_FOLDER), folder);
    const data = await DataFolder.open(folder);
    await data.append([
      { kind: "promise", epoch: raised, leader: serverId(1) },
      { kind: "epoch", epoch: raised },
    ]);
    await data.close();
  }
}

/** Of a copy: to open a store is to write into it. */
async function readState(dataDir: string): Promise<Recovered> {
  const folder = join(dataDir, DATA_FOLDER);
  if (!existsSync(folder)) throw new RefusedInput(`${dataDir}: no server ran here; there is no ${folder}`);
  const copy = mkdtempSync(join(dataDir, "salvage-"));
  let lock: FolderLock | null = null;
  try {
    lock = FolderLock.take(folder);
    copyFolder(folder, copy);
    const data = await DataFolder.open(copy);
    await data.close();
    return data.recovered;
  } catch (error) {
    // That a server runs there, or what is damaged.
    throw new CannotRunHere(error instanceof Error ? error.message : String(error));
  } finally {
    lock?.release();
    rmSync(copy, { recursive: true, force: true });
  }
}
