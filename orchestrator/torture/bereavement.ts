/**
 * Who lost a session that it should have kept. A client that asks all the time loses it to nothing that
 * leaves it a server to ask: silence counts only while a server is served by a quorum, and coming back is a
 * sign of life. Excused is what was not told by then: a clock that leapt, a process that stood still, a
 * server that was out of reach by its links, a connection that a firewall forgot, whose silence servers
 * notice after three seconds only, and a client's own delay.
 */

import type { Instant } from "#node/core/time.ts";
import { type Finding, finding } from "../check/verdict.ts";
import type { Strike } from "./schedule.ts";

export interface Bereaved {
  readonly name: string;
  readonly how: string;
  readonly at: Instant;
  /** When it asked what was answered last. */
  readonly heard: Instant;
  /** When it was held up itself, if ever. */
  readonly lateAt: Instant | null;
}

/** A fault, as long as it lasted. */
export interface Spell {
  readonly kinds: readonly Strike[];
  readonly from: Instant;
  readonly until: Instant;
}

/** After which a server may count a client's silence that was its own, or nobody's. */
const EXCUSES: ReadonlySet<Strike> = new Set<Strike>([
  "pause",
  "pause of a majority",
  "pause, then crash of another",
  "monotonic clock leap",
  "wall clock jump",
  "distant links",
  "lossy links",
  "narrow links",
  "duplicating links",
  "corrupting links",
  "forgotten bulk",
  "forgotten connections",
]);

export function keptSessions(
  sitters: readonly { readonly moves: number; readonly bereaved: readonly Bereaved[] }[],
  spells: readonly Spell[],
  timeoutMs: number,
): Finding {
  const moves = sitters.reduce((sum, sitter) => sum + sitter.moves, 0);
  const reasons = sitters.flatMap(({ bereaved }) =>
    bereaved.filter((one) => !isExcused(one, spells, timeoutMs)),
  );
  return finding(KEPT, moves, reasons.map(printBereaved));
}

const KEPT = "sessions of who goes on asking outlive the loss of a quorum and every move";

function isExcused({ at, lateAt }: Bereaved, spells: readonly Spell[], timeoutMs: number): boolean {
  const since = at - 2 * timeoutMs * 1000;
  if (lateAt !== null && lateAt > since) return true;
  return spells.some(
    ({ kinds, from, until }) => from < at && until > since && kinds.some((kind) => EXCUSES.has(kind)),
  );
}

function printBereaved({ name, how, at, heard }: Bereaved): string {
  const seconds = (time: number): string => `${(time / 1e6).toFixed(2)} s`;
  return `${name}: ${how} at ${seconds(at)}; it was answered ${seconds(at - heard)} before`;
}
