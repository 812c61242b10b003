/**
 * Reads the whole store back from every server: the last write of each client, and a digest of all keys with
 * what etcd keeps about them. Each server is asked for what it has itself, after it was asked once for what a
 * quorum has.
 */

import { createHash } from "node:crypto";
import { ID_BYTES, type ServerPlace, znodeOf } from "../../../workload/client-plan.ts";
import {
  type FinalState,
  type ReadBackPlan,
  readEvenly,
  runReadBack,
} from "../../../workload/final-state.ts";
import { type KeyValue, METHODS, type Ranged, range, readRange } from "../wire/messages.ts";
import { askOnce } from "./channel.ts";
import { placeOf } from "./outcome.ts";

const WITHIN_MS = 10_000;
/** Of values of 1 MB, so many fit in one answer. */
const AT_ONCE = 64;
const FIRST_KEY = Uint8Array.of(0);
/** The end of a range that has none. */
const NO_END = Uint8Array.of(0);
const DIGITS = 16;

export const readBack = (plan: ReadBackPlan): Promise<readonly FinalState[]> =>
  readEvenly(plan.servers.map((server) => () => stateOf(server, plan)));

async function stateOf(server: ServerPlace, { clientPort, clients }: ReadBackPlan): Promise<FinalState> {
  const place = { host: server.host, port: clientPort };
  const ask = async (key: Uint8Array, end: Uint8Array, serializable: boolean): Promise<Ranged> => {
    const asked = range({ key, end, serializable, limit: AT_ONCE });
    try {
      return readRange(await askOnce(place, METHODS.range, asked, WITHIN_MS));
    } catch (error) {
      throw new Error(`p${server.id} cannot be read: ${(error as Error).message}`, { cause: error });
    }
  };
  await ask(FIRST_KEY, NO_END, false);
  const hash = createHash("sha256");
  const last = new Map<string, KeyValue>();
  let [key, seen] = [FIRST_KEY as Uint8Array, null as Ranged | null];
  do {
    seen = await ask(key, NO_END, true);
    for (const found of seen.found) {
      const { createRevision, modRevision, version } = found;
      hash.update(found.key).update(`\0${createRevision} ${modRevision} ${version}\0`).update(found.value);
      last.set(Buffer.from(found.key).toString(), found);
      // The next key that there can be.
      key = Uint8Array.of(...found.key, 0);
    }
  } while (seen.more);
  return {
    server: server.id,
    zxid: placeOf(seen.header),
    digest: hash.digest("hex").slice(0, DIGITS),
    keys: clients.map((client) => ({ client, ...lastWrite(last.get(znodeOf(client))) })),
  };
}

/** A key's first version is its creation, which no request of the load asked for. */
function lastWrite(found: KeyValue | undefined): { readonly lastId: number; readonly version: number } {
  if (found === undefined || found.value.length < ID_BYTES) return { lastId: -1, version: 0 };
  return { lastId: Buffer.from(found.value).readUInt32BE(0), version: found.version - 1 };
}

if (import.meta.main) await runReadBack(readBack);
