/**
 * What an election with an elector, a candidate in progress and a ready leader promises, as checks of what
 * happened. Each gives what contradicts it, in words.
 */

import type { Happening, Of } from "./history.ts";

type Check = (history: readonly Happening[]) => string[];

export const LEADERSHIP = {
  /** READY is written only by who is elected, in its term. */
  "ready is elected": (history) => {
    let elected: Of<"elected"> | undefined;
    return history.flatMap((each) => {
      if (each.kind === "elected") elected = each;
      if (each.kind !== "current" || each.status !== "READY") return [];
      const isRight = elected?.member === each.member && elected.term === each.term;
      return isRight ? [] : [`${each.member} is ready in term ${each.term}, elected is ${quote(elected)}`];
    });
  },

  /** Who is ready was in progress in the same term, and nobody since. */
  "ready was in progress": (history) => {
    let owner = "";
    return history.flatMap((each) => {
      if (each.kind === "freed") owner = "";
      if (each.kind !== "current") return [];
      const name = `${each.member} in term ${each.term}`;
      if (each.status === "PROGRESS") owner = name;
      return each.status === "READY" && owner !== name ? [`${name} is ready and was not in progress`] : [];
    });
  },

  /** Each election has the next term, and READY is never of an earlier term than one before. */
  "terms rise": (history) => {
    let [elected, ready] = [0, 0];
    return history.flatMap((each) => {
      if (each.kind === "elected") {
        const last = elected;
        elected = each.term;
        return each.term === last + 1 ? [] : [`term ${each.term} follows term ${last}`];
      }
      if (each.kind !== "current" || each.status !== "READY") return [];
      const last = ready;
      ready = each.term;
      return each.term < last ? [`READY in term ${each.term} follows READY in term ${last}`] : [];
    });
  },

  /** Who elects has read what was elected before. */
  "electors have read": (history) =>
    of(history, "elected").flatMap(({ read, term }) =>
      read === term - 1 ? [] : [`term ${term} was written over what its elector had not read (${read})`],
    ),

  /** `current` goes with its session, by its owner, or by an elector that elects in the same step. */
  "only its owner frees": (history) =>
    of(history, "freed").flatMap(({ member, how, at }) =>
      how === "by another" ? [`at ${at} the place of ${member} was freed by another`] : [],
    ),

  /** Nobody acts before its READY. */
  "acts when ready": (history) => {
    const ready = new Set<string>();
    return history.flatMap((each) => {
      if (each.kind === "current" && each.status === "READY") ready.add(`${each.member} ${each.term}`);
      if (each.kind !== "acts" || ready.has(`${each.member} ${each.term}`)) return [];
      return [`${each.member} acts in term ${each.term} before it is ready`];
    });
  },

  /** No two act at once, unless the elector put the earlier out. */
  "one acts": (history) => {
    const acting = new Map<string, number>();
    const putOut = new Set<string>();
    return history.flatMap((each) => {
      if (each.kind === "freed" && each.how === "by the elector") putOut.add(each.member);
      if (each.kind === "rests") {
        acting.delete(each.member);
        putOut.delete(each.member);
      }
      if (each.kind !== "acts") return [];
      const others = [...acting.keys()].filter((other) => other !== each.member && !putOut.has(other));
      acting.set(each.member, each.term);
      return others.map((other) => `at ${each.at} ${each.member} acts while ${other} does`);
    });
  },

  /**
   * In one transition nobody is elected again that did not become ready, while another was not tried whom the
   * elector could know of.
   */
  "who failed is passed over": (history) => {
    const [standing, tried] = [new Map<string, number>(), new Set<string>()];
    let [barred, rounds]: [readonly string[], number] = [[], 0];
    return history.flatMap((each) => {
      if (each.kind === "policy") barred = each.exclude;
      if (each.kind === "stands") standing.set(each.member, each.at);
      if (each.kind === "gone") {
        standing.delete(each.member);
        tried.delete(each.member);
      }
      if (each.kind === "policy" || (each.kind === "current" && each.status === "READY")) tried.clear();
      if (each.kind !== "elected" || each.member === null) return [];
      const [member, wasTried] = [each.member, tried.has(each.member)];
      const untried = [...standing].flatMap(([other, since]) =>
        tried.has(other) || isOf(other, barred) || each.at - since < NEWS_MS ? [] : [other],
      );
      const isEvicting = [...tried].at(-1) === member;
      if (each.rounds > rounds) tried.clear();
      ({ rounds } = each);
      tried.delete(member);
      tried.add(member);
      return wasTried && untried.length > 0 && !isEvicting
        ? [`${member} is elected again in term ${each.term}, although ${untried.join(", ")} was not tried`]
        : [];
    });
  },

  /** Who said that it cannot is asked again in another round only, and each begins after a longer rest. */
  "who failed rests": (history) => {
    const failed = new Set<string>();
    let [rounds, last]: [number, number | null] = [0, null];
    const forget = (): void => {
      failed.clear();
      last = null;
    };
    return history.flatMap((each) => {
      const isNew = each.kind === "policy" || each.kind === "gone" || each.kind === "stands";
      if (isNew || (each.kind === "current" && each.status === "READY")) forget();
      if (each.kind === "current" && each.status === "FAILED") {
        failed.add(each.member);
        last = each.at;
      }
      if (each.kind !== "elected" || each.member === null) return [];
      const [isRound, since, wasAsked] = [each.rounds > rounds, last, failed.has(each.member)];
      ({ rounds } = each);
      if (!isRound) return wasAsked ? [`${each.member} is asked again in term ${each.term}`] : [];
      forget();
      const least = Math.min(MOST_REST_MS, LEAST_REST_MS * 2 ** (rounds - 1));
      const isEarly = since !== null && each.at - since < least;
      return isEarly ? [`round ${rounds} begins ${each.at - since} ms after all had failed`] : [];
    });
  },

  /** Nobody is passed over who could not claim, because another had the place. */
  "none is excluded unheard": (history) => {
    const heard = new Set<string>();
    let [elected, isTaken] = ["", false];
    return history.flatMap((each) => {
      if (each.kind === "current") isTaken = true;
      if (each.kind === "freed") isTaken = false;
      if (each.kind === "current" && each.status !== "READY") heard.add(each.member);
      if (each.kind === "elected") elected = each.member ?? "";
      if (!isTaken) heard.add(elected);
      if (each.kind !== "elected") return [];
      return each.excluded
        .filter((member) => !heard.has(member))
        .map((member) => `${member} is excluded in term ${each.term} and never had the place`);
    });
  },

  /** Who is ready and stands stays elected, unless people want another. */
  "leaders are kept": (history) => {
    let [ready, isWished, term]: [Of<"current"> | null, boolean, number] = [null, false, 0];
    // Who is preferred may come at any time.
    let isWishing = false;
    return history.flatMap((each) => {
      if (each.kind === "current") ready = each.status === "READY" ? each : null;
      if (each.kind === "policy") [isWished, isWishing] = [true, each.prefer.length > 0];
      if (each.kind === "freed") ready = null;
      if (each.kind === "gone" && each.member === ready?.member) ready = null;
      if (each.kind !== "elected") return [];
      const wrong = ready?.term === term && !isWished && !isWishing;
      [isWished, term] = [false, each.term];
      return wrong ? [`term ${each.term} is given to ${each.member} while ${ready?.member} leads`] : [];
    });
  },

  /** Who finds the place taken waits until it is free. */
  "none spins": (history) => {
    const counts = Map.groupBy(
      of(history, "claim refused"),
      ({ member, term }) => `${member} in term ${term}`,
    );
    return [...counts].flatMap(([who, { length }]) =>
      length > MOST_CLAIMS ? [`${who} claimed in vain ${length} times`] : [],
    );
  },

  /** What is fenced takes no earlier term after a later one. */
  fenced: (history) => {
    let latest = 0;
    return of(history, "wrote").flatMap(({ member, term, isTaken }) => {
      if (!isTaken) return [];
      const before = latest;
      latest = Math.max(latest, term);
      return term < before ? [`${member} wrote in term ${term} after term ${before}`] : [];
    });
  },
} as const satisfies Record<string, Check>;

