/**
 * Who stands in a line leads in turn: the term of each leader is its number in the line, so whoever begins to
 * act came after all who acted before. That somebody was left out shows when its turn comes too late.
 */

export interface Acting {
  readonly at: number;
  readonly member: string;
  readonly term: number;
}

/** In words. Who goes on in the term in which it acted before does not begin. */
export function outOfTurn(acts: readonly Acting[]): string[] {
  const begun = new Map<number, string>();
  let last = Number.NEGATIVE_INFINITY;
  return acts
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ member, term }) => {
      const other = begun.get(term);
      if (other === member) return [];
      const wrong: string[] = [];
      if (other !== undefined) wrong.push(`${member} and ${other} both act in term ${term}`);
      else if (term < last) wrong.push(`${member} acts in term ${term} after somebody did in term ${last}`);
      begun.set(term, member);
      last = Math.max(last, term);
      return wrong;
    });
}
