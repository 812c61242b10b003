/**
 * Who may do what with a znode, and who a client is.
 *
 *   getAcl => path:ustring                              reply: acl:vector stat
 *   setAcl => path:ustring acl:vector version:i32       reply: stat
 *   auth   => type:i32 scheme:ustring credentials:buffer
 *   whoAmI => nothing                                   reply: vector of (scheme:ustring user:ustring)
 */

import { type Acl, type Id, readAcl, readId, writeAcl, writeId } from "./acl.ts";
import type { JuteReader, JuteWriter } from "./jute.ts";
import { readStat, type Stat, writeStat } from "./stat.ts";

export interface SetAcl {
  readonly kind: "setAcl";
  readonly path: string;
  readonly acl: readonly Acl[];
  /** Of the ACL: the stat's `aversion`. */
  readonly version: number;
}

export const writeSetAcl = (writer: JuteWriter, { path, acl, version }: SetAcl): JuteWriter =>
  writer.ustring(path).vector(acl, writeAcl).int(version);

export const readSetAcl = (reader: JuteReader): SetAcl => ({
  kind: "setAcl",
  path: reader.text(),
  acl: reader.vector(readAcl),
  version: reader.int(),
});

export interface AclOfNode {
  readonly kind: "getAcl";
  readonly acl: readonly Acl[];
  readonly stat: Stat;
}

export const writeAclOfNode = (writer: JuteWriter, { acl, stat }: AclOfNode): JuteWriter =>
  writeStat(writer.vector(acl, writeAcl), stat);

export const readAclOfNode = (reader: JuteReader): AclOfNode => ({
  kind: "getAcl",
  acl: reader.vector(readAcl),
  stat: readStat(reader),
});

export interface Auth {
  readonly kind: "auth";
  readonly scheme: string;
  readonly credentials: Uint8Array | null;
}

export const writeAuth = (writer: JuteWriter, { scheme, credentials }: Auth): JuteWriter =>
  writer.int(0).ustring(scheme).buffer(credentials);

export function readAuth(reader: JuteReader): Auth {
  reader.int();
  return { kind: "auth", scheme: reader.text(), credentials: reader.buffer() };
}

export interface Identities {
  readonly kind: "whoAmI";
  /** Of each identity the scheme and the name of the user, without any secret. */
  readonly users: readonly Id[];
}

export const writeIdentities = (writer: JuteWriter, { users }: Identities): JuteWriter =>
  writer.vector(users, writeId);

export const readIdentities = (reader: JuteReader): Identities => ({
  kind: "whoAmI",
  users: reader.vector(readId),
});