export type LeadershipProperty = keyof typeof LEADERSHIP;

/** An elector that was cut off may write what it has read, as long as its session lives. */
const NEWS_MS = 4000;
/** A little less than is promised: an elector's clock and the service's may differ. */
const LEAST_REST_MS = 90;
/** No deadline for taking over is shorter than this where it is judged. */
const MOST_REST_MS = 900;

/** A claim may cross the election of another, or an old leader's end, more than once; not for ever. */
const MOST_CLAIMS = 3;

export function judgeLeadership(
  history: readonly Happening[],
): { readonly property: LeadershipProperty; readonly wrong: readonly string[] }[] {
  return (Object.keys(LEADERSHIP) as LeadershipProperty[]).flatMap((property) => {
    const wrong = LEADERSHIP[property](history);
    return wrong.length > 0 ? [{ property, wrong }] : [];
  });
}

/** When somebody was ready first since then; null if nobody was. */
export function readyAfter(history: readonly Happening[], since: number): Of<"current"> | null {
  return of(history, "current").find(({ at, status }) => at >= since && status === "READY") ?? null;
}

/** Whether a member, by its znode, has one of these ids. */
const isOf = (member: string, ids: readonly string[]): boolean =>
  ids.some((id) => member === id || member.startsWith(`${id}-`));

const of = <K extends Happening["kind"]>(history: readonly Happening[], kind: K): Of<K>[] =>
  history.filter((each): each is Happening & Of<K> => each.kind === kind);

const quote = (elected: Of<"elected"> | undefined): string =>
  elected === undefined ? "nobody" : `${elected.member} in term ${elected.term}`;
