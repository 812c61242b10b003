/** A key as bytes, for every election that sends one: key => score server:u8 */

import type { Reader } from "../wire/reader.ts";
import type { Writer } from "../wire/writer.ts";
import type { Key } from "./key.ts";
import { readScore, writeScore } from "./score-codec.ts";

export function writeKey(writer: Writer, { score, server }: Key): void {
  writeScore(writer, score);
  writer.u8(server);
}

export function readKey(reader: Reader): Key {
  const score = readScore(reader);
  return { score, server: reader.server() };
}

/** keys => count:u8 key* */
export function writeKeys(writer: Writer, keys: readonly Key[]): void {
  writer.u8(keys.length);
  for (const key of keys) writeKey(writer, key);
}

export function readKeys(reader: Reader): readonly Key[] {
  const keys: Key[] = [];
  for (let left = reader.u8(); left > 0 && reader.failure === null; left--) keys.push(readKey(reader));
  return keys;
}
