/**
 * Measured numbers in a text, and whether data has them. A number is measured when it has a decimal point or
 * a unit; names (`p99`, `3dc`, Figure 6), code, links, dates and versions are none. Data has it when some
 * number there, in whole or thousandths or as a percentage, is printed like it with as many digits.
 */

const UNITS = "(?:ms|us|s|min|%|/s|MB|GB|kB|Mbit/s|Gbit/s|times)";
const MEASURED = new RegExp(
  `(?<![\\w.,#-])(\\d[\\d,]*(?:\\.\\d+)?)(?: ?${UNITS}(?![\\w])|(?<=\\.\\d+)(?!\\w|\\.\\d))`,
  "g",
);
const NO_TEXT = [
  /```[\s\S]*?```/g,
  /`[^`]*`/g,
  /\]\([^)]*\)/g,
  /\b\d{4}-\d{2}-\d{2}\b/g,
  /\bv?\d+\.\d+\.\d+\b/g,
  /\bLinux \d+\.\d+/g,
];

/** As they are written. */
export function measuredIn(text: string): readonly string[] {
  const prose = NO_TEXT.reduce((left, pattern) => left.replace(pattern, " "), text);
  return [...prose.matchAll(MEASURED)].map(([, number = ""]) => number);
}

/** Every number of JSON, CSV or plain text, those with commas between thousands too. */
export const numbersIn = (text: string): readonly number[] =>
  [text, text.replace(/(?<=\d),(?=\d{3}(?!\d))/g, "")].flatMap((one) =>
    [...one.matchAll(/-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/g)].map(([number]) => Math.abs(Number(number))),
  );

export function has(data: readonly number[], written: string): boolean {
  const plain = written.replaceAll(",", "");
  const [, decimals = ""] = plain.split(".");
  const half = 0.5 * 10 ** -decimals.length * (1 + 1e-9);
  const wanted = Number(plain);
  return data.some((number) => SCALES.some((scale) => Math.abs(number * scale - wanted) <= half));
}

const SCALES = [1, 1e3, 1e-3, 100];
