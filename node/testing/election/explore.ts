/**
 * Visits every world that can be reached from the first, each once, and stops at the first one that is wrong.
 * Worlds that go round in circles are fine as long as an end can be reached from each.
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

/** `most`: that so many worlds are visited is wrong, too. */
export function explore<World>(space: Space<World>, most = 2e6): Explored {
  const numbers = new Map<string, number>();
  const cameFrom: number[] = [];
  const cameBy: string[] = [];
  const open: { readonly number: number; readonly world: World }[] = [];
  /** Of each world those that lead to it in one move. */
  const sources: number[][] = [];
  const ending: number[] = [];

  const visit = (world: World, from: number, by: string): void => {
    const key = space.key(world);
    const known = numbers.get(key);
    const number = known ?? numbers.size;
    (sources[number] ??= []).push(from);
    if (known !== undefined) return;
    numbers.set(key, number);
    cameFrom.push(from);
    cameBy.push(by);
    open.push({ number, world });
  };
  const failed = (number: number, last: string): Explored => {
    const path = [last];
    for (let at = number; at > 0; at = cameFrom[at] ?? 0) path.unshift(cameBy[at] ?? "");
    return { worlds: numbers.size, ends: ending.length, complaint: path.join("\n") };
  };

  visit(space.beginning, 0, "");
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    let moves = 0;
    if (numbers.size > most) return failed(next.number, `there are more than ${most} worlds`);
    for (const { name, world, complaint } of space.moves(next.world)) {
      moves += 1;
      if (complaint !== null) return failed(next.number, `${name}\n${complaint}`);
      visit(world, next.number, name);
    }
    if (moves > 0) continue;
    ending.push(next.number);
    const complaint = space.complainOfEnd(next.world);
    if (complaint !== null) return failed(next.number, complaint);
  }
  const endless = withoutEnd(sources, ending);
  if (endless !== null) return failed(endless, "from here no end can be reached");
  return { worlds: numbers.size, ends: ending.length, complaint: null };
}

/** The first world from which none of these can be reached, or null. */
function withoutEnd(sources: readonly (readonly number[])[], ending: readonly number[]): number | null {
  const leads = new Set(ending);
  const open = [...ending];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const source of sources[next] ?? []) {
      if (leads.has(source)) continue;
      leads.add(source);
      open.push(source);
    }
  }
  const lost = sources.findIndex((_, number) => !leads.has(number));
  return lost === -1 ? null : lost;
}
