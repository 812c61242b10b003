/**
 * etcd as its own guide tunes it (etcd.io, "Tuning"): a heartbeat each round trip between the farthest
 * members, elections after ten of them, 10 ms and 100 ms at least, as in the guide's example.
 */

import { longestRoundTripMs } from "../round-trip.ts";
import type { Settings, System, TrialTerms } from "../system.ts";
import { furnishEtcd } from "./configuration.ts";
import { etcd } from "./etcd.ts";
import { commandOf, EtcdTrial } from "./trial.ts";

const LEAST_MS = 10;
const ROUND_TRIPS = 10;

export function timersFor(roundTripMs: number): Settings {
  const heartbeat = Math.max(LEAST_MS, roundTripMs);
  return { "heartbeat-interval": heartbeat, "election-timeout": ROUND_TRIPS * heartbeat };
}

/** The collector runs a quarter as often: memory is not what is short. */
const command = (home: string) => ["env", "GOGC=400", ...commandOf(home)] as const;

export const etcdTuned: System = {
  ...etcd,
  name: "etcd-tuned",
  title: "tuned etcd",
  furnish: (seat) => furnishEtcd({ ...seat, settings: { ...timersFor(0), ...seat.settings } }),
  command,
  trial: (setting) => new EtcdTrial(setting, settingsOf(setting.terms), command),
};

const settingsOf = (terms: Pick<TrialTerms, "topology">): Settings => timersFor(longestRoundTripMs(terms));
