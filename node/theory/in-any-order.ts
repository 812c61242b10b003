/**
 * Processes without any time: of all links on which something is under way one is chosen by chance,
 * and its first message arrives. Whoever looks for a leader by itself begins at such a moment too. Any order
 * of events that an asynchronous network may have can come of it, as far as links keep theirs.
 */

import { AssertionError, unreachable } from "../core/assert.ts";
import type { Random } from "../core/random.ts";
import type { Cast } from "./in-step.ts";
import { Ledger } from "./ledger.ts";
import type { Outcome } from "./outcome.ts";
import type { Effect, Input, Message, Process } from "./process.ts";

/** What is under way to one place by one link, first come first. */
interface Link<M extends Message> {
  readonly to: number;
  readonly inputs: Input<M>[];
}

type Asynchronous<M extends Message> = Pick<
  Cast<M>,
  "processes" | "ids" | "initiators" | "watch" | "most" | "deaths"
>;

/** `quietAt` counts what has arrived. Who dies is dead from the beginning: there is no time for later. */
export function inAnyOrder<M extends Message>(cast: Asynchronous<M>, random: Random): Outcome {
  const { processes, ids, initiators, watch, deaths, most = Infinity } = cast;
  const ledger = new Ledger(ids);
  ledger.undecided -= deaths?.size ?? 0;
  const size = processes.length;
  const link = (to: number): Link<M> => ({ to, inputs: [] });
  const on = processes.map((_, place) => link((place + 1) % size));
  const back = processes.map((_, place) => link((place + size - 1) % size));
  const across = new Map<string, Link<M>>();
  const acrossTo = (from: number, to: number): Link<M> => {
    const known = across.get(`${from} ${to}`) ?? link(to);
    across.set(`${from} ${to}`, known);
    return known;
  };
  const busy: Link<M>[] = initiators.map((to) => ({ to, inputs: [{ kind: "begin" }] }));

  const put = ({ to, inputs }: Link<M>, input: Input<M>): void => {
    inputs.push(input);
    if (inputs.length === 1) busy.push({ to, inputs });
  };
  const carry = (from: number, effect: Effect<M>, now: number): void => {
    switch (effect.kind) {
      case "pass on":
      case "pass back": {
        const way = effect.kind === "pass on" ? "on" : "back";
        ledger.count(effect.message);
        put((way === "on" ? on : back)[from] as Link<M>, {
          kind: "message",
          from,
          way,
          message: effect.message,
        });
        return;
      }
      case "lead":
      case "follow":
        ledger.decide(from, effect, now);
        return;
      case "send":
        for (const to of effect.to) {
          ledger.count(effect.message);
          put(acrossTo(from, to), { kind: "message", from, way: "on", message: effect.message });
        }
        return;
      case "arm":
      case "disarm":
        throw new AssertionError("without time there are no timers");
      default:
        unreachable(effect);
    }
  };

  let arrived = 0;
  while (busy.length > 0) {
    if (arrived > most) return ledger.close(arrived, "given up");
    const index = random.integer(0, busy.length - 1);
    const { to, inputs } = busy[index] as Link<M>;
    const input = inputs.shift() as Input<M>;
    if (inputs.length === 0) {
      busy[index] = busy.at(-1) as Link<M>;
      busy.pop();
    }
    if (deaths?.has(to) === true) continue;
    arrived += 1;
    const effects = (processes[to] as Process<M>).step(input);
    watch?.({ at: arrived, place: to, input, effects });
    for (const effect of effects) carry(to, effect, arrived);
  }
  return ledger.close(arrived, "quiet");
}
