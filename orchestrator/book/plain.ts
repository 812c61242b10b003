/** A record of what has numbers by name and nothing else: benches, loads, fuzzing, recipes. */

import { environmentOf } from "../recording/environment.ts";
import { type BookNumber, type BookRecord, originOf, questionFrom } from "./record.ts";

export interface Plain {
  readonly kind: BookRecord["kind"];
  readonly what: string;
  readonly command: string;
  /** What decides the numbers besides the code. */
  readonly asked: readonly string[];
  /** What is wrong with it; nothing when it counts. */
  readonly reasons: readonly string[];
  readonly numbers: Readonly<Record<string, BookNumber>>;
}

export function recordOfPlain({ kind, what, command, asked, reasons, numbers }: Plain): BookRecord {
  const counted = reasons.length === 0 ? 1 : 0;
  return {
    format: "polebench record 1",
    kind,
    what,
    question: questionFrom(kind, ...asked),
    ...originOf({ ...environmentOf(kind, command) }),
    attempts: { made: 1, counted },
    validity: counted === 1 ? "valid" : "invalid",
    reasons: [...reasons],
    numbers: { ...numbers },
  };
}

/** One value, or one of each repetition. */
export const numberOf = (
  values: number | readonly number[],
  unit: string,
  better: BookNumber["better"] = null,
): BookNumber => ({
  unit,
  better,
  values: [values].flat().map((value, index) => ({ of: String(index + 1), value, atLeast: false })),
});

/** Every number in a document, by the way to it. */
export function numbersIn(document: unknown, path = ""): Record<string, BookNumber> {
  if (typeof document === "number") return { [path]: numberOf(document, "") };
  if (typeof document !== "object" || document === null) return {};
  const found = Object.entries(document).map(([name, part]) =>
    numbersIn(part, path === "" ? name : `${path}.${name}`),
  );
  return Object.assign({}, ...found) as Record<string, BookNumber>;
}
