/**
 * Have all servers the same tree in the end? And do their parents count their children alike: how often they
 * changed (cversion), and when last (pzxid)? The second is asked apart, because ZooKeeper's servers are known
 * to drift there: what a server replays after a change of leader counts once more, or not again.
 */

import { createHash } from "node:crypto";
import type { ServerId } from "#node/core/identity.ts";
import { PROPERTIES } from "../check/property.ts";
import type { Finding } from "../check/verdict.ts";
import type { TreeText } from "./tree-text.ts";

export type Trees = ReadonlyMap<ServerId, TreeText>;

const MOST_TOLD = 5;
const DIGEST_DIGITS = 16;

export const equalTrees = (trees: Trees): Finding => compared(trees, ({ text }) => text);

export const equalCounters = (trees: Trees): Finding => ({
  ...compared(trees, ({ counters }) => counters),
  property: "children counted alike on all servers",
});

function compared(trees: Trees, part: (tree: TreeText) => string): Finding {
  const texts = new Map([...trees].map(([server, tree]) => [server, part(tree)]));
  const digests = [...trees].map(([server, { zxid }]) => {
    const digest = createHash("sha256")
      .update(texts.get(server) ?? "")
      .digest("hex")
      .slice(0, DIGEST_DIGITS);
    return { kind: "digest", server, zxid, digest } as const;
  });
  const found = PROPERTIES.equal(digests);
  return { ...found, reasons: [...found.reasons, ...differences(texts)] };
}

/** What some show and others do not: digests do not say. */
function differences(texts: ReadonlyMap<ServerId, string>): readonly string[] {
  const having = new Map<string, ServerId[]>();
  for (const [server, text] of texts) {
    for (const line of text.split("\n")) having.set(line, [...(having.get(line) ?? []), server]);
  }
  return [...having]
    .filter(([, servers]) => servers.length < texts.size)
    .slice(0, MOST_TOLD)
    .map(([line, servers]) => `only at ${servers.map((server) => `p${server}`).join(", ")}: ${line}`);
}
