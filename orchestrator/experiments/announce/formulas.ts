/**
 * What announce-listen elections cost, in closed form. Times are in T_A unless said; N members begin together
 * (M = N - 1 listen to each), a message is lost with chance l, by all its listeners at once (shared) or by
 * each of them by itself (independent), and takes D on its way.
 *
 * Where Schooler's thesis prints something else that is wrong, it stands beside with the word printed.
 */

/** Of all listeners of a message at once, or of each by itself. */
export type LossKind = "shared" | "independent";

/** Of terms that come to nothing. */
const NEGLIGIBLE = 1e-13;

/**
 * R(M): the number, counted from 0, of the announcement that completes M listeners, each of which loses by
 * itself: the expected greatest of M geometric numbers. Summed as it is, for the sum with alternating signs
 * loses all digits at M = 60.
 */
export function rounds(loss: number, listeners: number): number {
  if (loss === 0 || listeners === 0) return 0;
  let sum = 0;
  for (let power = loss; ; power *= loss) {
    const missing = -Math.expm1(listeners * Math.log1p(-power));
    sum += missing;
    if (missing < NEGLIGIBLE) return sum;
  }
}

/** G: the same where all lose together. */
export const sharedRounds = (loss: number): number => loss / (1 - loss);

export const roundsOf = (kind: LossKind, loss: number, listeners: number): number =>
  kind === "shared" ? sharedRounds(loss) : rounds(loss, listeners);

/** Where a part of what is lost is lost by all, and each loses of the rest by itself. */
export const mixedRounds = (loss: number, shared: number, listeners: number): number =>
  (1 + rounds(1 - (1 - loss) / (1 - shared), listeners)) / (1 - shared) - 1;

/** Printed: tries instead of rounds, which is one more, and the sender among its listeners. */
export const printedRounds = (kind: LossKind, loss: number, members: number): number =>
  kind === "shared" ? 1 / (1 - loss) : 1 + rounds(loss, members);

/** Until the last has heard whoever is to lead, without D; `suppress` is T_S. */
export const leadershipDelay = (kind: LossKind, loss: number, members: number, suppress: number): number =>
  suppress / 2 + roundsOf(kind, loss, members - 1);

/** LE-M: the leader-to-be is the first of N to wake. */
export const earliestDelay = (kind: LossKind, loss: number, members: number, suppress: number): number =>
  suppress / (members + 1) + roundsOf(kind, loss, members - 1);

/**
 * The chance that rank k speaks in the first round of LE-S, uniform wake-ups; `delay` is D/T_S. Exact where
 * all lose together.
 */
export function speaks(rank: number, loss: number, delay: number): number {
  const d = Math.min(delay, 1);
  const reach = (1 - loss) * (1 - d);
  return d + (1 - (1 - reach) ** (rank + 1)) / ((1 - loss) * (rank + 1));
}

/** Announcements in [0, T_S] of LE-S. */
export function messages(members: number, loss: number, delay: number): number {
  let sum = 0;
  for (let rank = 0; rank < members; rank++) sum += speaks(rank, loss, delay);
  return sum;
}

/** Printed: 1/(1 - l) stands at N D/T_S instead of the sum. */
export function printedMessages(members: number, loss: number, delay: number): number {
  const reach = (1 - loss) * (1 - delay);
  let sum = (members * delay) / (1 - loss);
  for (let j = 1; j <= members; j++) sum += (1 - (1 - reach) ** j) / j;
  return sum;
}

/** The same of LE-M, and of suppression alone. */
export const earliestMessages = (members: number, loss: number, delay: number): number =>
  members * delay + (1 - (1 - (1 - loss) * (1 - delay)) ** members) / (1 - loss);

/**
 * Announcements until the last has heard the leader, all lose together, T_A >= T_S + D; LE-A with T_S = 0.
 */
export function messagesUntilLatched(members: number, loss: number, delay: number | "le-a"): number {
  let sum = 1 / (1 - loss);
  for (let rank = 1; rank < members; rank++)
    sum += (delay === "le-a" ? 1 : speaks(rank, loss, delay)) / (1 - loss ** rank);
  return sum;
}

/**
 * The same of LE-A where each loses by itself: who has n greater senders before it is not silenced with
 * chance l^n, so how many go on is a chain, and rank 0 goes on until the last has heard it.
 */
export function everybodysMessages(members: number, loss: number): number {
  /** By how many send besides rank 0: how many announcements come of them. */
  const expected: number[] = [0];
  for (let senders = 1; senders < members; senders++) {
    let left = [1];
    for (let before = 1; before <= senders; before++) left = withOneMore(left, loss ** before);
    const others = left.reduce((sum, chance, count) => sum + chance * (expected[count] ?? 0), 0);
    expected.push((senders + others) / (1 - (left[senders] ?? 0)));
  }
  return 1 + rounds(loss, members - 1) + (expected[members - 1] ?? 0);
}

/** How many of some happen, when one more is looked at that happens with this chance. */
const withOneMore = (counts: readonly number[], chance: number): number[] =>
  [...counts, 0].map((same, count) => same * (1 - chance) + (counts[count - 1] ?? 0) * chance);

