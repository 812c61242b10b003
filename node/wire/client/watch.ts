/**
 * Asking to be told of changes, and being told.
 *
 *   setWatches    => relativeZxid:i64 data, exist, child: vector of ustring
 *   setWatches2   => as setWatches, then persistent, recursive: vector of ustring
 *   addWatch      => path:ustring mode:i32                  reply: error:i32
 *   checkWatches, removeWatches => path:ustring type:i32
 *   event         => type:i32 state:i32 path:ustring        in a reply frame of xid -1
 *
 * The reply of `addWatch` is an ErrorResponse that says 0: an empty body makes Java's client disconnect.
 */

import type { JuteReader, JuteWriter } from "./jute.ts";

export interface SetWatches {
  readonly kind: "setWatches" | "setWatches2";
  /** What the client has seen: a znode changed later fires at once. */
  readonly relativeZxid: number;
  readonly data: readonly string[];
  readonly exist: readonly string[];
  readonly child: readonly string[];
  readonly persistent: readonly string[];
  readonly recursive: readonly string[];
}

export function writeSetWatches(writer: JuteWriter, request: SetWatches): JuteWriter {
  const { relativeZxid, data, exist, child, persistent, recursive } = request;
  const lists =
    request.kind === "setWatches" ? [data, exist, child] : [data, exist, child, persistent, recursive];
  writer.long(relativeZxid);
  for (const paths of lists) writer.vector(paths, (each, path) => each.ustring(path));
  return writer;
}

export function readSetWatches(kind: SetWatches["kind"], reader: JuteReader): SetWatches {
  const paths = (): string[] => reader.vector((each) => each.text());
  return {
    kind,
    relativeZxid: reader.long(),
    data: paths(),
    exist: paths(),
    child: paths(),
    persistent: kind === "setWatches2" ? paths() : [],
    recursive: kind === "setWatches2" ? paths() : [],
  };
}

export const ADD_WATCH_MODES = ["persistent", "recursive"] as const;

export interface AddWatch {
  readonly kind: "addWatch";
  readonly path: string;
  /** An index of `ADD_WATCH_MODES`, or nonsense. */
  readonly mode: number;
}

export const writeAddWatch = (writer: JuteWriter, { path, mode }: AddWatch): JuteWriter =>
  writer.ustring(path).int(mode);

export const readAddWatch = (reader: JuteReader): AddWatch => ({
  kind: "addWatch",
  path: reader.text(),
  mode: reader.int(),
});

export const WATCH_TYPE = { children: 1, data: 2, any: 3 } as const;

export interface WatchOfType {
  readonly kind: "checkWatches" | "removeWatches";
  readonly path: string;
  readonly type: number;
}

export const writeWatchOfType = (writer: JuteWriter, { path, type }: WatchOfType): JuteWriter =>
  writer.ustring(path).int(type);

export const readWatchOfType = (kind: WatchOfType["kind"], reader: JuteReader): WatchOfType => ({
  kind,
  path: reader.text(),
  type: reader.int(),
});

export const EVENT_TYPES = {
  created: 1,
  deleted: 2,
  dataChanged: 3,
  childrenChanged: 4,
} as const;

export type EventType = keyof typeof EVENT_TYPES;

/** The state of the session, which every event carries: connected, of course. */
export const CONNECTED = 3;

export interface WatchEvent {
  readonly type: number;
  readonly state: number;
  readonly path: string;
}

export const writeWatchEvent = (writer: JuteWriter, { type, state, path }: WatchEvent): JuteWriter =>
  writer.int(type).int(state).ustring(path);

export const readWatchEvent = (reader: JuteReader): WatchEvent => ({
  type: reader.int(),
  state: reader.int(),
  path: reader.text(),
});
