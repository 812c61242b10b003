/** How often each client of the load has written, as the znodes tell. */

import { AskingSession } from "#node/host/tcp/asking-session.ts";
import type { Ensemble } from "../system/ensemble.ts";
import { HOST } from "../topology/loopback.ts";
import { znode } from "../workload/load/request.ts";

/** Of the first `count` clients; 0 for a znode that is not there. Read behind a sync. */
export async function versionsOf({ servers }: Ensemble, count: number): Promise<readonly number[]> {
  using session = await AskingSession.open({ host: HOST, port: servers[0]?.clientPort ?? 0 });
  const looks = [
    session.ask({ kind: "sync", path: "/" }),
    ...Array.from({ length: count }, (_, client) =>
      session.ask({ kind: "exists", path: znode(client), watch: false }),
    ),
  ];
  const [, ...replies] = await Promise.all(looks);
  return replies.map(({ reply }) => (reply?.kind === "exists" ? reply.stat.version : 0));
}
