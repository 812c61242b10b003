/**
 * Who may do what.
 *
 *   acl => permissions:i32 id        id => scheme:ustring id:ustring
 */

import type { JuteReader, JuteWriter } from "./jute.ts";

export const PERMISSION = { read: 1, write: 2, create: 4, delete: 8, admin: 16, all: 31 } as const;

export interface Id {
  readonly scheme: string;
  readonly id: string;
}

export interface Acl {
  readonly permissions: number;
  readonly id: Id;
}

const ANYONE: Id = { scheme: "world", id: "anyone" };

/** Everything is allowed to everybody. */
export const OPEN: readonly Acl[] = [{ permissions: PERMISSION.all, id: ANYONE }];

/** Everything to whom its maker has shown itself as, nothing to others. */
export const CREATOR_ALL: readonly Acl[] = [{ permissions: PERMISSION.all, id: { scheme: "auth", id: "" } }];

export const writeId = (writer: JuteWriter, { scheme, id }: Id): JuteWriter =>
  writer.ustring(scheme).ustring(id);

/** Kazoo sends an empty text as null, as in the id of `auth`, which has none. */
export const readId = (reader: JuteReader): Id => ({ scheme: reader.text(), id: reader.ustring() ?? "" });

export const writeAcl = (writer: JuteWriter, { permissions, id }: Acl): JuteWriter =>
  writeId(writer.int(permissions), id);

export const readAcl = (reader: JuteReader): Acl => ({ permissions: reader.int(), id: readId(reader) });
