/**
 * Does everything end well? Of worlds that go on for ever: those that are settled and stay so whatever
 * happens are the end, and from every world every way must lead there.
 */

export interface Endless<World> {
  key(world: World): string;
  next(world: World): readonly World[];
  isSettled(world: World): boolean;
}

export interface Inevitability<World> {
  readonly worlds: number;
  /** Those that are settled for good. */
  readonly settled: number;
  /** How many steps it takes at most until then; null when it may never come. */
  readonly steps: number | null;
  /** The shortest way from a beginning into a circle that avoids the end, and once around it. */
  readonly counterexample: { readonly way: readonly World[]; readonly circle: readonly World[] } | null;
}

interface Graph<World> {
  readonly worlds: readonly World[];
  readonly next: readonly (readonly number[])[];
}

export function inevitability<World>(
  space: Endless<World>,
  beginnings: Iterable<World>,
): Inevitability<World> {
  const { graph, begun } = explored(space, beginnings);
  const { worlds, next } = graph;
  const good = settledForGood(graph, space);
  const settled = good.reduce((sum, each) => sum + (each ? 1 : 0), 0);
  const depth = longestWay(next, good);
  if (depth !== null) return { worlds: worlds.length, settled, steps: depth, counterexample: null };
  const counterexample = shortestCircle(graph, good, begun);
  return { worlds: worlds.length, settled, steps: null, counterexample };
}

function explored<World>(
  space: Endless<World>,
  beginnings: Iterable<World>,
): { graph: Graph<World>; begun: readonly number[] } {
  const numbers = new Map<string, number>();
  const worlds: World[] = [];
  const next: number[][] = [];
  const numberOf = (world: World): number => {
    const key = space.key(world);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, worlds.length);
    worlds.push(world);
    return worlds.length - 1;
  };
  const begun = [...beginnings].map(numberOf);
  for (let at = 0; at < worlds.length; at++) next.push(space.next(worlds[at] as World).map(numberOf));
  return { graph: { worlds, next }, begun };
}

/** The greatest set of settled worlds that nothing leads out of. */
function settledForGood<World>({ worlds, next }: Graph<World>, space: Endless<World>): boolean[] {
  const good = worlds.map((world) => space.isSettled(world));
  for (let changed = true; changed; ) {
    changed = false;
    for (const [at, of] of next.entries()) {
      if (good[at] !== true || of.every((to) => good[to])) continue;
      good[at] = false;
      changed = true;
    }
  }
  return good;
}

/** How many steps outside of what is good the longest way has; null when one goes round for ever. */
function longestWay(next: readonly (readonly number[])[], good: readonly boolean[]): number | null {
  const left = next.map((of) => of.filter((to) => good[to] !== true).length);
  const sources: number[][] = next.map(() => []);
  for (const [at, of] of next.entries()) for (const to of of) sources[to]?.push(at);
  const steps = next.map(() => 1);
  const open = next.flatMap((_, at) => (good[at] !== true && left[at] === 0 ? [at] : []));
  let seen = 0;
  let longest = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    seen += 1;
    longest = Math.max(longest, steps[at] ?? 0);
    for (const source of sources[at] ?? []) {
      if (good[source] === true) continue;
      steps[source] = Math.max(steps[source] ?? 0, (steps[at] ?? 0) + 1);
      left[source] = (left[source] ?? 0) - 1;
      if (left[source] === 0) open.push(source);
    }
  }
  return seen === good.filter((each) => !each).length ? longest : null;
}

function shortestCircle<World>(
  { worlds, next }: Graph<World>,
  good: readonly boolean[],
  begun: readonly number[],
): Inevitability<World>["counterexample"] {
  const bad = (of: readonly number[]): number[] => of.filter((to) => good[to] !== true);
  for (const way of breadthFirst(next, bad(begun), bad)) {
    const last = way.at(-1) as number;
    for (const back of breadthFirst(next, bad(next[last] ?? []), bad)) {
      if (back.at(-1) !== last) continue;
      const named = (of: readonly number[]): World[] => of.map((at) => worlds[at] as World);
      return { way: named(way), circle: named(back) };
    }
  }
  return null;
}

/** The shortest way to each world that can be reached, the nearest first. */
function* breadthFirst(
  next: readonly (readonly number[])[],
  from: readonly number[],
  those: (of: readonly number[]) => readonly number[],
): Generator<readonly number[]> {
  const cameFrom = new Map<number, number | null>(from.map((at) => [at, null]));
  const open = [...cameFrom.keys()];
  for (const at of open) {
    const way: number[] = [];
    for (let back: number | null = at; back !== null; back = cameFrom.get(back) ?? null) way.unshift(back);
    yield way;
    for (const to of those(next[at] ?? [])) {
      if (cameFrom.has(to)) continue;
      cameFrom.set(to, at);
      open.push(to);
    }
  }
}
