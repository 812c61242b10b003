/**
 * The same groups as real processes: a member a machine, real multicast over the packet plane, all begun at
 * one instant. Fewer sizes and fewer runs than in virtual time, because a second of theirs takes a second.
 */

import { flagOf } from "#node/election/options.ts";
import { seconds } from "#node/core/time.ts";
import { measureElection } from "../../measure/members/measures.ts";
import { planMembers } from "../../plan/members-flags.ts";
import { type ElectionPlan, groupEntryOf } from "../../plan/plan.ts";
import type { ElectionRecording } from "../../recording/recording.ts";
import { runElections } from "../../runner/run.ts";
import { withLink } from "../../topology/topology.ts";
import type { Beginning, Begun, LiveLab } from "./lab.ts";
import { LIVE_ANNOUNCE, sampleOf } from "./sample.ts";

export interface LiveLabOptions {
  readonly quick: boolean;
  readonly command: string;
  readonly signal: AbortSignal;
  readonly progress: (what: string) => void;
}

/** A run in so many that somebody has not heard the leader when it ends, at most. */
const UNFINISHED = 1e-3;

export class LiveMembers implements LiveLab {
  readonly sizes: readonly number[];
  readonly runs: number;
  readonly #options: LiveLabOptions;
  readonly #runtime: "netns" | "docker";
  readonly #begun = new Map<string, Begun>();

  constructor(options: LiveLabOptions, runtime: "netns" | "docker") {
    this.#options = options;
    this.#runtime = runtime;
    this.sizes = options.quick ? [5] : [5, 10, 50];
    this.runs = options.quick ? 20 : 102;
  }

  /** Null where it is about what only virtual time has. */
  async begin(beginning: Beginning): Promise<Begun | null> {
    if (beginning.buffer !== undefined) return null;
    const key = JSON.stringify(beginning);
    const known = this.#begun.get(key);
    if (known !== undefined) return known;
    const { command, signal, progress } = this.#options;
    const plan = planOf(beginning, this.#runtime);
    const told: Told[] = [];
    const what = `live, ${beginning.election} of ${beginning.members}`;
    const options = { command, signal, progress: (phase: string) => progress(`${what}: ${phase}`) };
    for await (const recording of runElections(plan, options, this.runs)) told.push(toldBy(recording));
    // Where members began late, on a machine that had no time for them, nothing was measured.
    const settled = told.filter((one) => Number.isFinite(one.delay));
    if (settled.length < told.length) progress(`${what}: ${told.length - settled.length} runs never agreed`);
    const of = (value: (one: Told) => number): Begun["delay"] => sampleOf(settled.map(value));
    const { delay = 0.1 } = beginning;
    const begun = {
      delay: of((one) => one.delay - delay),
      inSuppress: of((one) => one.inSuppress),
      untilLatched: of((one) => one.untilLatched),
      first: of((one) => one.first),
      last: of((one) => one.last),
    };
    this.#begun.set(key, begun);
    return begun;
  }
}

type Told = Readonly<Record<keyof Begun, number>>;

function planOf(beginning: Beginning, runtime: "netns" | "docker"): ElectionPlan {
  const { election, members, loss = 0, kind = "shared", suppress = 1, delay = 0.1, steepness } = beginning;
  const wanted = {
    listen: "900s",
    announce: `${LIVE_ANNOUNCE}s`,
    suppress: `${suppress * LIVE_ANNOUNCE}s`,
    steepness: String(steepness ?? 0),
  };
  const { options } = groupEntryOf(election);
  const said = Object.entries(wanted).filter(([name]) => Object.hasOwn(options, flagOf(name)));
  const losers = kind === "shared" ? 1 : members;
  const rounds = loss === 0 ? 0 : Math.ceil(Math.log(UNFINISHED / losers) / Math.log(loss));
  const plan = planMembers(
    {
      ...Object.fromEntries(said),
      election,
      members: String(members),
      duration: `${(suppress + 2 * delay + rounds + 0.2) * LIVE_ANNOUNCE}s`,
      ...(loss > 0 && { loss: percentage(loss), shared: sharing(beginning) }),
    },
    runtime,
  );
  const link = { ...plan.topology.link("lan", "lan"), delay: seconds(delay * LIVE_ANNOUNCE), jitter: null };
  return { ...plan, topology: withLink(plan.topology, "lan", "lan", link) };
}

const sharing = ({ kind = "shared", shared }: Beginning): boolean | string =>
  shared === undefined ? kind === "shared" : percentage(shared);

const percentage = (share: number): string => `${Number((100 * share).toPrecision(12))}%`;

/** In T_A. */
function toldBy(recording: ElectionRecording): Told {
  const { disturbances, messages } = measureElection(recording);
  const { latchedMs = null, agreedMs = null } = disturbances[0] ?? {};
  const { name, options } = recording.plan.subject.election;
  const entry = groupEntryOf(name);
  const silence = entry.firstRound(options);
  const sent = recording.events.filter(({ event, at }) => event === "announced" && at <= silence);
  return {
    delay: ((entry.promises === "the greatest" ? latchedMs : agreedMs) ?? Number.NaN) / 1e3 / LIVE_ANNOUNCE,
    inSuppress: messages.firstRound,
    untilLatched: messages.untilLatched ?? Number.NaN,
    first: (sent[0]?.at ?? 0) / 1e6 / LIVE_ANNOUNCE,
    last: (sent.at(-1)?.at ?? 0) / 1e6 / LIVE_ANNOUNCE,
  };
}
