/**
 * What is below a znode. The requests are a path with or without a watch (`node.ts`).
 *
 *   reply of getChildren          => names:vector of ustring
 *   reply of getChildren2         => names:vector of ustring, stat
 *   reply of getEphemerals        => paths:vector of ustring
 *   reply of getAllChildrenNumber => count:i32
 */

import type { JuteReader, JuteWriter } from "./jute.ts";
import { readStat, type Stat, writeStat } from "./stat.ts";

export interface Names {
  readonly kind: "getChildren" | "getEphemerals";
  readonly names: readonly string[];
}

export const writeNames = (writer: JuteWriter, { names }: Pick<Names, "names">): JuteWriter =>
  writer.vector(names, (each, name) => each.ustring(name));

export const readNames = (kind: Names["kind"], reader: JuteReader): Names => ({
  kind,
  names: reader.vector((each) => each.text()),
});

export interface NamesWithStat {
  readonly kind: "getChildren2";
  readonly names: readonly string[];
  readonly stat: Stat;
}

export const writeNamesWithStat = (writer: JuteWriter, reply: NamesWithStat): JuteWriter =>
  writeStat(writeNames(writer, reply), reply.stat);

export const readNamesWithStat = (reader: JuteReader): NamesWithStat => ({
  kind: "getChildren2",
  names: reader.vector((each) => each.text()),
  stat: readStat(reader),
});

export interface Count {
  readonly kind: "getAllChildrenNumber";
  readonly count: number;
}

export const writeCount = (writer: JuteWriter, { count }: Count): JuteWriter => writer.int(count);

export const readCount = (reader: JuteReader): Count => ({
  kind: "getAllChildrenNumber",
  count: reader.int(),
});