/** Announcements in [0, T_S] of LE-S whose wake-ups grow as e^(xt/T_S). */
export function lateMessages(members: number, delay: number, steepness: number): number {
  const before = (t: number): number =>
    t <= 0 ? 0 : t >= 1 ? 1 : Math.expm1(steepness * t) / Math.expm1(steepness);
  return integral((u) => {
    // In chances instead of times: as many wake in each part.
    const t = Math.log1p(u * Math.expm1(steepness)) / steepness;
    const heard = before(t - delay);
    return heard === 0 ? members : (1 - (1 - heard) ** members) / heard;
  });
}

/** At a moment of the first round, in T_S: how many believe to lead, and how many of them have said so. */
export function believers(members: number, loss: number, delay: number, at: number) {
  const heard = (1 - loss) * Math.min(1, Math.max(0, at - delay));
  let believing = 0;
  for (let rank = 0; rank < members; rank++) believing += (1 - heard) ** rank;
  return { believing, announcing: Math.min(1, at) * believing };
}

export interface Departure {
  readonly members: number;
  readonly listen: number;
  readonly suppress: number;
  readonly delay: number;
  readonly loss: number;
}

/** From the leader's death until all that are left follow the next; without loss, and printed for any. */
export const departureDelay = ({ listen, suppress, delay }: Departure): number =>
  listen + 2 * delay + suppress / 2 - 0.5;

/**
 * Where all lose together: of losses before the death only as many count as had not been noticed, for all
 * agreed when it died.
 */
export const sharedDeparture = (departure: Departure): number =>
  departureDelay(departure) +
  integral((death) => {
    const cut = lossesUnnoticed(departure, death);
    const power = departure.loss ** (cut + 1);
    return ((cut + 1) * power) / (1 - power);
  });

/** Where each loses by itself: all must notice, and all must hear the next. All had agreed when it died. */
export const independentDeparture = (departure: Departure): number =>
  departureDelay(departure) + integral((death) => lastToNotice(departure, death));

/** How many heartbeats in a row can be lost before a death at this part of T_A without being noticed. */
const lossesUnnoticed = ({ listen, delay }: Departure, death: number): number =>
  Math.floor(listen + delay - death);

/** E[max over the others of max(0, J1 - Ji) + gi] - E[J1]: how much later than the successor's silence. */
function lastToNotice(departure: Departure, death: number): number {
  const { loss, members } = departure;
  if (loss === 0) return 0;
  const cut = lossesUnnoticed(departure, death);
  const unnoticed = 1 - loss ** (cut + 1);
  const lost = Array.from({ length: cut + 1 }, (_, j) => (loss ** j * (1 - loss)) / unnoticed);
  let sum = 0;
  for (const [first, chance] of lost.entries()) {
    let most = 0;
    for (let x = 0; ; x++) {
      const within = lost.reduce((all, of, j) => {
        const left = x - Math.max(0, first - j);
        return all + (left < 0 ? 0 : of * (1 - loss ** (left + 1)));
      }, 0);
      const missing = 1 - within ** (members - 2);
      most += missing;
      if (missing < NEGLIGIBLE) break;
    }
    sum += chance * (most - first);
  }
  return sum;
}

/** Until all of the old group follow a greater one that joins; printed with a try too many. */
export const largerJoiner = (kind: LossKind, loss: number, old: number, suppress: number): number =>
  suppress / 2 + roundsOf(kind, loss, old);

/** Until a smaller one that joins hears the leader, whoever else loses what. */
export const smallerJoiner = (loss: number): number => 0.5 + sharedRounds(loss);

/** False alarms: the part of the time in which not all follow a leader that lives, T_L >= T_A. */
export function falseShare(kind: LossKind, loss: number, members: number, listen: number): number {
  const [m, f] = [Math.floor(listen), listen - Math.floor(listen)];
  return f * missedByOne(kind, loss, members, m + 1) + (1 - f) * missedByOne(kind, loss, members, m);
}

/** How long one of them lasts, T_L no whole number of T_A. */
export function falseEpisode(kind: LossKind, loss: number, members: number, listen: number): number {
  const m = Math.floor(listen);
  const begins = missedByOne(kind, loss, members, m) - missedByOne(kind, loss, members, m + 1);
  return falseShare(kind, loss, members, listen) / begins;
}

/** Printed; below 0 where T_L is longer than a run of losses. */
export const printedFalseShare = (loss: number, listen: number): number => 1 - listen * (1 - loss);

/** That so many heartbeats in a row miss one of the listeners at least. */
function missedByOne(kind: LossKind, loss: number, members: number, inARow: number): number {
  const one = loss ** inARow;
  return kind === "shared" ? one : -Math.expm1((members - 1) * Math.log1p(-one));
}

/** That b copies of a Bye reach all listeners. */
export const byeReaches = (kind: LossKind, loss: number, listeners: number, copies: number): number =>
  kind === "shared" ? 1 - loss ** copies : (1 - loss ** copies) ** listeners;

/** How many copies of a Bye reach all listeners with this chance. */
export function byeCopies(kind: LossKind, loss: number, listeners: number, chance: number): number {
  let copies = 1;
  while (byeReaches(kind, loss, listeners, copies) < chance) copies += 1;
  return copies;
}

/** The mean over [0, 1], of something that jumps here and there. */
function integral(of: (at: number) => number, parts = 2000): number {
  let sum = 0;
  for (let part = 0; part < parts; part++) sum += of((part + 0.5) / parts);
  return sum / parts;
}
