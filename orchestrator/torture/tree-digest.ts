/** One server's whole tree as text: every path with its data and who wrote it. */

import { ERRORS } from "#node/wire/client/error.ts";
import { utf8String } from "#node/wire/client/jute.ts";
import { LOCK } from "./lock.ts";
import type { Session } from "./session.ts";

/** Znodes asked for in one request. */
const TOGETHER = 100;
/** Requests under way: a client that has waited too long for an answer goes to another server. */
const UNDER_WAY = 8;
/** ZooKeeper's own, and the lock, which may go with its session at any moment. */
const LEFT_OUT: ReadonlySet<string> = new Set(["/zookeeper", LOCK]);

/** Null when it could not be read in one go. */
export async function digestOf(session: Session): Promise<string | null> {
  await session.ask([{ kind: "sync", path: "/" }]);
  const lines: string[] = [];
  const paths = ["/"];
  while (paths.length > 0) {
    const groups = Array.from({ length: UNDER_WAY }, () => paths.splice(0, TOGETHER));
    const read = await Promise.all(groups.map((group) => readTogether(session, group)));
    for (const group of read) {
      if (group === null) return null;
      lines.push(...group.lines);
      paths.push(...group.children);
    }
  }
  return lines.toSorted().join("\n");
}

interface Part {
  readonly lines: readonly string[];
  readonly children: readonly string[];
}

async function readTogether(session: Session, paths: readonly string[]): Promise<Part | null> {
  const operations = paths.flatMap((path) => [
    { kind: "getData", path, watch: false } as const,
    { kind: "getChildren", path, watch: false } as const,
  ]);
  const [answer] = await session.ask([{ kind: "multiRead", operations }]);
  if (answer?.error !== ERRORS.ok || answer.reply?.kind !== "multiRead") return null;
  const { results } = answer.reply;
  const parts = paths.map((path, index) => {
    const [data, names] = [results[2 * index], results[2 * index + 1]];
    if (data?.kind !== "getData" || names?.kind !== "getChildren")
      return { line: `${path} is gone`, below: [] };
    const { version, mzxid, czxid } = data.stat;
    const text = data.data === null ? "" : utf8String(data.data);
    const below = names.names.map((name) => (path === "/" ? `/${name}` : `${path}/${name}`));
    return { line: `${path} ${version} ${czxid} ${mzxid} ${text}`, below };
  });
  return {
    lines: parts.map(({ line }) => line),
    children: parts.flatMap(({ below }) => below).filter((path) => !LEFT_OUT.has(path)),
  };
}
