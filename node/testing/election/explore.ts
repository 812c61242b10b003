/**
 * Visits every world that can be reached from the first, each once, and stops at the first one that is wrong.
 */

export interface Move<World> {
  readonly name: string;
  readonly world: World;
  /** What is wrong with making this move, or null. */
  readonly complaint: string | null;
}

export interface Space<World> {
  readonly beginning: World;
  /** Equal worlds, and only they, have equal keys. */
  key(world: World): string;
  moves(world: World): Iterable<Move<World>>;
  /** What is wrong with a world in which nothing can happen any more, or null. */
  complainOfEnd(world: World): string | null;
}

export interface Explored {
  readonly worlds: number;
  readonly ends: number;
  /** The first complaint, below the moves that led to it. */
  readonly complaint: string | null;
}

export function explore<World>(space: Space<World>): Explored {
  const numbers = new Map<string, number>();
  const cameFrom: number[] = [];
  const cameBy: string[] = [];
  const open: { readonly number: number; readonly world: World }[] = [];
  let ends = 0;

  const visit = (world: World, from: number, by: string): void => {
    const key = space.key(world);
    if (numbers.has(key)) return;
    const number = numbers.size;
    numbers.set(key, number);
    cameFrom.push(from);
    cameBy.push(by);
    open.push({ number, world });
  };
  const failed = (number: number, last: string): Explored => {
    const path = [last];
    for (let at = number; at > 0; at = cameFrom[at] ?? 0) path.unshift(cameBy[at] ?? "");
    return { worlds: numbers.size, ends, complaint: path.join("\n") };
  };

  visit(space.beginning, 0, "");
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    let moves = 0;
    for (const { name, world, complaint } of space.moves(next.world)) {
      moves += 1;
      if (complaint !== null) return failed(next.number, `${name}\n${complaint}`);
      visit(world, next.number, name);
    }
    if (moves > 0) continue;
    ends += 1;
    const complaint = space.complainOfEnd(next.world);
    if (complaint !== null) return failed(next.number, complaint);
  }
  return { worlds: numbers.size, ends, complaint: null };
}
