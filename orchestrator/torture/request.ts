/** Requests, as tersely as stories need them. */

import { utf8Bytes } from "#node/core/utf8.ts";
import { OPEN } from "#node/wire/client/acl.ts";

import type { ClientRequest } from "#node/wire/client/request.ts";

export const EPHEMERAL = 1;
export const SEQUENTIAL = 2;

export const create = (path: string, data = "", flags = 0) =>
  ({
    kind: "create",
    path,
    data: utf8Bytes(data),
    acl: OPEN,
    flags,
    ttl: -1,
  }) as const;
export const get = (path: string, watch = false): ClientRequest => ({ kind: "getData", path, watch });
export const set = (path: string, data: string, version: number) =>
  ({ kind: "setData", path, data: utf8Bytes(data), version }) as const;
export const sync = (path: string): ClientRequest => ({ kind: "sync", path });
