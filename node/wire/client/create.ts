/**
 * Making znodes.
 *
 *   create, create2, createContainer => path:ustring data:buffer acl:vector flags:i32
 *   createTtl                        => path:ustring data:buffer acl:vector flags:i32 ttl:i64
 *   reply of create                  => path:ustring
 *   reply of the others              => path:ustring stat
 */

import { type Acl, readAcl, writeAcl } from "./acl.ts";
import type { JuteReader, JuteWriter } from "./jute.ts";
import { readStat, type Stat, writeStat } from "./stat.ts";

export interface Create {
  readonly kind: "create" | "create2" | "createContainer" | "createTtl";
  readonly path: string;
  readonly data: Uint8Array | null;
  readonly acl: readonly Acl[];
  readonly flags: number;
  /** Milliseconds; -1 unless `createTtl`. */
  readonly ttl: number;
}

/** What the flags say, by their value; a value beyond the last is refused (`CreateMode`). */
export const CREATE_MODES = [
  { owner: "nobody", sequential: false },
  { owner: "session", sequential: false },
  { owner: "nobody", sequential: true },
  { owner: "session", sequential: true },
  { owner: "container", sequential: false },
  { owner: "ttl", sequential: false },
  { owner: "ttl", sequential: true },
] as const;

export function writeCreate(writer: JuteWriter, create: Create): JuteWriter {
  writer.ustring(create.path).buffer(create.data).vector(create.acl, writeAcl).int(create.flags);
  return create.kind === "createTtl" ? writer.long(create.ttl) : writer;
}

export const readCreate = (kind: Create["kind"], reader: JuteReader): Create => ({
  kind,
  path: reader.text(),
  data: reader.buffer(),
  acl: reader.vector(readAcl),
  flags: reader.int(),
  ttl: kind === "createTtl" ? reader.long() : -1,
});

export interface Created {
  readonly kind: "create";
  readonly path: string;
}

export interface CreatedWithStat {
  readonly kind: "create2";
  readonly path: string;
  readonly stat: Stat;
}

export const writeCreated = (writer: JuteWriter, { path }: Created): JuteWriter => writer.ustring(path);

export const readCreated = (reader: JuteReader): Created => ({ kind: "create", path: reader.text() });

export const writeCreatedWithStat = (writer: JuteWriter, { path, stat }: CreatedWithStat): JuteWriter =>
  writeStat(writer.ustring(path), stat);

export const readCreatedWithStat = (reader: JuteReader): CreatedWithStat => ({
  kind: "create2",
  path: reader.text(),
  stat: readStat(reader),
});
