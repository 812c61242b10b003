/**
 * What the service holds before a trial begins, as the servers' data folders. They are written by the
 * product's own tree and store, as if the first leader had filled its ensemble in epoch 1, everybody had
 * taken a checkpoint, and all had ended; then the servers start on them as on any other folder.
 */

import { join } from "node:path";
import { SnapshotReader } from "#node/broadcast/snapshot-reader.ts";
import type { ServerId } from "#node/core/identity.ts";
import type { LogRecord } from "#node/core/record.ts";
import { timeOfDay } from "#node/core/time.ts";
import { epoch, zxid } from "#node/core/zxid.ts";
import { DATA_FOLDER } from "#node/service.ts";
import { DEFAULTS, payloadOf } from "#node/tree/payload.ts";
import { Tree } from "#node/tree/tree.ts";
import { OPEN } from "#node/wire/client/acl.ts";
import type { ClientRequest } from "#node/wire/client/request.ts";
import { copyFolder, DataFolder } from "./data-folder.ts";

const FIRST_EPOCH = epoch(1);
/** As in virtual time. */
const ZNODE_BYTES = 32 * 1024;
/** So many chunks of 64 KiB wait for the disk; the others are not read from the tree yet. */
const CHUNKS_UNDER_WAY = 64;

export interface DataFolders {
  /** Of those who have all of it. */
  readonly present: readonly string[];
  /** Of those who were there when the epoch began, and for nothing after it: outdated, but no strangers. */
  readonly absent: readonly string[];
}

/** `leader` is whose epoch it was. */
export async function writeState(bytes: number, leader: ServerId, folders: DataFolders): Promise<void> {
  const within = (dataDir: string): string => join(dataDir, DATA_FOLDER);
  for (const absent of folders.absent) await writeFolder(within(absent), null, leader);
  const [first, ...others] = folders.present.map(within);
  if (first === undefined) return;
  await writeFolder(first, bytes === 0 ? null : filledTree(bytes, leader), leader);
  for (const other of others) copyFolder(first, other);
}

function filledTree(bytes: number, origin: ServerId): Tree {
  const tree = new Tree();
  let count = 0;
  let session = 0;
  const execute = (request: ClientRequest): void => {
    count += 1;
    const caller = { session, xid: count, ids: [], options: DEFAULTS };
    tree.apply({
      zxid: zxid(FIRST_EPOCH, count),
      time: timeOfDay(0),
      ticket: { origin, life: 1, sequence: count },
      payload: payloadOf(request, caller),
      imaged: false,
    });
    tree.takeEvents();
  };
  const create = (path: string, data: Uint8Array): void =>
    execute({ kind: "create", path, data, acl: OPEN, flags: 0, ttl: -1 });
  execute({ kind: "createSession", timeoutMs: 10_000, seal: "of nobody's password" });
  session = tree.applied;
  create("/state", new Uint8Array(0));
  const value = new Uint8Array(ZNODE_BYTES);
  for (let at = 0; at < Math.ceil(bytes / ZNODE_BYTES); at++) create(`/state/${at}`, value);
  execute({ kind: "closeSession" });
  return tree;
}

async function writeFolder(folder: string, tree: Tree | null, leader: ServerId): Promise<void> {
  const data = await DataFolder.open(folder);
  await data.append([
    { kind: "promise", epoch: FIRST_EPOCH, leader },
    { kind: "epoch", epoch: FIRST_EPOCH },
  ]);
  if (tree !== null) {
    const reader = new SnapshotReader(tree.snapshot());
    for (let last = false; !last; ) {
      const chunk = reader.read();
      last = chunk.last;
      const record: LogRecord = { kind: "snapshot", zxid: reader.zxid, replaces: "prefix", ...chunk };
      await data.append([record], last ? 0 : CHUNKS_UNDER_WAY);
    }
  }
  await data.close();
}
