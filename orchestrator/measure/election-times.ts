/**
 * When the first and the last server knew the next leader, and how much was said until then, beside what the
 * election needs by itself: its own automata, each noticing the death when its server did in the run, with
 * the scores of the run, on the ways of the topology.
 */

import { serverId } from "#node/core/identity.ts";
import { type Duration, milliseconds } from "#node/core/time.ts";
import { createOracle } from "#node/oracle/catalog.ts";
import type { Oracle } from "#node/oracle/oracle.ts";
import { optionsOfOracle } from "../plan/oracle-plan.ts";
import type { ServicePlan } from "../plan/plan.ts";
import { SYSTEMS } from "../system/catalog.ts";
import type { Election } from "./election.ts";
import { type Alone, type Succession, triedAlone } from "./election-alone.ts";
import type { Measures } from "./measures.ts";

export interface Range {
  readonly least: number;
  readonly most: number;
}

/** From the fault on. */
export interface Beside {
  readonly ms: number;
  readonly alone: Range;
}

export interface ElectionTimes {
  readonly first: Beside;
  readonly last: Beside;
  /** Null where servers do not tell, or are never silent, or one's own oracle compares. */
  readonly messages: { readonly count: number; readonly alone: Range } | null;
}

/** What a machine adds to a message: to the times, and to what decides which of two messages is first. */
const IDLE = milliseconds(1);
const BUSY = milliseconds(5);

type Needed = Pick<Measures, "recovery" | "election" | "traffic" | "faults" | "leaders">;

/** Null where not just the leader died, or not all that live told of it. */
export function electionTimes(
  { topology, subject: { system, election, oracle } }: ServicePlan,
  { recovery, election: found, traffic, faults, leaders }: Needed,
): ElectionTimes | null {
  const [fault, ...others] = faults;
  const [dead, ...more] = fault?.servers ?? [];
  const isDeath = fault?.fault.startsWith("crash") === true && others.length + more.length === 0;
  if (SYSTEMS[system].elects !== "by oracle" || !isDeath || dead !== leaders.before) return null;
  if (dead === undefined || recovery === null || found === null || found.leader !== recovery.leader)
    return null;
  const knew = new Map(
    recovery.servers
      .filter(({ committedAt }) => committedAt !== null)
      .map(({ server, stages: { noticed, elected } }) => [
        serverId(server),
        { noticed, at: noticed + elected },
      ]),
  );
  if (knew.size !== topology.servers.size - 1) return null;
  const worth =
    oracle.module === null ? worthOf(found, createOracle(oracle.name, optionsOfOracle(oracle))) : null;
  const tried = (machine: Duration): readonly Alone[] | null =>
    triedAlone({
      topology,
      election,
      dead: serverId(dead),
      successor: serverId(found.leader),
      noticedMs: (server) => knew.get(server)?.noticed ?? 0,
      machine,
      ...(worth !== null && { worth }),
    });
  const [tries, busy] = [tried(IDLE), tried(BUSY)];
  if (tries === null || busy === null) return null;
  const times = [...knew.values()].map(({ at }) => at);
  const beside = (end: (...times: number[]) => number): Beside => ({
    ms: end(...times),
    alone: rangeOf(tries.map(({ elected }) => end(...elected.values()))),
  });
  const count = traffic.find(({ of }) => of === "elected")?.all.messages ?? null;
  const said = busy.map(({ messages }) => messages).filter((messages) => messages !== null);
  const isSilent = said.length === busy.length;
  return {
    first: beside(Math.min),
    last: beside(Math.max),
    messages: count === null || worth === null || !isSilent ? null : { count, alone: rangeOf(said) },
  };
}

/** As the scores of that round were compared: by how many each was better. */
function worthOf(
  { candidates }: Election,
  oracle: Pick<Oracle, "compare">,
): NonNullable<Succession["worth"]> {
  const better = new Map(
    candidates.map(({ server, score }) => [
      server,
      candidates.filter((other) => oracle.compare(score, other.score) > 0).length,
    ]),
  );
  return (server) => better.get(server) ?? 0;
}

const rangeOf = (numbers: readonly number[]): Range => ({
  least: Math.min(...numbers),
  most: Math.max(...numbers),
});
