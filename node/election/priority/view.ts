/**
 * What one member knows of the layout, and what it asks to know more.
 *
 * Whom it watches decides what a change costs. Lean: everybody follows `elected` and `current` and one other
 * member, the next lower; only the elector, who is the least, is told of all members and of the policy. All:
 * everybody is told of everything, as the algorithm was published.
 */

import type { Answer } from "../../core/service.ts";
import type { Instant } from "../../core/time.ts";
import type { Coordination } from "../../wire/client/coordination.ts";
import { ERRORS } from "../../wire/client/error.ts";
import { EVENT_TYPES, type WatchEvent } from "../../wire/client/watch.ts";
import { type Standing, standingsOf } from "../medium/standing.ts";
import { below } from "../medium/way.ts";
import { Found } from "./found.ts";
import {
  type Description,
  describedAs,
  type Layout,
  readCurrent,
  readDescription,
  readElected,
  readLast,
  readPolicy,
} from "./layout.ts";

type Question = Coordination["question"];

export type Watching = "lean" | "all";

const FOLLOWED = ["elected", "current", "policy", "last"] as const;
type Followed = (typeof FOLLOWED)[number];

/** Numbers of questions, below `FIRST_FREE`. */
const READS = ["list", "before", "nodes", "leader", "described", ...FOLLOWED] as const;
type Read = (typeof READS)[number];
export const FIRST_FREE = READS.length;

export interface Ask {
  readonly id: number;
  readonly question: Question;
}

export class View {
  readonly layout: Layout;
  readonly #watching: Watching;
  readonly elected;
  readonly current;
  readonly policy;
  readonly last;
  /** Descriptions that were read; null where there is none that can be. */
  readonly descriptions = new Map<string, Description | null>();
  /** Whoever stands, in the order in which they came. */
  standings: readonly Standing[] = [];
  /** It is the least of them. */
  isElector = false;
  #own = "";
  #before: string | null = null;
  #lists = 0;
  #others = 0;
  readonly #describing: (readonly string[])[] = [];
  #asks: Ask[] = [];

  constructor(layout: Layout, watching: Watching) {
    this.layout = layout;
    this.#watching = watching;
    this.elected = new Found(layout.elected, readElected);
    this.current = new Found(layout.current, readCurrent, {
      isAnnounced: watching === "all",
    });
    this.policy = new Found(layout.policy, readPolicy);
    // It changes with `current` only.
    this.last = new Found(layout.last, readLast, { isAnnounced: true, watch: false });
  }

  /** Nothing is under way: it is as the service was at one time, or was told since. */
  get isWhole(): boolean {
    const pending = FOLLOWED.some((name) => this[name].isPending);
    return !pending && this.#lists + this.#others + this.#describing.length === 0;
  }

  /** Nobody ever stood here: others made only part of what is needed. */
  get isUnmade(): boolean {
    return this.elected.state.kind === "absent" && this.last.state.kind === "absent";
  }

