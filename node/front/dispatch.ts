/**
 * What becomes of a request: whether the replica has to be asked, and in which way, goes by its operation
 * alone. Nothing is decoded here that is not needed for that: the body travels as it came.
 */

import { readAuth } from "../wire/client/access.ts";
import { ERRORS, type ErrorName } from "../wire/client/error.ts";
import { type JuteReader, JuteWriter } from "../wire/client/jute.ts";
import { type Operation, operationOf } from "../wire/client/operation.ts";
import type { ClientConnection } from "./client-connection.ts";
import { identitiesOf, type Secrets } from "./credentials.ts";

export type Dispatched =
  | { readonly kind: "write" | "read"; readonly operation: Operation; readonly last: boolean }
  /** `echo` is the result. */
  | { readonly kind: "sync"; readonly operation: Operation; readonly echo: Uint8Array }
  /** Known at once; `zxid` null is the server's own. */
  | {
      readonly kind: "known";
      readonly operation: Operation | null;
      readonly result: Uint8Array;
      readonly zxid: number | null;
      readonly last: boolean;
    };

export function dispatch(
  code: number,
  body: JuteReader,
  connection: ClientConnection,
  secrets: Secrets,
): Dispatched {
  const operation = operationOf(code);
  switch (operation) {
    case "create":
    case "create2":
    case "createContainer":
    case "createTtl":
    case "delete":
    case "setData":
    case "setAcl":
    case "check":
    case "multi":
    case "reconfig":
      return connection.readOnly
        ? known(operation, "notReadOnly")
        : { kind: "write", operation, last: false };
    case "closeSession":
      if (connection.readOnly) return { ...known(operation, "ok"), last: true };
      return { kind: "write", operation, last: true };
    case "sync":
      return sync(body);
    case "auth":
      return authenticate(body, connection, secrets);
    // Nobody here speaks SASL, and a client that asks for it must not believe that it was let in.
    case "sasl":
      return { ...known(operation, "authFailed"), zxid: 0, last: true };
    case undefined:
    case "createSession":
    case "deleteContainer":
      // As ZooKeeper: the reply has no zxid, and the connection ends with it.
      return { ...known(operation ?? null, "unimplemented"), zxid: -1, last: true };
    default:
      return { kind: "read", operation, last: false };
  }
}

function sync(body: JuteReader): Dispatched {
  const path = body.ustring();
  if (path === null || body.failed) return known("sync", "marshalling");
  return {
    kind: "sync",
    operation: "sync",
    echo: new JuteWriter(8 + path.length).int(0).ustring(path).finish(),
  };
}

/** It counts from now on for all that is asked, but its answer waits for its turn like any other. */
function authenticate(body: JuteReader, connection: ClientConnection, secrets: Secrets): Dispatched {
  const auth = readAuth(body);
  const proved = body.failed ? null : identitiesOf(auth, connection.address, secrets);
  if (proved === null || !connection.addIds(proved)) {
    return { ...known("auth", "authFailed"), zxid: 0, last: true };
  }
  return { ...known("auth", "ok"), zxid: 0 };
}

const known = (operation: Operation | null, error: ErrorName): Dispatched & { kind: "known" } => ({
  kind: "known",
  operation,
  result: new JuteWriter(4).int(ERRORS[error]).finish(),
  zxid: null,
  last: false,
});
