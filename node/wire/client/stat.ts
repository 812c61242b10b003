/**
 * What a client is told about a znode besides its data: 68 bytes.
 *
 *   stat => czxid:i64 mzxid:i64 ctime:i64 mtime:i64 version:i32 cversion:i32 aversion:i32 ephemeralOwner:i64
 *           dataLength:i32 numChildren:i32 pzxid:i64
 */

import type { JuteReader, JuteWriter } from "./jute.ts";

export interface Stat {
  readonly czxid: number;
  readonly mzxid: number;
  /** Milliseconds since 1970, as `mtime`. */
  readonly ctime: number;
  readonly mtime: number;
  readonly version: number;
  /** Changes of the list of children: creations and deletions. */
  readonly cversion: number;
  readonly aversion: number;
  readonly ephemeralOwner: number;
  readonly dataLength: number;
  readonly numChildren: number;
  readonly pzxid: number;
}

export const writeStat = (writer: JuteWriter, stat: Stat): JuteWriter =>
  writer
    .long(stat.czxid)
    .long(stat.mzxid)
    .long(stat.ctime)
    .long(stat.mtime)
    .int(stat.version)
    .int(stat.cversion)
    .int(stat.aversion)
    .long(stat.ephemeralOwner)
    .int(stat.dataLength)
    .int(stat.numChildren)
    .long(stat.pzxid);

export const readStat = (reader: JuteReader): Stat => ({
  czxid: reader.long(),
  mzxid: reader.long(),
  ctime: reader.long(),
  mtime: reader.long(),
  version: reader.int(),
  cversion: reader.int(),
  aversion: reader.int(),
  ephemeralOwner: reader.long(),
  dataLength: reader.int(),
  numChildren: reader.int(),
  pzxid: reader.long(),
});
