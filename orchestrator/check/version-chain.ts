/**
 * Compare-and-set makes a chain: every version of a znode has one writer, and was written upon the version
 * before.
 *
 * Two acknowledged writes that claim the same version are a fork. A version that nobody wrote, though a later
 * one was acknowledged, is a lost link, unless as many writes are unknown as links are missing. And what is
 * read at a version is what its writer wrote. This looks at versions alone, not at time, so it is cheap and
 * needs no search; znodes that are removed start their versions anew and are left to `znode-order.ts`.
 */

import { describe, type History, isOperation, type Operation, type OperationOf } from "./history.ts";
import { type Finding, finding } from "./verdict.ts";

type Write = OperationOf<"create" | "write">;
type Link = Write | OperationOf<"remove" | "read">;

export function unforkedVersions(history: History): Finding {
  const links = history.filter(isOperation).filter(isLink);
  const wrong: string[] = [];
  let writes = 0;
  for (const [key, ofKey] of Map.groupBy(links, (link) => link.key)) {
    if (ofKey.some(({ kind, outcome }) => kind === "remove" && outcome !== "failed")) continue;
    writes += ofKey.filter(({ kind, outcome }) => kind === "write" && outcome === "ok").length;
    wrong.push(...checkChain(key, ofKey));
  }
  return finding("versions form a chain", writes, wrong);
}

const isLink = (operation: Operation): operation is Link =>
  ["create", "write", "remove", "read"].includes(operation.kind);

const isWrite = (link: Link): link is Write => link.kind === "create" || link.kind === "write";

function checkChain(key: string, links: readonly Link[]): string[] {
  const wrong: string[] = [];
  const writers = new Map<number, Write>();
  const writes = links.filter(isWrite);
  let newest = -1;
  for (const write of writes.filter(({ outcome }) => outcome === "ok")) {
    const version = write.kind === "create" ? 0 : write.version;
    if (version === null) continue;
    const other = writers.get(version);
    if (other !== undefined) wrong.push(`a fork: ${describe(other)} and ${describe(write)}`);
    if (write.kind === "write" && write.expected !== null && write.expected + 1 !== version) {
      wrong.push(`not upon the version it expected: ${describe(write)}`);
    }
    writers.set(version, write);
    newest = Math.max(newest, version);
  }
  const missing = newest + 1 - writers.size;
  const unplaced = writes.filter((write) => mayHaveHappened(write));
  if (missing > unplaced.length) {
    wrong.push(
      `${key}: ${missing} versions up to ${newest} without a writer, ${unplaced.length} writes unknown`,
    );
  }
  for (const { kind, sight } of reads(links)) {
    if (sight === null || sight.value === null) continue;
    const writer = writers.get(sight.version);
    const possible = writer === undefined ? unplaced : [writer];
    if (possible.some(({ value }) => value === sight.value)) continue;
    wrong.push(
      `${key}: ${kind} ${JSON.stringify(sight.value)} at version ${sight.version}, not its writer's`,
    );
  }
  return wrong;
}

const reads = (links: readonly Link[]): OperationOf<"read">[] =>
  links.filter((link): link is OperationOf<"read"> => link.kind === "read" && link.outcome === "ok");

/** Its version is not known: it may be any that nobody claims. */
const mayHaveHappened = (write: Write): boolean =>
  write.outcome === "unknown" || (write.outcome === "ok" && write.kind === "write" && write.version === null);
