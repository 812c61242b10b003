/**
 * Elections: one opaque body behind the name of the election whose it is.
 *
 *   ballot => 0x12 length:u8 name body      length counts the bytes of the name
 */

import { utf8Bytes, utf8String } from "../core/utf8.ts";
import type { Ballot } from "../election/ballot.ts";
import type { Reader } from "./reader.ts";

import type { Writer } from "./writer.ts";

const TYPE = 0x12;

export function writeElection(writer: Writer, { election, body }: Ballot): void {
  const name = utf8Bytes(election);
  writer.u8(TYPE).u8(name.length).bytes(name).bytes(body);
}

/** Null when the type is none of elections. */
export function readElection(type: number, reader: Reader): Ballot | null {
  if (type !== TYPE) return null;
  const election = utf8String(reader.bytes(reader.u8()));
  if (election === null) reader.fail("an election's name that is not UTF-8");
  return { election: election ?? "", body: reader.rest() };
}
