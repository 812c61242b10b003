/**
 * What the elector does about what it has read, as a pure function.
 *
 * A leader that is ready and may lead is kept, and so is who takes over until its time is up. Who is late is
 * excluded, and the next is chosen; exclusions are written beside who is elected, so that the next elector
 * knows them, and end when somebody is ready or nobody else is left. An old leader that does not give up has
 * a deadline of its own: its successor's begins when `current` is free. When all have said that they cannot,
 * they rest before the first is asked again, twice as long each time.
 */

import { after, type Duration, type Instant, milliseconds } from "../../core/time.ts";
import { type Current, type Elected, idOf, type Last, NOBODY, type Policy } from "./layout.ts";
import type { Candidate, Strategy } from "./strategy.ts";

export interface Deadlines {
  /** From PROGRESS to READY. */
  readonly takeover: Duration;
  /** From the election of another until an old leader is put out. */
  readonly release: Duration;
}

export interface Rules extends Deadlines {
  readonly strategy: Strategy;
}

/** What a znode said, and since when by the elector's own clock; null: it must learn the service's first. */
export interface Dated<T> {
  readonly value: T;
  readonly since: Instant | null;
}

export interface Situation {
  /** All who stand and whose description can be read, in the order in which they came. */
  readonly candidates: readonly Candidate[];
  /** All who stand. */
  readonly standing: readonly string[];
  readonly elected: Dated<Elected>;
  /** The version of `elected`. */
  readonly term: number;
  readonly current: Dated<Current> | null;
  readonly last: Last;
  readonly policy: Policy;
}

export type Decision =
  /** Until then at most, where something is awaited. */
  | { readonly kind: "keep"; readonly until: Instant | null }
  | { readonly kind: "elect"; readonly elected: Elected; readonly why: string }
  /** Put an old leader out for who is elected already. */
  | { readonly kind: "evict"; readonly elected: Elected }
  | { readonly kind: "nobody"; readonly why: string; readonly todo: string }
  /** It depends on when something happened, which is not known. */
  | { readonly kind: "ask for the time" };

/** What this transition has seen. */
type Tried = Pick<Elected, "excluded" | "rounds">;

const FRESH: Tried = { excluded: [], rounds: 0 };

const KEEP = { kind: "keep", until: null } as const;

export function decide(situation: Situation, rules: Rules, now: Instant): Decision {
  const { elected, term, current, candidates, policy, standing } = situation;
  const eligible = candidates.filter(
    ({ id, site }) => !policy.exclude.includes(id) && !policy.maintain.includes(site),
  );
  const { member, excluded } = elected.value;
  const chosen = eligible.find((each) => each.member === member);
  if (chosen === undefined) {
    const isOver = situation.last.term === term;
    return elect(situation, rules, eligible, isOver ? FRESH : elected.value, reasonOf(situation));
  }
  if (isReady(situation)) return better(situation, rules, eligible, chosen);
  const due = deadlineOf(situation, rules);
  if (due === null) return { kind: "ask for the time" };
  if (now < due) return { kind: "keep", until: due };
  if (current !== null && isLingering(situation)) {
    return { kind: "evict", elected: { ...elected.value, handover: false } };
  }
  const failed = [...excluded.filter((each) => standing.includes(each)), chosen.member];
  const { rounds } = elected.value;
  if (current?.value.status === "FAILED" && eligible.every((each) => failed.includes(each.member))) {
    const rested = after(due, restAfter(rounds, rules.takeover));
    if (now < rested) return { kind: "keep", until: rested };
  }
  return elect(
    situation,
    rules,
    eligible,
    { excluded: failed, rounds },
    `${chosen.id} did not take over in time`,
  );
}

function isReady({ elected, term, current }: Situation): boolean {
  const now = current?.value;
  return now?.member === elected.value.member && now?.term === term && now.status === "READY";
}

/** `current` is not of who is elected, or of an earlier term of its. */
function isLingering({ elected, term, current }: Situation): boolean {
  return current !== null && (current.value.member !== elected.value.member || current.value.term !== term);
}

