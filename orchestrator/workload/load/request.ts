/** The requests of the load. */

import { Question } from "#node/client/question.ts";
import { OPEN } from "#node/wire/client/acl.ts";
import type { LoadPlan } from "./plan.ts";

/** Bytes that do not compress to nothing, the same in every run. */
export const payload = (size: number): Uint8Array =>
  Uint8Array.from({ length: size }, (_, at) => (at * 167) & 0xff);

export const creation = (path: string, data: Uint8Array): Question =>
  new Question({ kind: "create", path, data, acl: OPEN, flags: 0, ttl: -1 });

type Written = Pick<LoadPlan, "request" | "payloadBytes">;

/** So many reads of a mix to a write. */
export const READS_TO_A_WRITE = 9;

export const znode = (client: number): string => `/load-${client}`;

export const createRequest = (client: number, { payloadBytes }: Pick<LoadPlan, "payloadBytes">) =>
  creation(znode(client), payload(payloadBytes));

/** A write, or else a read. */
export const loadRequest = (client: number, { request, payloadBytes }: Written): Question =>
  request === "setData"
    ? new Question({ kind: "setData", path: znode(client), data: payload(payloadBytes), version: -1 })
    : new Question({ kind: "getData", path: znode(client), watch: false });
