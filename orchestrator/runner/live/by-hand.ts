/**
 * Faults that whoever looks on asks for while the load lasts. Each becomes part of the plan, with its time.
 */

import { monotonic } from "#node/host/monotonic.ts";
import { microseconds } from "#node/core/time.ts";
import { bendsServers, type TimedFault } from "../../fault/fault.ts";
import { parseFault } from "../../fault/words.ts";
import { beyondReach } from "../../plan/fault-terms.ts";
import type { ServicePlan } from "../../plan/plan.ts";
import type { LiveFaults } from "./faults.ts";

/** Carries out a fault, in words without a time; says why not, or null. */
export type Strike = (words: string) => Promise<string | null>;

/** What takes the hand: it is given when the load begins, and taken away when it is over. */
export interface Hand {
  give(strike: Strike): void;
  take(): void;
}

export class FaultsByHand implements Disposable {
  readonly struck: TimedFault[] = [];
  readonly #plan: ServicePlan;
  readonly #faults: LiveFaults;
  readonly #origin: number;
  readonly #hand: Hand | null;

  constructor(plan: ServicePlan, faults: LiveFaults, origin: number, hand: Hand | null) {
    this.#plan = plan;
    this.#faults = faults;
    this.#origin = origin;
    this.#hand = hand;
    hand?.give((words) => this.#strike(words));
  }

  /** As it was in the end. */
  get plan(): ServicePlan {
    const faults = [...this.#plan.faults, ...this.struck].sort((a, b) => a.at - b.at);
    return this.struck.length === 0 ? this.#plan : { ...this.#plan, faults };
  }

  [Symbol.dispose](): void {
    this.#hand?.take();
  }

  async #strike(words: string): Promise<string | null> {
    const { topology, runtime, subject, phases } = this.#plan;
    const at = microseconds(Math.round(monotonic() - this.#origin));
    if (at < 0 || at >= phases.duration) return "faults by hand are taken while the load lasts";
    const asked = parseFault(`0s ${words}`, topology);
    if (typeof asked === "string") return asked;
    if (bendsServers(asked.fault.kind) || asked.fault.kind === "disk-stuck")
      return `${asked.fault.kind}: a plan says it, or no server can do it`;
    const timed = { at, fault: asked.fault };
    const [beyond] = beyondReach({ runtime, system: subject.system, faults: [timed] });
    if (beyond !== undefined) return beyond;
    this.struck.push(timed);
    await this.#faults.strikeByHand(asked.fault, at);
    return null;
  }
}
