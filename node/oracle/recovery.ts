/**
 * How long until this server would serve: the recovery-time oracle that the paper leaves open (section 4.4).
 *
 * That the leader is dead all know when they are asked. What follows, for a candidate L and a quorum of q:
 *
 *   promises   the (q - 1)-th nearest answers L's new epoch
 *   pull       the newest history among those is fetched from its nearest holder, where it is not L's own
 *   level      q - 1 others have what they lack: a difference, or a snapshot from who has forgotten too much
 *   commit     a first write reaches a quorum
 *
 * Bytes travel as TCP carries them: ten segments at first, twice as many each round trip, at most a window a
 * round trip or what the card carries.
 */

import type { ServerId } from "../core/identity.ts";
import { majority } from "../core/quorum.ts";
import { type Duration, microseconds, toMilliseconds } from "../core/time.ts";
import { counterOf, epochOf, type Zxid } from "../core/zxid.ts";
import { quorumMeasured } from "./consensus.ts";
import type { View } from "./oracle.ts";
import type { Report } from "./report.ts";
import { timed } from "./timed.ts";
import { allReported } from "./view-of.ts";

interface Stages {
  readonly promises: number;
  readonly pull: number;
  readonly level: number;
  readonly commit: number;
}

interface Other {
  readonly server: ServerId;
  readonly rtt: Duration;
  readonly report: Report;
}

/** In microseconds; null when no quorum is within reach. */
export function stagesOf({ self, servers, roundTrips, reports, lastZxid }: View): Stages | null {
  const needed = majority(servers.length) - 1;
  const own = reports.get(self);
  const others = [...roundTrips]
    .flatMap(([server, rtt]): Other[] => {
      const report = reports.get(server);
      return server === self || report === undefined ? [] : [{ server, rtt, report }];
    })
    .sort((a, b) => a.rtt - b.rtt);
  if (others.length < needed || own === undefined) return null;
  const promises = others[needed - 1]?.rtt ?? 0;
  const quorum = others.slice(0, needed);
  const source = quorum.reduce<Other | null>(
    (best, one) => (one.report.lastZxid > (best?.report.lastZxid ?? lastZxid) ? one : best),
    null,
  );
  const newest = source?.report ?? { ...own, lastZxid };
  const pull = source === null ? 0 : source.rtt + carried(lacking(newest, lastZxid), source.rtt);
  const brought = others
    .map(({ rtt, report }) => {
      // What comes behind a snapshot waits until that has been taken in.
      const again = report.lastZxid < newest.base ? rtt : 0;
      return rtt + again + carried(lacking(newest, report.lastZxid), rtt);
    })
    .sort((a, b) => a - b);
  return { promises, pull, level: brought[needed - 1] ?? 0, commit: promises };
}

/** What who ends there is sent by whom this report is of. */
function lacking(of: Report, last: Zxid): number {
  if (last >= of.lastZxid) return 0;
  if (last < of.base) return of.stateBytes;
  const isSameEpoch = epochOf(last) === epochOf(of.lastZxid);
  const transactions = counterOf(of.lastZxid) - (isSameEpoch ? counterOf(last) : 0);
  return transactions * of.transactionBytes;
}

/** Microseconds until so many bytes have come, beyond a round trip. */
export function carried(bytes: number, rtt: Duration): number {
  const perTrip = Math.min(WINDOW, (CARD * rtt) / 1e6);
  let left = bytes;
  let time = 0;
  for (let window = FIRST_WINDOW; window < perTrip; window *= 2) {
    if (left <= window) return time + (left / CARD) * 1e6;
    left -= window;
    time += rtt;
  }
  const perSecond = rtt === 0 ? CARD : Math.min(CARD, (WINDOW / rtt) * 1e6);
  return time + (left / perSecond) * 1e6;
}

const sum = ({ promises, pull, level, commit }: Stages): number => promises + pull + level + commit;

export const recovery = timed({
  cost(view) {
    const stages = stagesOf(view);
    return stages === null ? null : microseconds(sum(stages));
  },
  ready: (view) => quorumMeasured(view) && allReported(view),
  explain(view): Record<string, number> {
    const stages = stagesOf(view);
    if (stages === null) return {};
    const ms = (time: number): number => toMilliseconds(microseconds(time));
    return {
      recoveryMs: ms(sum(stages)),
      promisesMs: ms(stages.promises),
      pullMs: ms(stages.pull),
      levelMs: ms(stages.level),
      commitMs: ms(stages.commit),
    };
  },
});

/** Ten segments (RFC 6928). */
const FIRST_WINDOW = 14_480;
/** Half of what Linux lets a receive buffer grow to. */
const WINDOW = 3 * 2 ** 20;
/** Bytes a second of TCP over a gigabit card. */
const CARD = 117_500_000;
