/** What a live run of an election by itself is expected to show; see `../expectations.ts`. */

import { optionsOf } from "../../plan/plan.ts";
import type { ElectionRecording } from "../../recording/recording.ts";
import type { Expectation } from "../expectations.ts";

/** Only what can be looked at in this run: nothing in virtual time. */
export const electionExpectations = (recording: ElectionRecording): readonly Expectation[] => [
  ...carriedInTime(recording),
  ...smallInMemory(recording),
  ...smallInTime(recording),
];

/** By the network's own count; repetitions on one testbed are counted together. */
function carriedInTime({ counts: { carried }, events }: ElectionRecording): readonly Expectation[] {
  if (carried === null || carried.veryLate === undefined) return [];
  const { packets, late, veryLate } = carried;
  const last = Math.max(0, ...events.filter(({ event }) => event === "begun").map(({ at }) => at));
  return [
    {
      what: "no packet is carried over 2 ms late",
      met: veryLate === 0,
      found:
        `${veryLate} of ${packets}, and ${late} over 1 ms; ` +
        `the last member began ${(last / 1e3).toFixed(1)} ms after the instant`,
    },
  ];
}

function smallInMemory({ resources }: ElectionRecording): readonly Expectation[] {
  const members = resources.filter(({ who }) => MEMBER.test(who));
  if (members.length === 0) return [];
  const most = (of: (one: (typeof members)[number]) => number): string =>
    (Math.max(...members.map(of)) / 1e6).toFixed(1);
  return [
    {
      what: `a member takes at most ${MOST_BYTES / 1e6} MB`,
      met: members.every(({ peakBytes }) => peakBytes <= MOST_BYTES),
      found:
        `at most ${most(({ peakBytes }) => peakBytes)} MB were resident (RSS) of ${members.length}, ` +
        `${most(({ proportionalBytes = 0 }) => proportionalBytes)} MB with what they share divided ` +
        "among them (PSS)",
    },
  ];
}

/** Where a leader speaks once a second or less often. */
function smallInTime({ resources, plan: { subject } }: ElectionRecording): readonly Expectation[] {
  const shares = resources.flatMap(({ who, cpuSeconds, overSeconds = 0 }) =>
    MEMBER.test(who) && overSeconds > 0 ? [cpuSeconds / overSeconds] : [],
  );
  const periods = subject.members.map((member) => optionsOf(subject, member)["announce"]);
  const isSlow = periods.every((period) => typeof period === "number" && period >= SLOW);
  if (shares.length === 0 || !isSlow) return [];
  const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  return [
    {
      what: `a member takes at most ${100 * MOST_OF_A_CORE} % of a core`,
      met: Math.max(...shares) <= MOST_OF_A_CORE,
      found: `at most ${percent(Math.max(...shares))}, ${percent(mean)} in the mean`,
    },
  ];
}

const MEMBER = /^m[0-9]+$/;
const MOST_BYTES = 80e6;
const MOST_OF_A_CORE = 0.01;
const SLOW = 1e6;
