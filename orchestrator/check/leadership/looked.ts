/**
 * What somebody beside the service read of a priority election's znodes, each time that it was told of a
 * change, held against what is promised. Of a znode that was written twice before it was read the first is
 * not known, so a gap contradicts nothing; whatever is told contradicts a promise however the gaps were.
 */

import { idOf, readCurrent, readElected, readLast } from "#node/recipe/recipe.ts";

/** One znode below `leader` as it was at one time. */
export interface Looked {
  readonly name: "elected" | "current" | "last";
  readonly text: string;
  readonly version: number;
  /** Of the transactions that made it and that changed it last. */
  readonly czxid: number;
  readonly mzxid: number;
}

/** By its id, who began to act as leader and in which term. */
interface Acting {
  readonly member: string;
  readonly term: number;
}

interface Read<T> extends Looked {
  readonly value: T;
}

export type LookedProperty = "ready is elected" | "ready was in progress" | "terms rise" | "acts when ready";

type Check = (looked: readonly Looked[], acts: readonly Acting[]) => string[];

export const LOOKED: Readonly<Record<LookedProperty, Check>> = {
  /** Whoever is ready in a term is elected in it, and nobody was elected since. */
  "ready is elected": (looked) => {
    const elected = electedIn(looked);
    return readyIn(looked).flatMap(({ value: { member, term }, mzxid }) => {
      const shall = elected.find(({ version }) => version === term);
      const next = elected.find((each) => each.version > term && each.mzxid < mzxid);
      if (next !== undefined)
        return [`${member} became ready in term ${term} when term ${next.version} had begun`];
      if (shall === undefined || shall.value.member === member) return [];
      return [`${member} is ready in term ${term}, elected is ${shall.value.member ?? "nobody"}`];
    });
  },

  /** A place is made in PROGRESS, and whoever is ready was in progress in that term or ready before. */
  "ready was in progress": (looked) => {
    const all = currentIn(looked);
    return readyIn(looked).flatMap(({ value: { member, term }, version, czxid }) => {
      if (version === 0) return [`${member} made its place in term ${term} and was not in progress`];
      const before = all.find((each) => each.czxid === czxid && each.version === version - 1)?.value;
      if (before === undefined) return [];
      const was = `${before.member} was ${before.status} in ${before.term}`;
      const wasIt = before.member === member && before.term === term && before.status !== "FAILED";
      return wasIt ? [] : [`${member} is ready in term ${term} after ${was}`];
    });
  },

  /** `elected` is only ever set; READY is never of an earlier term than one before. */
  "terms rise": (looked) => {
    const [first, ...others] = electedIn(looked);
    const anew = others.filter(({ czxid }) => czxid !== first?.czxid);
    let latest = 0;
    const fallen = readyIn(looked).flatMap(({ value: { member, term } }) => {
      const before = latest;
      latest = Math.max(latest, term);
      return term < before ? [`${member} became ready in term ${term} after term ${before}`] : [];
    });
    return [...anew.map(({ version }) => `elected was made anew, and is at ${version}`), ...fallen];
  },

  /** Who acts in a term is who became ready in it. */
  "acts when ready": (looked, acts) => {
    const ready = new Map(of(looked, "last", readLast).map(({ value: { term, id } }) => [term, id] as const));
    for (const { value } of readyIn(looked)) ready.set(value.term, idOf(value.member));
    const elected = electedIn(looked);
    return acts.flatMap(({ member, term }) => {
      const isReady = ready.get(term);
      const shall = elected.find(({ version }) => version === term)?.value.member ?? null;
      const rightly = isReady ?? (shall === null ? undefined : idOf(shall));
      if (rightly === undefined || rightly === member) return [];
      return [`${member} acts in term ${term}, ${isReady === undefined ? "elected" : "ready"} is ${rightly}`];
    });
  },
};

/** In words, each behind the promise that it contradicts. */
export const judgeLooked = (looked: readonly Looked[], acts: readonly Acting[]): string[] =>
  (Object.keys(LOOKED) as LookedProperty[]).flatMap((property) =>
    [...new Set(LOOKED[property](looked, acts))].map((wrong) => `${property}: ${wrong}`),
  );

/** In the order in which the service wrote them; what is spoilt says nothing. */
const of = <T>(
  looked: readonly Looked[],
  name: Looked["name"],
  read: (data: Uint8Array) => T | null,
): Read<T>[] =>
  looked
    .filter((each) => each.name === name)
    .flatMap((each) => {
      const value = read(new TextEncoder().encode(each.text));
      return value === null ? [] : [{ ...each, value }];
    })
    .sort((a, b) => a.mzxid - b.mzxid);

const electedIn = (looked: readonly Looked[]) => of(looked, "elected", readElected);

const currentIn = (looked: readonly Looked[]) => of(looked, "current", readCurrent);

const readyIn = (looked: readonly Looked[]) =>
  currentIn(looked).filter(({ value }) => value.status === "READY");
