/**
 * How a client wants to behave, as values: at what pace it asks, where it goes when it has lost its server,
 * and what it does of its own accord. A load, a tester and a person's program differ in nothing else.
 */

import type { Random } from "../core/random.ts";
import { type Duration, milliseconds, seconds } from "../core/time.ts";
import type { Auth } from "../wire/client/access.ts";

/** Where to go on, of servers that are called by their place in a list, best first. */
export type Order =
  /** Always the same server. */
  | { readonly kind: "fixed" }
  /** One after the other, round and round. */
  | { readonly kind: "next" }
  /** Whoever lost its server begins with the best of the others; whoever found none goes on to the next. */
  | { readonly kind: "nearest first" }
  /** All of them once, in an order that is drawn for each round. */
  | { readonly kind: "shuffled"; readonly random: Random };

export type Pace =
  /** Whatever is asked goes out at once. */
  | { readonly kind: "open" }
  /** The next when the last is answered. */
  | { readonly kind: "closed" }
  /** So many at most are under way. */
  | { readonly kind: "window"; readonly underWay: number };

export interface Policy {
  /** What the session's timeout should be; a server may grant another. */
  readonly timeout: Duration;
  /** For how long a server is tried that takes a connection and then gives no session. */
  readonly patience: Duration;
  readonly order: Order;
  /** The first server that is tried, as its place in the list. */
  readonly first: number;
  /** Before all servers are tried once more. */
  readonly pause: Duration;
  readonly pace: Pace;
  /**
   * Requests whose connection ended before they were answered: told as lost, or those that change nothing
   * asked again at the next server.
   */
  readonly retry: "never" | "reads";
  /** After a lost connection; and after the session has expired, with a new one. */
  readonly reconnect: "by itself" | "when told";
  readonly afterExpiry: "begin anew" | "end";
  /** Watches are set again at the next server. */
  readonly watches: "kept" | "left";
  /** A ping after a third of the timeout in which nothing was said; silence for two thirds is the end. */
  readonly pings: "by itself" | "when asked";
  /** Shown at every connection. */
  readonly auth: readonly Auth[];
  /** A server that is cut off from the others will do. */
  readonly readOnly: boolean;
}

/** As ZooKeeper's own clients behave, but for the random pauses. */
export const ORDINARY: Policy = {
  timeout: seconds(10),
  patience: seconds(3),
  order: { kind: "next" },
  first: 0,
  pause: milliseconds(50),
  pace: { kind: "open" },
  retry: "never",
  reconnect: "by itself",
  afterExpiry: "begin anew",
  watches: "kept",
  pings: "by itself",
  auth: [],
  readOnly: false,
};

export function windowOf(pace: Pace): number {
  if (pace.kind === "window") return pace.underWay;
  return pace.kind === "closed" ? 1 : Infinity;
}

/** Gives the server to go on at, one attempt after the other. */
export class Places {
  readonly #order: Order;
  readonly #count: number;
  #round: number[] = [];
  #at: number;

  constructor(order: Order, count: number, first: number) {
    this.#order = order;
    this.#count = count;
    this.#at = first % count;
    if (order.kind === "shuffled") this.#next();
  }

  get at(): number {
    return this.#at;
  }

  /** The connection there is over; `wasOpen`, if there was a session on it. */
  left(wasOpen: boolean): void {
    switch (this.#order.kind) {
      case "fixed":
        break;
      case "nearest first":
        if (wasOpen && this.#at !== 0) this.#at = 0;
        else this.#at = (this.#at + 1) % this.#count;
        break;
      default:
        this.#next();
    }
  }

  go(to: number): void {
    this.#at = to % this.#count;
  }

  #next(): void {
    if (this.#order.kind !== "shuffled") {
      this.#at = (this.#at + 1) % this.#count;
      return;
    }
    if (this.#round.length === 0) {
      this.#round = this.#order.random.shuffle(Array.from({ length: this.#count }, (_, place) => place));
    }
    this.#at = this.#round.pop() ?? 0;
  }
}