function deadlineOf(situation: Situation, { takeover, release }: Deadlines): Instant | null {
  const { elected, current } = situation;
  if (current === null || isLingering(situation)) {
    if (elected.since === null) return null;
    const free = current !== null || elected.value.handover ? after(elected.since, release) : elected.since;
    return current === null ? after(free, takeover) : free;
  }
  if (current.since === null) return null;
  return current.value.status === "FAILED" ? current.since : after(current.since, takeover);
}

/** Whoever fails at once would be asked as fast as the service answers. */
function restAfter(rounds: number, most: Duration): Duration {
  return milliseconds(Math.min(FIRST_REST_MS * 2 ** rounds, most / 1e3));
}

const FIRST_REST_MS = 100;

/** Whether somebody shall lead in place of one who leads. */
function better(
  situation: Situation,
  rules: Rules,
  eligible: readonly Candidate[],
  leader: Candidate,
): Decision {
  const { excluded } = situation.elected.value;
  const pool = preferred(
    eligible.filter(({ member }) => !excluded.includes(member)),
    situation.policy,
  );
  if (pool.includes(leader) && !rules.strategy.preempts) return KEEP;
  if (pool.length === 0) return KEEP;
  const previous = formerOf(situation);
  const candidates = pool;
  const member = rules.strategy.choose({
    candidates,
    previous,
    leader: pool.includes(leader) ? leader : null,
  });
  if (member === leader.member) return KEEP;
  return electing(situation, pool, member, FRESH, "another shall lead");
}

function elect(
  situation: Situation,
  { strategy }: Rules,
  eligible: readonly Candidate[],
  { excluded, rounds }: Tried,
  why: string,
): Decision {
  const left = eligible.filter(({ member }) => !excluded.includes(member));
  const pool = preferred(left.length > 0 ? left : eligible, situation.policy);
  if (pool.length === 0) return nobody(situation);
  const previous = formerOf(situation);
  const member = strategy.choose({ candidates: pool, previous, leader: null });
  const tried = left.length > 0 ? { excluded, rounds } : { excluded: [], rounds: rounds + 1 };
  return electing(situation, pool, member, tried, why);
}

function electing(
  situation: Situation,
  pool: readonly Candidate[],
  member: string,
  { excluded, rounds }: Tried,
  why: string,
): Decision {
  if (!pool.some((each) => each.member === member)) {
    const why =
      member === "" ? "the strategy names nobody" : `the strategy names ${member}, who may not lead`;
    const names = idsOf(pool.map((each) => each.member));
    const todo = `mend the strategy, of all members: it must name one of ${names}`;
    return { kind: "nobody", why, todo };
  }
  const handover = situation.current !== null;
  const elected = { member, previous: formerOf(situation), excluded, handover, rounds };
  return { kind: "elect", elected, why };
}

function nobody(situation: Situation): Decision {
  const { elected, standing, current } = situation;
  const why = standing.length === 0 ? "nobody stands" : `none of ${idsOf(standing)} may lead`;
  const todo = "take back who is excluded or whose site is maintained, or let others stand";
  if (elected.value.member === null) return { kind: "nobody", why, todo };
  const none = { ...NOBODY, previous: formerOf(situation), handover: current !== null };
  return { kind: "elect", elected: none, why };
}

/** Those of the first entry that fits anybody. */
function preferred(pool: readonly Candidate[], { prefer }: Policy): readonly Candidate[] {
  for (const wish of prefer) {
    const wished = pool.filter(({ id, site }) => id === wish || site === wish);
    if (wished.length > 0) return wished;
  }
  return pool;
}

function formerOf({ last }: Situation): { id: string; site: string } | null {
  return last.term < 0 ? null : { id: last.id, site: last.site };
}

const idsOf = (members: readonly string[]): string => members.map(idOf).join(", ");

function reasonOf({ elected, standing }: Situation): string {
  const { member } = elected.value;
  if (member === null) return "nobody is elected";
  return standing.includes(member) ? `${idOf(member)} shall not lead` : `${idOf(member)} is gone`;
}
