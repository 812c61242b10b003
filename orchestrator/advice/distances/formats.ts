/** Every way of writing distances down that is understood, and which of them a text is in. */

import { refuse } from "../../terminal/problem.ts";
import { clocks } from "./clocks.ts";
import { list } from "./list.ts";
import { matrix } from "./matrix.ts";
import type { DistanceFormat, Distances, Told } from "./measured.ts";
import { metrics } from "./metrics.ts";
import { ping } from "./ping.ts";

/** Those that are told by a word of their own come first. */
export const FORMATS: readonly DistanceFormat[] = [ping, clocks, metrics, list, matrix];

/** Of one file; throws a RefusedInput when it is nothing that is understood, or has mistakes. */
export function foundIn(text: string, file: string, told: Told): Distances {
  const format = FORMATS.find((one) => one.recognises(text));
  if (format === undefined) {
    const known = FORMATS.map(({ summary }) => summary).join("; ");
    refuse(file, [{ line: 1, column: 1, message: `no distances are recognised; understood are ${known}` }]);
  }
  const found = format.read(text, told);
  if (found.problems.length > 0) refuse(file, found.problems);
  if (found.measured.length === 0)
    refuse(file, [
      { line: 1, column: 1, message: `it is ${format.summary}, but nothing was measured in it` },
    ]);
  return found;
}
