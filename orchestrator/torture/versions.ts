/** How often each client of the load has written, as the znodes tell. */

import { ERRORS } from "#node/wire/client/error.ts";
import { JuteReader, JuteWriter } from "#node/wire/client/jute.ts";
import { OPERATIONS } from "#node/wire/client/operation.ts";
import { type ClientRequest, readReply, writeRequest } from "#node/wire/client/request.ts";
import type { Ensemble } from "../system/ensemble.ts";
import { Connection, type Credentials, framed, NO_SESSION } from "../workload/load/connection.ts";
import { znode } from "../workload/load/request.ts";

const SESSION_TIMEOUT_MS = 10_000;

/** Of the first `count` clients; 0 for a znode that is not there. Read behind a sync. */
export function versionsOf({ servers }: Ensemble, count: number): Promise<readonly number[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly number[]>();
  const versions: number[] = [];
  const port = servers[0]?.clientPort ?? 0;
  const connection = new Connection(port, NO_SESSION, 0, SESSION_TIMEOUT_MS, {
    opened(session: Credentials | null) {
      if (session === null) return;
      connection.write(request({ kind: "sync", path: "/" }));
      for (let client = 0; client < count; client++) {
        connection.write(request({ kind: "exists", path: znode(client), watch: false }));
      }
    },
    frame(payload) {
      const reader = new JuteReader(payload);
      const [xid, , error] = [reader.int(), reader.long(), reader.int()];
      if (xid !== OPERATIONS.exists) return;
      const reply = error === ERRORS.ok ? readReply("exists", reader) : null;
      versions.push(reply?.kind === "exists" ? reply.stat.version : 0);
      if (versions.length < count) return;
      resolve(versions);
      connection.end();
    },
    turn() {},
    closed: () => reject(new Error("the server left before it had told all versions")),
  });
  return promise;
}

/** Its xid says what was asked. */
function request(asked: ClientRequest): Uint8Array {
  const operation = OPERATIONS[asked.kind];
  return framed(writeRequest(new JuteWriter().int(operation).int(operation), asked).finish());
}
