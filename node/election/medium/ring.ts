/**
 * The medium `ring`: every server passes on to the next one that is connected, in an order that is an option.
 *
 * Underneath is the complete network of `peers`; who is connected is in the ring, and when somebody is
 * unreachable the ring closes around the gap. An election over the ring hears who joined and left and when
 * its neighbours changed; it passes on to its successor, back to its predecessor, or says something aside to
 * one server, as an answer does to who comes late. Its obligations are the numbered sentences of
 * `ring-contract.ts`; as all of it is computed here, whatever hosts peers hosts rings.
 */

import { assert, unreachable } from "../../core/assert.ts";
import type { Automaton, Effect, Input, Protocol } from "../../core/automaton.ts";
import type { ServerId } from "../../core/identity.ts";
import type { Instant } from "../../core/time.ts";
import type { ElectionProtocol } from "../election.ts";
import { flawOfOrder, type Order } from "../options.ts";

/** How a message came or goes: to the successor, to the predecessor, or outside of the ring's order. */
export type Way = "on" | "back" | "aside";

/** A ring's message among peers. With two servers both neighbours are one: the way tells which is meant. */
export interface RingMessage<Message> {
  readonly way: Way;
  readonly message: Message;
}

/** What a ring's election says, as it goes among peers. */
export interface OverPeers<P extends Protocol> extends Protocol {
  readonly message: RingMessage<P["message"]>;
  readonly timer: P["timer"];
  readonly request: P["request"];
  readonly output: P["output"];
}

type Received = "message" | "connected" | "unreachable";

export type RingInput<P extends Protocol> =
  | Exclude<Input<P>, { readonly kind: Received }>
  | {
      readonly kind: "message";
      readonly from: ServerId;
      readonly way: Way;
      readonly message: P["message"];
    }
  /** `members`: this server, then the others in the direction of travel. */
  | {
      readonly kind: "joined" | "left";
      readonly server: ServerId;
      readonly members: readonly ServerId[];
    }
  /** Who it is now; null when this server is alone. Comes after the `joined` or `left` that changed it. */
  | {
      readonly kind: "successor changed" | "predecessor changed";
      readonly server: ServerId | null;
    };

export type RingEffect<P extends Protocol> =
  | Exclude<Effect<P>, { readonly kind: "send" }>
  | { readonly kind: "pass on" | "pass back"; readonly message: P["message"] }
  | { readonly kind: "tell"; readonly to: ServerId; readonly message: P["message"] };

/** The same kind of value as an automaton over peers, with these inputs and effects. */
export interface RingAutomaton<P extends Protocol> {
  step(input: RingInput<P>, now: Instant): readonly RingEffect<P>[];
}

export type RingElection<Message> = RingAutomaton<ElectionProtocol<Message>>;

export interface RingPlace {
  readonly self: ServerId;
  readonly servers: readonly ServerId[];
  readonly order: Order;
}

/** Makes of an automaton over a ring one over peers. */
export class Ring<P extends Protocol> implements Automaton<OverPeers<P>> {
  readonly #automaton: RingAutomaton<P>;
  /** The whole ring in the direction of travel, beginning with this server. */
  readonly #ring: readonly ServerId[];
  readonly #connected: Set<ServerId>;
  #members: readonly ServerId[];

  /** `connected` goes on from where another copy of this server was. */
  constructor(
    { self, servers, order }: RingPlace,
    automaton: RingAutomaton<P>,
    connected: Iterable<ServerId> = [],
  ) {
    const flaw = flawOfOrder(order, servers);
    assert(flaw === null, () => `an order of a ring: ${flaw}`);
    this.#automaton = automaton;
    const all = order === "ids" ? servers : order;
    const at = all.indexOf(self);
    this.#ring = [...all.slice(at), ...all.slice(0, at)];
    this.#connected = new Set(connected);
    this.#members = this.#joined();
  }

  get connected(): readonly ServerId[] {
    return this.#members.slice(1);
  }

  step(input: Input<OverPeers<P>>, now: Instant): readonly Effect<OverPeers<P>>[] {
    switch (input.kind) {
      case "connected":
        this.#connected.add(input.server);
        return this.#reshape("joined", input.server, now);
      case "unreachable":
        this.#connected.delete(input.server);
        return this.#reshape("left", input.server, now);
      case "message": {
        const { from } = input;
        return this.#ask({ kind: "message", from, ...input.message }, now);
      }
      default:
        return this.#ask(input, now);
    }
  }

  #reshape(kind: "joined" | "left", server: ServerId, now: Instant): readonly Effect<OverPeers<P>>[] {
    const [successor, predecessor] = [this.#successor, this.#predecessor];
    this.#members = this.#joined();
    const effects = [...this.#ask({ kind, server, members: this.#members }, now)];
    if (this.#successor !== successor)
      effects.push(...this.#ask({ kind: "successor changed", server: this.#successor }, now));
    if (this.#predecessor !== predecessor)
      effects.push(...this.#ask({ kind: "predecessor changed", server: this.#predecessor }, now));
    return effects;
  }

  #joined(): readonly ServerId[] {
    return this.#ring.filter((member, at) => at === 0 || this.#connected.has(member));
  }

  get #successor(): ServerId | null {
    return this.#members[1] ?? null;
  }

  get #predecessor(): ServerId | null {
    return this.#members.length > 1 ? (this.#members.at(-1) ?? null) : null;
  }

  #ask(input: RingInput<P>, now: Instant): readonly Effect<OverPeers<P>>[] {
    return this.#automaton.step(input, now).flatMap((effect) => this.#outward(effect));
  }

  #outward(effect: RingEffect<P>): readonly Effect<OverPeers<P>>[] {
    switch (effect.kind) {
      case "pass on":
        return send(this.#successor, "on", effect.message);
      case "pass back":
        return send(this.#predecessor, "back", effect.message);
      case "tell":
        return send(effect.to, "aside", effect.message);
      case "arm":
      case "disarm":
      case "append":
      case "close":
      case "output":
        return [effect];
      default:
        return unreachable(effect);
    }
  }
}

/** To nobody, when this server is alone. */
const send = <P extends Protocol>(
  to: ServerId | null,
  way: Way,
  message: P["message"],
): readonly Effect<OverPeers<P>>[] =>
  to === null ? [] : [{ kind: "send", to: [to], message: { way, message } }];
