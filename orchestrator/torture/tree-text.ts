/**
 * One server's whole tree as text: every path with its data, its ACL and its stat, and apart from these, what
 * a parent counts of its children. Nobody may be writing, and no session that owns an ephemeral may be about
 * to end.
 */

import type { Zxid } from "#node/core/zxid.ts";
import { ERRORS } from "#node/wire/client/error.ts";
import type { TortureSession } from "./session.ts";

/** Znodes asked for together. */
const TOGETHER = 100;
/** Such groups under way: a client that has waited too long for an answer goes to another server. */
const UNDER_WAY = 8;
/** ZooKeeper's own, which tells of each server itself. */
const LEFT_OUT = "/zookeeper";

export interface TreeText {
  readonly text: string;
  /** The cversion and the pzxid of every path. */
  readonly counters: string;
  /** Of the last transaction that shows in it. */
  readonly zxid: Zxid;
}

/** Null when it could not be read in one go. */
export async function treeText(session: TortureSession): Promise<TreeText | null> {
  const [synced] = await session.ask([{ kind: "sync", path: "/" }]);
  if (synced?.error !== ERRORS.ok) return null;
  const all: ZnodeText[] = [];
  const paths = ["/"];
  while (paths.length > 0) {
    const groups = Array.from({ length: UNDER_WAY }, () => paths.splice(0, TOGETHER));
    const read = await Promise.all(groups.map((group) => readTogether(session, group)));
    for (const znodes of read) {
      if (znodes === null) return null;
      all.push(...znodes);
      paths.push(...znodes.flatMap(({ children }) => children));
    }
  }
  return {
    text: textOf(all.map(({ line }) => line)),
    counters: textOf(all.map(({ counters }) => counters)),
    zxid: all.reduce((greatest, { last }) => Math.max(greatest, last), 0) as Zxid,
  };
}

const textOf = (lines: readonly string[]): string => lines.toSorted().join("\n");

interface ZnodeText {
  readonly line: string;
  readonly counters: string;
  readonly last: number;
  readonly children: readonly string[];
}

async function readTogether(session: TortureSession, paths: readonly string[]): Promise<ZnodeText[] | null> {
  if (paths.length === 0) return [];
  const operations = paths.flatMap((path) => [
    { kind: "getData", path, watch: false } as const,
    { kind: "getChildren", path, watch: false } as const,
  ]);
  const lists = paths.map((path) => ({ kind: "getAcl", path }) as const);
  const [shown, ...listed] = await session.ask([{ kind: "multiRead", operations }, ...lists]);
  if (shown?.reply?.kind !== "multiRead") return null;
  const { results } = shown.reply;
  const znodes = paths.map((path, index): ZnodeText | null => {
    const [data, names] = [results[2 * index], results[2 * index + 1]];
    const acl = listed[index]?.reply;
    if (data?.kind !== "getData" || names?.kind !== "getChildren" || acl?.kind !== "getAcl") return null;
    const { cversion, pzxid, ...stat } = data.stat;
    return {
      line: JSON.stringify([path, Buffer.from(data.data ?? []).toString("base64"), stat, acl.acl]),
      counters: JSON.stringify([path, cversion, pzxid]),
      last: Math.max(stat.czxid, stat.mzxid),
      children: names.names
        .map((name) => (path === "/" ? `/${name}` : `${path}/${name}`))
        .filter((child) => child !== LEFT_OUT),
    };
  });
  return znodes.includes(null) ? null : (znodes as ZnodeText[]);
}
