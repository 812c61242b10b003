/** `7:1 8:3`: how many cost how much. */
export function shares(costs: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const cost of costs) counts.set(cost, (counts.get(cost) ?? 0) + 1);
  const ascending = [...counts].sort(([a], [b]) => a - b);
  return ascending.map(([cost, count]) => `${cost}:${count}`).join(" ");
}
