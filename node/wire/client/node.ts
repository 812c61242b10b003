/**
 * One znode: is it there, what does it hold, change it, remove it.
 *
 *   exists, getData => path:ustring watch:bool              reply: stat | data:buffer stat
 *   setData         => path:ustring data:buffer version:i32 reply: stat
 *   delete, check   => path:ustring version:i32             reply: nothing | stat
 *   sync            => path:ustring                         reply: path:ustring
 *   deleteContainer => path:ustring                         no client may ask for it
 *
 * A version of -1 is any version.
 */

import type { JuteReader, JuteWriter } from "./jute.ts";
import { readStat, type Stat, writeStat } from "./stat.ts";

export const ANY_VERSION = -1;

export interface WatchedPath {
  readonly kind: "exists" | "getData" | "getChildren" | "getChildren2";
  readonly path: string;
  readonly watch: boolean;
}

export const writeWatchedPath = (writer: JuteWriter, { path, watch }: WatchedPath): JuteWriter =>
  writer.ustring(path).bool(watch);

export const readWatchedPath = (kind: WatchedPath["kind"], reader: JuteReader): WatchedPath => ({
  kind,
  path: reader.text(),
  watch: reader.bool(),
});

export interface SetData {
  readonly kind: "setData";
  readonly path: string;
  readonly data: Uint8Array | null;
  readonly version: number;
}

export const writeSetData = (writer: JuteWriter, { path, data, version }: SetData): JuteWriter =>
  writer.ustring(path).buffer(data).int(version);

export const readSetData = (reader: JuteReader): SetData => ({
  kind: "setData",
  path: reader.text(),
  data: reader.buffer(),
  version: reader.int(),
});

export interface VersionedPath {
  readonly kind: "delete" | "check";
  readonly path: string;
  readonly version: number;
}

export const writeVersionedPath = (writer: JuteWriter, { path, version }: VersionedPath): JuteWriter =>
  writer.ustring(path).int(version);

export const readVersionedPath = (kind: VersionedPath["kind"], reader: JuteReader): VersionedPath => ({
  kind,
  path: reader.text(),
  version: reader.int(),
});

/** A path and nothing else. */
export interface PathAlone {
  readonly kind: "sync" | "getAcl" | "getAllChildrenNumber" | "getEphemerals" | "deleteContainer";
  readonly path: string;
}

export const writePathAlone = (writer: JuteWriter, { path }: PathAlone): JuteWriter => writer.ustring(path);

export const readPathAlone = (kind: PathAlone["kind"], reader: JuteReader): PathAlone => ({
  kind,
  path: reader.text(),
});

export interface Described {
  readonly kind: "exists" | "setData" | "setAcl" | "check";
  readonly stat: Stat;
}

export const writeDescribed = (writer: JuteWriter, { stat }: Described): JuteWriter =>
  writeStat(writer, stat);

export const readDescribed = (kind: Described["kind"], reader: JuteReader): Described => ({
  kind,
  stat: readStat(reader),
});

export interface Data {
  readonly kind: "getData";
  readonly data: Uint8Array | null;
  readonly stat: Stat;
}

export const writeData = (writer: JuteWriter, { data, stat }: Data): JuteWriter =>
  writeStat(writer.buffer(data), stat);

export const readData = (reader: JuteReader): Data => ({
  kind: "getData",
  data: reader.buffer(),
  stat: readStat(reader),
});

export interface Synced {
  readonly kind: "sync";
  readonly path: string;
}

export const writeSynced = (writer: JuteWriter, { path }: Synced): JuteWriter => writer.ustring(path);

export const readSynced = (reader: JuteReader): Synced => ({ kind: "sync", path: reader.text() });
