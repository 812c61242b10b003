/**
 * The requests of the load, encoded once: only the number that names a request changes from one to the next,
 * and where the value tells which request wrote it, that.
 */

import { OPEN } from "#node/wire/client/acl.ts";
import { XID } from "#node/wire/client/header.ts";
import { JuteWriter } from "#node/wire/client/jute.ts";
import { OPERATIONS } from "#node/wire/client/operation.ts";
import { type ClientRequest, writeRequest } from "#node/wire/client/request.ts";
import { framed } from "./connection.ts";
import type { LoadPlan } from "./plan.ts";

const XID_AT = 4;

/** One frame with its length, and a place for its xid. */
export class RequestTemplate {
  readonly #bytes: Buffer;
  readonly #idAt: number | null;

  /** The id of each request goes to `idFromEnd` bytes before the end, as four bytes; null: nowhere. */
  constructor(request: ClientRequest, idFromEnd: number | null = null) {
    const head = new JuteWriter(2048).int(0).int(OPERATIONS[request.kind]);
    this.#bytes = Buffer.from(framed(writeRequest(head, request).finish()));
    this.#idAt = idFromEnd === null ? null : this.#bytes.length - idFromEnd;
  }

  /** One for each id as one piece, numbered from `xid` on. */
  batch(ids: readonly number[], xid: number): Buffer {
    const size = this.#bytes.length;
    const batch = Buffer.allocUnsafe(ids.length * size);
    for (let index = 0; index < ids.length; index++) {
      batch.set(this.#bytes, index * size);
      batch.writeInt32BE((xid + index) & 0x7fff_ffff, index * size + XID_AT);
      if (this.#idAt !== null) batch.writeUInt32BE(ids[index] ?? 0, index * size + this.#idAt);
    }
    return batch;
  }
}

export const ping = (): Uint8Array => framed(new JuteWriter(8).int(XID.ping).int(OPERATIONS.ping).finish());

export const closing = (): Uint8Array =>
  framed(new JuteWriter(8).int(0).int(OPERATIONS.closeSession).finish());

/** Bytes that do not compress to nothing, the same in every run. */
export const payload = (size: number): Uint8Array =>
  Uint8Array.from({ length: size }, (_, at) => (at * 167) & 0xff);

export const creation = (path: string, data: Uint8Array): RequestTemplate =>
  new RequestTemplate({ kind: "create", path, data, acl: OPEN, flags: 0, ttl: -1 });

type Written = Pick<LoadPlan, "request" | "payloadBytes">;

export const znode = (client: number): string => `/load-${client}`;

export const createRequest = (client: number, { payloadBytes }: Pick<LoadPlan, "payloadBytes">) =>
  creation(znode(client), payload(payloadBytes));

export const loadRequest = (client: number, { request, payloadBytes }: Written): RequestTemplate =>
  request === "setData"
    ? new RequestTemplate({ kind: "setData", path: znode(client), data: payload(payloadBytes), version: -1 })
    : new RequestTemplate({ kind: "getData", path: znode(client), watch: false });
