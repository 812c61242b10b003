/** A score as bytes, for every election that sends one: score => count:u8 value:f64* */

import type { Score } from "../core/score.ts";
import type { Reader } from "../wire/reader.ts";
import type { Writer } from "../wire/writer.ts";

export function writeScore(writer: Writer, score: Score): void {
  writer.u8(score.length);
  for (const value of score) writer.f64(value);
}

export function readScore(reader: Reader): Score {
  const score: number[] = [];
  for (let left = reader.u8(); left > 0 && reader.failure === null; left--) score.push(reader.f64());
  return score;
}
