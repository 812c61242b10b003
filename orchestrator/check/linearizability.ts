/**
 * Is there an order? A history is linearizable when every operation can be given one moment within its
 * interval such that the operations, taken in the order of these moments, are what the model would do alone.
 *
 * The search is Wing and Gong's (1993) with Lowe's memory (2017): whatever began before the first end may
 * come first; try it, go on without it, come back when no way leads on. Two ways that have placed the same
 * operations and reached the same state need not both be walked. Deciding this is NP-complete, so the search
 * has a budget, counted in steps and not in seconds, so that the same history always gets the same answer.
 */

/** One operation on its interval; `completed` is null when it may take effect at any later time, or never. */
export interface Span<Operation> {
  readonly invoked: number;
  readonly completed: number | null;
  readonly operation: Operation;
}

export interface Model<State, Operation> {
  readonly initial: State;
  /** The state after, or null when the operation could not have ended as it did in this state. */
  apply(state: State, operation: Operation): State | null;
  /** Equal for equal states only. */
  print(state: State): string;
}

export type Answer<Operation> =
  | { readonly kind: "linearizable"; readonly order: readonly Operation[]; readonly steps: number }
  /** However the others are placed, no way leads past `stuck`. */
  | { readonly kind: "impossible"; readonly stuck: Operation; readonly steps: number }
  | { readonly kind: "exhausted"; readonly steps: number };

/** A decision of the search: what was placed, and where to go on when that leads nowhere. */
interface Decision<State> {
  readonly before: State;
  readonly placed: number;
}

export function linearize<State, Operation>(
  spans: readonly Span<Operation>[],
  model: Model<State, Operation>,
  budget: number,
): Answer<Operation> {
  const search = new Search(spans);
  const decisions: Decision<State>[] = [];
  const walked = new Set<string>();
  let state = model.initial;
  let resume = -1;
  let deepest = -1;
  let stuck = 0;
  for (let steps = 0; ; ) {
    if (search.certainLeft === 0) {
      const order = decisions.map(({ placed }) => search.operation(placed));
      return { kind: "linearizable", order, steps };
    }
    const candidate = search.candidateAfter(resume);
    if (candidate === null) {
      if (decisions.length > deepest) [deepest, stuck] = [decisions.length, search.firstToEnd()];
      const last = decisions.pop();
      if (last === undefined) return { kind: "impossible", stuck: search.operation(stuck), steps };
      search.take(last.placed);
      [state, resume] = [last.before, last.placed];
      continue;
    }
    steps += 1;
    if (steps > budget) return { kind: "exhausted", steps: budget };
    resume = candidate;
    const next = model.apply(state, search.operation(candidate));
    if (next === null) continue;
    search.place(candidate);
    const here = `${search.print()} ${model.print(next)}`;
    if (walked.has(here)) {
      search.take(candidate);
      continue;
    }
    walked.add(here);
    decisions.push({ before: state, placed: candidate });
    [state, resume] = [next, -1];
  }
}

/**
 * Which operations are placed, and which may come next. Operations are known by their index: certain ones
 * first, by invocation, then the uncertain ones, by invocation, so that uncertain ones are tried last.
 */
class Search<Operation> {
  readonly #spans: readonly Span<Operation>[];
  readonly #certain: number;
  readonly #placed: Uint8Array;
  /**
   * All certain operations before this one are placed: only what lies beyond it has to be remembered one by
   * one.
   */
  #low = 0;
  readonly #beyond = new Set<number>();
  certainLeft: number;

  constructor(spans: readonly Span<Operation>[]) {
    const byInvocation = [...spans].sort((a, b) => a.invoked - b.invoked);
    const certain = byInvocation.filter(({ completed }) => completed !== null);
    this.#spans = [...certain, ...byInvocation.filter(({ completed }) => completed === null)];
    this.#certain = certain.length;
    this.#placed = new Uint8Array(spans.length);
    this.certainLeft = certain.length;
  }

  operation(index: number): Operation {
    return this.#span(index).operation;
  }

  /**
   * The next operation after `previous` (-1: the first) that may be placed now: it began before any left has
   * ended.
   */
  candidateAfter(previous: number): number | null {
    const end = this.#firstEnd();
    let index = Math.max(previous + 1, this.#low);
    for (; index < this.#certain && this.#span(index).invoked <= end; index++) {
      if (this.#placed[index] === 0) return index;
    }
    for (index = Math.max(index, this.#certain); index < this.#spans.length; index++) {
      if (this.#span(index).invoked > end) return null;
      if (this.#placed[index] === 0) return index;
    }
    return null;
  }

  /** The certain operation left that ends first. */
  firstToEnd(): number {
    const end = this.#firstEnd();
    let index = this.#low;
    while (this.#placed[index] !== 0 || this.#span(index).completed !== end) index += 1;
    return index;
  }

  place(index: number): void {
    this.#placed[index] = 1;
    this.#beyond.add(index);
    if (index < this.#certain) this.certainLeft -= 1;
    while (this.#low < this.#certain && this.#placed[this.#low] === 1) {
      this.#beyond.delete(this.#low);
      this.#low += 1;
    }
  }

  take(index: number): void {
    this.#placed[index] = 0;
    this.#beyond.delete(index);
    if (index >= this.#certain) return;
    this.certainLeft += 1;
    for (let passed = index + 1; passed < this.#low; passed++) this.#beyond.add(passed);
    this.#low = Math.min(this.#low, index);
  }

  print(): string {
    return `${this.#low}:${[...this.#beyond].sort((a, b) => a - b).join()}`;
  }

  #firstEnd(): number {
    let end = Infinity;
    for (let index = this.#low; index < this.#certain && this.#span(index).invoked <= end; index++) {
      if (this.#placed[index] === 0) end = Math.min(end, this.#span(index).completed ?? Infinity);
    }
    return end;
  }

  #span(index: number): Span<Operation> {
    return this.#spans[index] as Span<Operation>;
  }
}
