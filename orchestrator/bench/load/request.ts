/**
 * The requests of the load, encoded once: only the number that names a request changes from one to the next.
 */

import { JuteWriter } from "#node/wire/client/jute.ts";
import { OPEN } from "#node/wire/client/acl.ts";
import { OPERATIONS } from "#node/wire/client/operation.ts";
import { type ClientRequest, writeRequest } from "#node/wire/client/request.ts";
import type { LoadPlan } from "./plan.ts";

type Asked = ClientRequest & { readonly kind: "create" | "setData" | "getData" };

const XID_AT = 4;

/** One frame with its length, and a place for its xid. */
export class RequestTemplate {
  readonly #bytes: Buffer;

  constructor(request: Asked) {
    const body = writeRequest(new JuteWriter(2048), request).finish();
    const head = new JuteWriter(12)
      .int(8 + body.length)
      .int(0)
      .int(OPERATIONS[request.kind])
      .finish();
    this.#bytes = Buffer.concat([head, body]);
  }

  /** As many of them as one piece, numbered from `xid` on. */
  batch(count: number, xid: number): Buffer {
    const size = this.#bytes.length;
    const batch = Buffer.allocUnsafe(count * size);
    for (let index = 0; index < count; index++) {
      batch.set(this.#bytes, index * size);
      batch.writeInt32BE((xid + index) & 0x7fffffff, index * size + XID_AT);
    }
    return batch;
  }
}

const znode = (client: number): string => `/load-${client}`;

/** Bytes that do not compress to nothing, the same in every run. */
const payload = (size: number): Uint8Array => Uint8Array.from({ length: size }, (_, at) => (at * 167) & 0xff);

export const createRequest = (client: number, { payloadBytes }: LoadPlan): RequestTemplate =>
  new RequestTemplate({
    kind: "create",
    path: znode(client),
    data: payload(payloadBytes),
    acl: OPEN,
    flags: 0,
    ttl: -1,
  });

export const loadRequest = (client: number, { request, payloadBytes }: LoadPlan): RequestTemplate =>
  request === "setData"
    ? new RequestTemplate({ kind: "setData", path: znode(client), data: payload(payloadBytes), version: -1 })
    : new RequestTemplate({ kind: "getData", path: znode(client), watch: false });
