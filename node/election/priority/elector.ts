/**
 * What the elector writes: who shall lead, for as long as it stands itself and nobody wrote since it read.
 */

import type { Instant } from "../../core/time.ts";
import type { Facts } from "../../telemetry/facts.ts";
import type { Coordination } from "../../wire/client/coordination.ts";
import type { MultiOperation } from "../../wire/client/multi.ts";
import { below, creation } from "../medium/way.ts";
import { decide, type Decision, type Rules, type Situation } from "./decide.ts";
import { type Elected, idOf, NEVER, NO_POLICY, NOBODY, printed } from "./layout.ts";
import type { PriorityMutant } from "./protocol.ts";
import type { Candidate } from "./strategy.ts";
import type { View } from "./view.ts";

type Question = Coordination["question"];

export type Evaluation =
  | { readonly kind: "write"; readonly question: Question; readonly facts: Facts }
  | { readonly kind: "wait"; readonly until: Instant | null }
  /** When something happened cannot be told before the service's clock is known. */
  | { readonly kind: "ask for the time" }
  | { readonly kind: "tell"; readonly facts: Facts };

export class Elector {
  readonly #view: View;
  readonly #rules: Rules;
  readonly #mutant: PriorityMutant | null;
  /** Only where it is a mistake. */
  #remembered: readonly string[] = [];

  constructor(view: View, rules: Rules, mutant: PriorityMutant | null) {
    this.#view = view;
    this.#rules = rules;
    this.#mutant = mutant;
  }

  /** `offset`: the service's clock minus its own, in milliseconds; null: not known. */
  evaluate(own: string, offset: number | null, now: Instant): Evaluation {
    const { layout } = this.#view;
    const flaw = this.#flaw();
    if (flaw !== null) return { kind: "tell", facts: { name: "is spoilt", ...flaw } };
    const situation = this.#situation(offset);
    if (situation === null) return { kind: "wait", until: null };
    try {
      return this.#carryOut(own, situation, decide(this.#asSeen(situation), this.#rules, now));
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      const todo = "mend the strategy, of all members: nobody else is elected before";
      return { kind: "tell", facts: { name: "has a strategy that fails", path: layout.elected, why, todo } };
    }
  }

  #carryOut(own: string, situation: Situation, decision: Decision): Evaluation {
    const { layout } = this.#view;
    switch (decision.kind) {
      case "keep":
        return { kind: "wait", until: decision.until };
      case "ask for the time":
        return decision;
      case "nobody":
        return {
          kind: "tell",
          facts: {
            name: "finds nobody to lead",
            path: layout.policy,
            why: decision.why,
            todo: decision.todo,
          },
        };
      case "evict": {
        const write = this.#write(own, situation.term, decision.elected);
        const operations: MultiOperation[] = [
          ...write,
          { kind: "delete", path: layout.current, version: -1 },
        ];
        const old = idOf(situation.current?.value.member ?? "");
        return {
          kind: "write",
          question: { kind: "multi", operations },
          facts: { name: "puts out", member: old, term: situation.term },
        };
      }
      case "elect": {
        const { elected, why } = decision;
        const leader = elected.member === null ? null : idOf(elected.member);
        return {
          kind: "write",
          question: { kind: "multi", operations: this.#write(own, situation.term, elected) },
          facts: { name: "elects", leader, why, excluded: elected.excluded.map(idOf) },
        };
      }
    }
  }

  #write(own: string, term: number, decided: Elected): MultiOperation[] {
    const { layout, current, policy } = this.#view;
    const elected = this.#asWritten(decided);
    const path = layout.elected;
    // It stands, and what it has read of these is so still.
    const read = [current, policy].filter(({ state }) => state.kind === "there");
    const standing: MultiOperation[] = [
      { kind: "check", path: below(layout.election, own), version: -1 },
      ...read.map((each) => ({ kind: "check", path: each.path, version: each.version }) as const),
    ];
    if (this.#mutant === "elected-anew") {
      const anew = creation(path, "persistent", printed(elected), layout.acl);
      return [...standing, { kind: "delete", path, version: -1 }, anew];
    }
    const version = this.#mutant === "elected-unchecked" ? -1 : term;
    return [...standing, { kind: "setData", path, data: printed(elected), version }];
  }

  /** Null where nothing is known yet. */
  #situation(offset: number | null): Situation | null {
    const { elected, current, last, policy, standings, descriptions } = this.#view;
    const [shall, is] = [elected.value, current.value];
    if (shall === null) return null;
    const [since, isSince] = [elected.dated(shall, offset), is === null ? null : current.dated(is, offset)];
    if (since === null) return null;
    const candidates = standings.flatMap(({ name }): Candidate[] => {
      const description = descriptions.get(name) ?? null;
      return description === null ? [] : [{ member: name, id: idOf(name), ...description }];
    });
    return {
      candidates,
      standing: standings.map(({ name }) => name),
      elected: since,
      term: elected.version,
      current: isSince,
      last: last.value ?? NEVER,
      policy: policy.value ?? NO_POLICY,
    };
  }

  #flaw(): { path: string; todo: string } | null {
    const { elected, current, last, policy, layout } = this.#view;
    for (const { path, isSpoilt } of [elected, current, last, policy]) {
      const todo = path === layout.elected ? SET_ANEW : "delete it";
      if (isSpoilt) return { path, todo: `another program wrote there: ${todo}` };
    }
    if (elected.state.kind === "absent") {
      return { path: layout.elected, todo: `it was deleted: ${CREATE_ANEW}` };
    }
    if (elected.version >= (last.value?.term ?? -1)) return null;
    const todo =
      "it was made anew and terms would fall: set it again until its version is above leader/last's";
    return { path: layout.elected, todo };
  }

  #asSeen(situation: Situation): Situation {
    const { elected, current } = situation;
    switch (this.#mutant) {
      case "exclusions-in-memory": {
        const value = { ...elected.value, excluded: this.#remembered };
        return { ...situation, elected: { ...elected, value } };
      }
      case "one-deadline": {
        const since = current === null ? null : { ...current, since: elected.since };
        const value = { ...elected.value, handover: false };
        // Whoever is elected is late, whatever `current` says.
        const isReady = current?.value.status === "READY" && current.value.member === elected.value.member;
        return { ...situation, elected: { ...elected, value }, current: isReady ? since : null };
      }
      case "never-keeps":
        return current?.value.status === "READY"
          ? { ...situation, elected: NOBODY_AT(elected.since) }
          : situation;
      case "never-rests":
        return {
          ...situation,
          elected: { ...elected, value: { ...elected.value, rounds: Number.NEGATIVE_INFINITY } },
        };
      default:
        return situation;
    }
  }

  #asWritten(elected: Elected): Elected {
    if (this.#mutant === "never-rests") return { ...elected, rounds: 0 };
    if (this.#mutant !== "exclusions-in-memory") return elected;
    this.#remembered = elected.excluded;
    return { ...elected, excluded: [] };
  }
}

/** What people write to begin anew; who deletes `elected` ends its terms. */
const ANEW = JSON.stringify(NOBODY);
export const SET_ANEW = `set it to ${ANEW}, and never delete it`;
export const CREATE_ANEW =
  `create it as ${ANEW}, ` + "and set it until its version is above the term in leader/last";

const NOBODY_AT = (since: Instant | null) => ({
  value: NOBODY,
  since,
});
