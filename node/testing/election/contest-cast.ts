/** Elections of a ring on paper: what they say in a few words, and how often, by kind. */

import type { Duration } from "../../core/time.ts";
import { milliseconds } from "../../core/time.ts";
import { ensemble, type ServerId, serverId } from "../../core/identity.ts";
import type { Mutant } from "../../core/mutant.ts";
import type { ElectionEntry } from "../../election/entry.ts";
import type { ContestMessage, Token } from "../../election/medium/contest-message.ts";
import type { RingMessage } from "../../election/medium/ring.ts";
import type { Order, Schema, Values } from "../../election/options.ts";
import { Rehearsal } from "./rehearsal.ts";
import { type Script, scripted } from "./scripted-judge.ts";

type Says<T extends Token> = RingMessage<ContestMessage<T>>;

export interface RingStage<T extends Token, S extends Schema> {
  readonly entry: ElectionEntry<Says<T>, S>;
  /** In the direction of travel; also who takes part. */
  readonly ring: readonly number[];
  readonly options?: Partial<Values<S>>;
  readonly delay?: (from: ServerId, to: ServerId) => Duration;
  /** Greater is better; all are equal but for their ids, unless told otherwise. */
  readonly score?: (self: ServerId) => Script["score"];
  readonly mutant?: Mutant | null;
}

/** Servers of a ring, none of them started. */
export function rehearse<T extends Token, S extends Schema>({
  entry,
  ring,
  options = {},
  delay = () => milliseconds(1),
  score = () => 0,
  mutant = null,
}: RingStage<T, S>): Rehearsal<Says<T>> {
  const servers = ensemble([...ring].sort((a, b) => a - b));
  const order: Order = ring.map(serverId);
  const usual = Object.entries(entry.options).map(([name, option]) => [name, option.default]);
  const values = { ...Object.fromEntries(usual), ring: order, ...options } as Values<S>;
  return new Rehearsal<Says<T>>({
    say: sayRing,
    servers,
    delay,
    enter: (self) => entry.create({ self, servers, judge: scripted({ score: score(self) }), mutant }, values),
  });
}

const ARROWS = { on: "->", back: "<-", aside: "aside:" } as const;

/** `-> T2 p3 (30) past p3 p1`: a token of round 2; E is elected, R a round; `<-` goes back, aside to one. */
export function sayRing<T extends Token>({ way, message }: Says<T>): string {
  return `${ARROWS[way]} ${sayMessage(message)}`;
}

function sayMessage<T extends Token>(message: ContestMessage<T>): string {
  if (message.kind === "round") return `R${message.round}`;
  if (message.kind === "elected") return `E${message.round} p${message.leader}`;
  const { key, hops: _, met, ...more } = message.token;
  const besides = Object.entries(more).map(([name, value]) => ` ${name} ${String(value)}`);
  const past = met.map((server) => `p${server}`).join(" ");
  return `T${message.round} p${key.server} (${key.score.join(" ")})${besides.join("")} past ${past}`;
}

/** How many messages of each kind the host carried. */
export function carried<T extends Token>({ sent }: Rehearsal<Says<T>>): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { message } of sent) {
    const { kind } = message.message;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** What tokens cost on this ring when nobody fails and all begin at once. */
export function tokensOn<T extends Token, S extends Schema>(
  entry: RingStage<T, S>["entry"],
  ring: readonly number[],
): number {
  const play = rehearse({ entry, ring });
  play.start(milliseconds(0), ...ring.map(serverId)).play(milliseconds(10_000));
  return carried(play)["token"] ?? 0;
}

/** Every ring of 1 to n once: n leads each list, the others in any order. */
export function arrangements(n: number): readonly (readonly number[])[] {
  const orders = (left: readonly number[]): readonly (readonly number[])[] =>
    left.length === 0
      ? [[]]
      : left.flatMap((first, at) => orders(left.toSpliced(at, 1)).map((rest) => [first, ...rest]));
  return orders(Array.from({ length: n - 1 }, (_, index) => index + 1)).map((rest) => [n, ...rest]);
}

/** `7:1 8:3`: how many arrangements cost how much. */
export function spread(costs: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const cost of costs) counts.set(cost, (counts.get(cost) ?? 0) + 1);
  const ascending = [...counts].sort(([a], [b]) => a - b);
  return ascending.map(([cost, count]) => `${cost}:${count}`).join(" ");
}
