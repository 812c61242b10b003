/** In the end all servers have the same state: the last digest of each is of the same zxid, and equal. */

import { printZxid } from "#node/core/zxid.ts";
import { type Digest, entriesOf, type History } from "./history.ts";
import { type Finding, finding } from "./verdict.ts";

export function equalDigests(history: History): Finding {
  const digests = entriesOf(history, "digest");
  const wrong: string[] = [];
  const first = new Map<number, Digest>();
  for (const digest of digests) {
    const other = first.get(digest.zxid);
    if (other === undefined) first.set(digest.zxid, digest);
    else if (other.digest !== digest.digest) wrong.push(`differ: ${quote(other)} and ${quote(digest)}`);
  }
  const last = [...new Map(digests.map((digest) => [digest.server, digest])).values()];
  const zxids = new Set(last.map(({ zxid }) => zxid));
  if (zxids.size > 1) wrong.push(`not level in the end: ${last.map(quote).join(", ")}`);
  return finding("equal state on all servers", last.length < 2 ? 0 : last.length, wrong);
}

const quote = ({ server, zxid, digest }: Digest): string => `p${server} ${digest} at ${printZxid(zxid)}`;
