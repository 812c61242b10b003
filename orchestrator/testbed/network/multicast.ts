/**
 * Is multicast lost as asked? For each receiver by itself, for all at once, or both: that shows in how often
 * two receivers miss the same message. At a loss of a tenth that is every hundredth message where each draws
 * for itself, and every tenth where the loss is shared.
 */

import type { LinkShape, MulticastLoss } from "../../topology/topology.ts";
import type { Machine } from "../infrastructure/infrastructure.ts";
import { mean } from "../../statistics/summary.ts";
import { percent } from "./fidelity.ts";
import type { Multicasts } from "./probe/survey.ts";

export interface MulticastJudged {
  readonly messages: number;
  /** To a receiver, of all that were to get a message. */
  readonly lost: Share;
  /** To both of two receivers; null where no message has two. */
  readonly together: Share | null;
  /** Empty when all is as asked. */
  readonly faults: readonly string[];
}

export interface Share {
  readonly asked: number;
  readonly achieved: number;
}

export function judgeMulticast(
  seen: readonly Multicasts[],
  machines: readonly Machine[],
  asked: (from: string, to: string) => LinkShape,
  multicastLoss: MulticastLoss,
): MulticastJudged {
  const [lost, together] = [new Shares(), new Shares()];
  const receivers = machines.length - 1;
  for (const { from, missed } of seen) {
    const sender = machines[from];
    const losses = machines
      .filter((machine) => machine !== sender)
      .map((machine) => asked(sender?.name ?? "", machine.name).loss);
    lost.ask(missed.length, mean(losses));
    for (const { length } of missed) lost.see(length / receivers);
    if (receivers < 2) continue;
    together.ask(missed.length, mean(pairsOf(losses).map(([a, b]) => bothLose(a, b, multicastLoss))));
    for (const { length } of missed) together.see((length * (length - 1)) / (receivers * (receivers - 1)));
  }
  const faults = [
    ...lost.faults("to a receiver"),
    ...(receivers < 2 ? [] : together.faults("to two receivers at once")),
  ];
  return {
    messages: lost.messages,
    lost: lost.mean(),
    together: receivers < 2 ? null : together.mean(),
    faults,
  };
}

/** What two ways lose of the same messages, one that loses `a` and one that loses `b`. */
export function bothLose(a: number, b: number, multicastLoss: MulticastLoss): number {
  const shared = multicastLoss === "independent" ? 0 : multicastLoss === "shared" ? 1 : multicastLoss;
  const own = (loss: number): number => (shared < 1 ? Math.max(0, (loss - shared) / (1 - shared)) : 0);
  return Math.min(shared, a, b) + (1 - shared) * own(a) * own(b);
}

/** A share of each message's receivers, asked and seen, over all messages. */
class Shares {
  messages = 0;
  #asked = 0;
  #seen = 0;

  ask(messages: number, share: number): void {
    this.messages += messages;
    this.#asked += messages * share;
  }

  see(share: number): void {
    this.#seen += share;
  }

  mean(): Share {
    return { asked: this.#asked / this.messages, achieved: this.#seen / this.messages };
  }

  /** No share of something varies more than one that is always nothing or all. */
  faults(to: string): string[] {
    const { asked, achieved } = this.mean();
    const chance = 4 * Math.sqrt((asked * (1 - asked)) / this.messages) + (asked > 0 ? 1 / this.messages : 0);
    if (Math.abs(achieved - asked) <= chance) return [];
    return [`of multicasts ${percent(achieved)} are lost ${to} instead of ${percent(asked)}`];
  }
}

const pairsOf = (values: readonly number[]): readonly (readonly [number, number])[] =>
  values.flatMap((a, index) => values.slice(index + 1).map((b) => [a, b] as const));