  get isStanding(): boolean {
    return this.standings.some(({ name }) => name === this.#own);
  }

  take(): readonly Ask[] {
    const asks = this.#asks;
    this.#asks = [];
    return asks;
  }

  forget(): void {
    for (const name of FOLLOWED) this[name].forget();
    this.descriptions.clear();
    this.standings = [];
    this.isElector = false;
    this.#before = null;
    this.#lists = this.#others = 0;
    this.#describing.length = 0;
    this.#asks = [];
  }

  /** It stands under this name, and reads. */
  begin(own: string): void {
    this.#own = own;
    if (this.#watching === "all") {
      this.#look("nodes", { kind: "getChildren", path: this.layout.nodes, watch: true });
      this.#look("leader", { kind: "getChildren", path: this.layout.leader, watch: true });
    }
    this.again();
  }

  /** Reads once more what counts. */
  again(): void {
    this.#list();
    this.#follow("elected");
    this.#follow("current");
    if (this.isElector) this.#followAll();
  }

  /** What nobody tells of: scores may have changed, and what was spoilt may be mended. */
  review(): void {
    this.descriptions.clear();
    this.#describe();
    if (this.last.isSpoilt) this.#follow("last");
  }

  told({ path, type }: WatchEvent): void {
    const { layout } = this;
    const isGone = type === EVENT_TYPES.deleted;
    if (path === layout.election || path === this.#before) return this.#list();
    if (path === layout.nodes) return this.#look("nodes", { kind: "getChildren", path, watch: true });
    if (path === layout.leader) return this.#look("leader", { kind: "getChildren", path, watch: true });
    const name = FOLLOWED.find((each) => layout[each] === path);
    if (name === undefined) return;
    if (!isGone) return this.#follow(name);
    for (const question of this[name].gone()) this.#ask(name, question);
  }

  /** What was asked is answered; an error that says more than that a znode is not there. */
  answered(id: number, answer: Answer<Coordination>, now: Instant): { error: number; path: string } | null {
    const read = READS[id] as Read;
    const name = FOLLOWED.find((each) => each === read);
    if (name === undefined) this.#count(read, -1);
    else for (const question of this[name].answered(answer, now)) this.#ask(name, question);
    if (answer.kind === "refused") return this.#refused(read, answer.error);
    if (answer.kind === "unknown") return null;
    const { reply } = answer;
    if (read === "list" && reply.kind === "getChildren") this.#listed(reply.names);
    if (read === "leader" && reply.kind === "getChildren") this.#follow("current");
    if (read === "described" && reply.kind === "multiRead") {
      const asked = this.#describing.shift() ?? [];
      for (const [at, standing] of asked.entries()) {
        const result = reply.results[at];
        this.descriptions.set(standing, result?.kind === "getData" ? readDescription(result.data) : null);
      }
    }
    // Who is ready writes both.
    if (read === "current" && this.isElector && this.current.value?.status === "READY") this.#follow("last");
    return null;
  }

  #refused(read: Read, error: number): { error: number; path: string } | null {
    if (read === "described") this.#describing.shift();
    if (read === "before" && error === ERRORS.noNode) this.#list();
    const isExpected = error === ERRORS.noNode && read !== "list" && read !== "nodes" && read !== "leader";
    return isExpected ? null : { error, path: this.#pathOf(read) };
  }

  #pathOf(read: Read): string {
    const { layout } = this;
    if (read === "list" || read === "before") return layout.election;
    return read === "described" ? layout.nodes : layout[read];
  }

  #listed(names: readonly string[]): void {
    this.standings = standingsOf(names).filter(({ owner }) => owner !== null);
    const at = this.standings.findIndex(({ name }) => name === this.#own);
    if (at < 0) return;
    if (at === 0 && !this.isElector) {
      this.isElector = true;
      this.#followAll();
      // From now on it is told of all.
      if (this.#watching === "lean") return this.#list();
    }
    if (this.isElector) return this.#describe();
    if (this.#watching === "all") return;
    this.#before = below(this.layout.election, this.standings[at - 1]?.name ?? "");
    this.#look("before", { kind: "exists", path: this.#before, watch: true });
  }

  /** Those who came since. */
  #describe(): void {
    const names = this.standings.map(({ name }) => name);
    for (const known of this.descriptions.keys()) {
      if (!names.includes(known)) this.descriptions.delete(known);
    }
    const asked = [...this.#describing.flat(), ...this.descriptions.keys()];
    const missing = names.filter((name) => !asked.includes(name));
    for (let at = 0; at < missing.length; at += AT_ONCE) {
      const some = missing.slice(at, at + AT_ONCE);
      this.#describing.push(some);
      const operations = some.map((name) => {
        const path = below(this.layout.nodes, describedAs(name));
        return { kind: "getData", path, watch: false } as const;
      });
      this.#ask("described", { kind: "multiRead", operations });
    }
  }

  #list(): void {
    // What is answered after an event shows what the event told.
    if (this.#lists > 0) return;
    const watch = this.isElector || this.#watching === "all";
    this.#look("list", { kind: "getChildren", path: this.layout.election, watch });
  }

  #followAll(): void {
    this.#follow("policy");
    this.#follow("last");
  }

  #follow(name: Followed): void {
    this.#ask(name, this[name].look());
  }

  #look(read: Read, question: Question): void {
    this.#count(read, 1);
    this.#ask(read, question);
  }

  #count(read: Read, by: number): void {
    if (read === "list") this.#lists += by;
    else if (read !== "described") this.#others += by;
  }

  #ask(read: Read, question: Question): void {
    this.#asks.push({ id: READS.indexOf(read), question });
  }
}

/** Descriptions in one journey. */
const AT_ONCE = 100;
