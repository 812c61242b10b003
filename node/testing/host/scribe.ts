/**
 * Through what a contract's tests look, whatever the medium: processes that write down every input and do
 * what they are told, and the scene in which they live.
 */

import { ok } from "node:assert/strict";
import type { Instant } from "../../core/time.ts";

interface Said {
  readonly kind: "output";
  readonly output: string;
}

/** Said after every other effect of a step, so that it is seen when the host has done them all. */
const DONE = "done";

export abstract class Scribe<Input extends { readonly kind: string }, Effect> {
  readonly inputs: { readonly input: Input; readonly now: Instant }[] = [];
  readonly outputs: string[] = [];
  /** Inputs that came before the effects of the last one were done. */
  overlaps = 0;
  /** What is asked of it in the middle of the next step, once: a host must not let it in. */
  inBetween: () => void = () => {};
  #isBusy = false;

  step(input: Input, now: Instant): readonly (Effect | Said)[] {
    if (this.#isBusy) this.overlaps += 1;
    this.#isBusy = true;
    this.inputs.push({ input, now });
    return [...this.answer(input), { kind: "output", output: DONE }];
  }

  output(output: string): void {
    if (output === DONE) this.#isBusy = false;
    else {
      this.outputs.push(output);
      const ask = this.inBetween;
      this.inBetween = () => {};
      ask();
    }
  }

  protected abstract answer(input: Input): readonly Effect[];
}

type OfKind<Input, K> = Extract<Input, { readonly kind: K }>;

/** What is asked about what scribes have seen. */
export abstract class ScribesScene<
  Id extends number,
  Input extends { readonly kind: string },
  S extends Scribe<Input, unknown>,
> {
  /** Every life of everybody, the present one last. */
  readonly #lives: ReadonlyMap<Id, readonly S[]>;

  constructor(lives: ReadonlyMap<Id, readonly S[]>) {
    this.#lives = lives;
  }

  get all(): readonly Id[] {
    return [...this.#lives.keys()];
  }

  lives(id: Id): readonly S[] {
    return this.#lives.get(id) ?? [];
  }

  probe(id: Id): S {
    const probe = this.lives(id).at(-1);
    ok(probe !== undefined, `${id} was never started`);
    return probe;
  }

  inputs<K extends Input["kind"]>(id: Id, kind: K): OfKind<Input, K>[] {
    return this.probe(id)
      .inputs.map(({ input }) => input)
      .filter((input): input is OfKind<Input, K> => input.kind === kind);
  }

  times(id: Id, kind: Input["kind"]): Instant[] {
    return this.probe(id)
      .inputs.filter(({ input }) => input.kind === kind)
      .map(({ now }) => now);
  }
}
