/** Which rings are tried: `64` is up to 64 in steps that a chart can show, `5,9,100` is these. */

import { RefusedInput } from "../terminal/problem.ts";

/** Up to this, every n; every arrangement of it is tried where arrangements decide. */
const SMALL = 8;

export function sizesOf(text: string, name: string, most: number): readonly number[] {
  const given = text.split(",").map((one) => (/^\s*\d{1,7}\s*$/.test(one) ? Number(one) : Number.NaN));
  if (given.some(Number.isNaN))
    throw new RefusedInput(`--n: "${text}" is no number, nor a list such as 5,10,100`);
  const small = given.find((n) => n < 2);
  if (small !== undefined)
    throw new RefusedInput(`--n: ${small} is too few: who is alone has nobody to elect a leader with`);
  const large = given.find((n) => n > most);
  if (large !== undefined)
    throw new RefusedInput(`--n: ${name} is tried with ${most} at most, not with ${large}`);
  const [top = 2, ...more] = [...new Set(given)].sort((a, b) => a - b);
  return more.length > 0 ? [top, ...more] : upTo(top);
}

/** 2 to 8, then 10, 20, 50, 100 and so on, and the last. */
function upTo(top: number): readonly number[] {
  const sizes = Array.from({ length: Math.min(top, SMALL) - 1 }, (_, index) => index + 2);
  for (let ten = 10; ten < top; ten *= 10)
    sizes.push(...[ten, 2 * ten, 5 * ten].filter((size) => size < top));
  return sizes.at(-1) === top ? sizes : [...sizes, top];
}
