/** What an answer says, as the checks read it. */

import { utf8Text } from "#node/core/utf8.ts";
import { ERRORS } from "#node/wire/client/error.ts";

import type { Action, Failure, Operation, Sight } from "../check/history.ts";
import type { Answer } from "./session.ts";

const REFUSALS: Readonly<Record<number, Failure>> = {
  [ERRORS.noNode]: "absent",
  [ERRORS.nodeExists]: "exists",
  [ERRORS.badVersion]: "version",
  [ERRORS.notEmpty]: "other",
  [ERRORS.sessionExpired]: "other",
  [ERRORS.sessionMoved]: "other",
};

/** An error that is no refusal says that the server does not know either. */
export function operation({ session, invoked, completed, error, zxid }: Answer, action: Action): Operation {
  const failure = error === null || error === ERRORS.ok ? null : (REFUSALS[error] ?? null);
  const outcome = error === ERRORS.ok ? "ok" : failure === null ? "unknown" : "failed";
  return {
    session,
    invoked,
    completed,
    outcome,
    failure,
    zxid: outcome === "unknown" ? null : zxid,
    ...action,
  };
}

const STAT_BYTES = 68;
const OWNER_AT = 44;

/** The owner is read from its bytes: ZooKeeper's sessions have all 64 bits. */
export function sightOf({ reply, payload }: Answer): Sight {
  const isRead = reply?.kind === "getData" || reply?.kind === "exists";
  if (!isRead || payload === null) throw new Error("not the answer of a read");
  const owner = payload
    .subarray(payload.length - STAT_BYTES + OWNER_AT)
    .subarray(0, 8)
    .toString("hex");
  return {
    value: reply.kind === "getData" ? textOf(reply.data) : null,
    version: reply.stat.version,
    mzxid: reply.stat.mzxid as Sight["mzxid"],
    owner: /^0+$/.test(owner) ? null : owner,
  };
}

export const textOf = (bytes: Uint8Array | null): string => (bytes === null ? "" : utf8Text(bytes));
