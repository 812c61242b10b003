/** The requests of the load. */

import { Question } from "#node/client/question.ts";
import { OPEN } from "#node/wire/client/acl.ts";
import { ADD_WATCH_MODES } from "#node/wire/client/watch.ts";
import type { Change } from "./churn.ts";
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

/** Of what comes and goes: the n-th of a client. */
export const leaf = (client: number, { name }: Pick<Change, "name">): string => `${znode(client)}/${name}`;

export const churnRequest = (client: number, change: Change, data: Uint8Array): Question =>
  change.kind === "create"
    ? creation(leaf(client, change), data)
    : new Question({ kind: "delete", path: leaf(client, change), version: -1 });

/** Told of every change from now on, not only of the next. */
export const watchRequest = (client: number): Question =>
  new Question({ kind: "addWatch", path: znode(client), mode: ADD_WATCH_MODES.indexOf("persistent") });

/** A write, or else a read. */
export const loadRequest = (client: number, { request, payloadBytes }: Written): Question =>
  request === "setData" || request === "watched"
    ? new Question({ kind: "setData", path: znode(client), data: payload(payloadBytes), version: -1 })
    : new Question({ kind: "getData", path: znode(client), watch: false });
