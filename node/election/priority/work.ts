/**
 * One member as candidate and leader: it claims `current` when it is elected, takes over, says READY, leads,
 * and gives up when another is elected.
 *
 * Whatever it writes holds only while `elected` still has the version that it read, so nothing that comes
 * late does harm: not a claim of an earlier term, and not the end of its own `current` when its place was
 * given away.
 */

import type { Coordination } from "../../wire/client/coordination.ts";
import { ERRORS } from "../../wire/client/error.ts";
import type { MultiOperation } from "../../wire/client/multi.ts";
import { creation } from "../medium/way.ts";
import { type Current, idOf, type Layout, printed } from "./layout.ts";
import type { PriorityMutant, PriorityOutput } from "./protocol.ts";
import type { View } from "./view.ts";

type Question = Coordination["question"];

export type Phase =
  | { readonly kind: "idle" }
  /** `isAsked`: READY is under way. */
  | { readonly kind: "taking"; readonly term: number; readonly isAsked: boolean }
  | { readonly kind: "leading"; readonly term: number }
  | { readonly kind: "stopping" };

/** What is to be written, or told. */
export type Deed =
  | {
      readonly kind: "write";
      readonly write: "claim" | "ready" | "failed" | "drop";
      readonly question: Question;
    }
  | { readonly kind: "tell"; readonly output: PriorityOutput }
  | { readonly kind: "lead"; readonly term: number };

const IDLE: Phase = { kind: "idle" };
const NONE: readonly Deed[] = [];

export class Work {
  readonly #layout: Layout;
  readonly #view: View;
  readonly #mutant: PriorityMutant | null;
  #phase: Phase = IDLE;
  /** The term in which it could not take over. */
  #failedIn = -1;
  /** A write is under way. */
  #isWriting = false;
  /** Somebody deleted `last`, and who is ready makes it anew. */
  #lacksLast = false;

  constructor(layout: Layout, view: View, mutant: PriorityMutant | null) {
    this.#layout = layout;
    this.#view = view;
    this.#mutant = mutant;
  }

  get isIdle(): boolean {
    return this.#phase.kind === "idle";
  }

  get isLeading(): boolean {
    return this.#phase.kind === "leading";
  }

  /** Its connection is lost: what it wrote is known when there is another. */
  suspended(reason: string): readonly Deed[] {
    this.#isWriting = false;
    if (this.#mutant === "leads-suspended") return NONE;
    return this.stop(reason);
  }

  stop(reason: string): readonly Deed[] {
    const phase = this.#phase;
    if (phase.kind !== "taking" && phase.kind !== "leading") return NONE;
    this.#phase = { kind: "stopping" };
    if (phase.kind === "leading") return [tell({ kind: "deposed", reason })];
    return [tell({ kind: "abandon", term: phase.term, reason })];
  }

  /** What it did has ended. */
  stopped(): void {
    if (this.#phase.kind === "stopping") this.#phase = IDLE;
  }

  ready(term: number, own: string, site: string): readonly Deed[] {
    const phase = this.#phase;
    if (phase.kind !== "taking" || phase.term !== term || phase.isAsked) return NONE;
    this.#phase = { ...phase, isAsked: true };
    const { current, last } = this.#layout;
    const data = printed({ term, id: idOf(own), site });
    const write = this.#write("ready", term, [
      setData(current, printed({ member: own, term, status: "READY" })),
      this.#lacksLast ? creation(last, "persistent", data, this.#layout.acl) : setData(last, data),
    ]);
    return this.#mutant === "acts-before-ready" ? [...this.#lead(term), write] : [write];
  }

  failed(term: number, own: string): readonly Deed[] {
    const phase = this.#phase;
    if (phase.kind !== "taking" || phase.term !== term) return NONE;
    this.#phase = IDLE;
    this.#failedIn = term;
    const failed = printed({ member: own, term, status: "FAILED" });
    return [this.#write("failed", term, [setData(this.#layout.current, failed)])];
  }

  /** A write was answered. */
  written(write: string, error: number, own: string): readonly Deed[] {
    this.#isWriting = false;
    const phase = this.#phase;
    const isDone = error === ERRORS.ok;
    if (write === "claim" && !isDone && this.#mutant === "spins")
      return [this.#claim(own, this.#view.elected.version)];
    if (write !== "ready" || phase.kind !== "taking") return NONE;
    if (isDone) return this.#lead(phase.term);
    this.#lacksLast = error === ERRORS.noNode;
    this.#phase = { ...phase, isAsked: false };
    return this.stop("its term is over");
  }

  /** What is known is whole: what follows for a member that stands as `own`. */
  look(own: string): readonly Deed[] {
    const { elected, current } = this.#view;
    const term = elected.version;
    const isElected = this.#isOwn(elected.value?.member ?? null, own);
    const isMine = current.value?.member === own;
    const phase = this.#phase;
    if (phase.kind === "taking" || phase.kind === "leading") {
      if (this.#mutant === "not-undone" && phase.kind === "taking") return NONE;
      if (!isElected || term !== phase.term) return this.stop("another was elected");
      return isMine ? NONE : this.stop("its place was taken from it");
    }
    if (phase.kind === "stopping" || this.#isWriting) return NONE;
    if (isMine && current.value !== null) return this.#own(current.value, isElected, term);
    if (!isElected || term === this.#failedIn) return NONE;
    if (current.state.kind === "absent" || this.#mutant === "spins") return [this.#claim(own, term)];
    return NONE;
  }

  /** `current` is its own. */
  #own(current: Current, isElected: boolean, term: number): readonly Deed[] {
    if (isElected && current.term === term) {
      if (current.status === "FAILED") return NONE;
      // It was away, and others must not wait for one that may not come to lead again.
      if (current.status === "READY") return [this.#progress(current.member, term)];
      this.#phase = { kind: "taking", term, isAsked: false };
      const previous = this.#view.elected.value?.previous ?? null;
      return [tell({ kind: "take over", term, previous })];
    }
    // Whether it may is told by what is not there: it waits until somebody makes that again.
    if (this.#view.elected.state.kind !== "there") return NONE;
    return [this.#write("drop", term, [{ kind: "delete", path: this.#layout.current, version: -1 }])];
  }

  #progress(own: string, term: number): Deed {
    const data = printed({ member: own, term, status: "PROGRESS" });
    return this.#write("claim", term, [setData(this.#layout.current, data)]);
  }

  #claim(own: string, term: number): Deed {
    const data = printed({ member: own, term, status: "PROGRESS" });
    return this.#write("claim", term, [creation(this.#layout.current, "ephemeral", data, this.#layout.acl)]);
  }

  #lead(term: number): readonly Deed[] {
    this.#phase = { kind: "leading", term };
    return [{ kind: "lead", term }];
  }

  #write(
    write: "claim" | "ready" | "failed" | "drop",
    term: number,
    operations: readonly MultiOperation[],
  ): Deed {
    this.#isWriting = true;
    const isUnchecked =
      write === "drop" ? this.#mutant === "drops-unchecked" : this.#mutant === "term-unchecked";
    const check = { kind: "check", path: this.#layout.elected, version: term } as const;
    const all = isUnchecked ? operations : [check, ...operations];
    return { kind: "write", write, question: { kind: "multi", operations: all } };
  }

  #isOwn(member: string | null, own: string): boolean {
    if (member === null || this.#mutant !== "member-by-id") return member === own;
    return idOf(member) === idOf(own);
  }
}

const tell = (output: PriorityOutput): Deed => ({ kind: "tell", output });

const setData = (path: string, data: Uint8Array): MultiOperation => ({
  kind: "setData",
  path,
  data,
  version: -1,
});
