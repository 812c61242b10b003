/**
 * How many phases n processes need that draw from 1 to n: those with the greatest draw go on, so all depends
 * on how many of them there are likely to be.
 */

export function expectedPhases(n: number): number {
  const phases = [0, 0];
  for (let standing = 2; standing <= n; standing++) {
    let after = 1;
    for (let left = 2; left < standing; left++) after += chance(standing, left, n) * (phases[left] ?? 0);
    phases[standing] = after / (1 - chance(standing, standing, n));
  }
  return phases[n] ?? 0;
}

/** That of so many who draw from 1 to `sides` exactly `left` have the greatest draw. */
function chance(standing: number, left: number, sides: number): number {
  let sum = 0;
  for (let top = 1; top <= sides; top++)
    sum += (1 / sides) ** left * ((top - 1) / sides) ** (standing - left);
  return choose(standing, left) * sum;
}

function choose(n: number, k: number): number {
  let ways = 1;
  for (let at = 1; at <= k; at++) ways *= (n - k + at) / at;
  return ways;
}
