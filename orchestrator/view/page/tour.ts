/** The guided story: one moment after the other, with a few sentences each. */

import type { GuideStep } from "../scene/guide.ts";
import { make, say } from "./dom.ts";

export class Tour {
  readonly element: HTMLElement;
  readonly #seek: (at: number) => void;
  readonly #title = make("strong");
  readonly #text = make("p", { "aria-live": "polite" });
  readonly #begin = make("button", { type: "button" }, "Guide me through it");
  readonly #box: HTMLElement;
  #steps: readonly GuideStep[] = [];
  #index = 0;

  constructor(seek: (at: number) => void) {
    this.#seek = seek;
    const back = make("button", { type: "button" }, "Back");
    const next = make("button", { type: "button" }, "Next");
    const close = make("button", { type: "button" }, "Close");
    back.addEventListener("click", () => this.#go(this.#index - 1));
    next.addEventListener("click", () => this.#go(this.#index + 1));
    close.addEventListener("click", () => this.#open(false));
    this.#begin.addEventListener("click", () => {
      this.#open(true);
      this.#go(0);
    });
    this.#box = make("div", { class: "guide", hidden: true }, this.#title, this.#text, back, next, close);
    this.element = make("div", {}, this.#begin, this.#box);
  }

  set steps(steps: readonly GuideStep[]) {
    this.#steps = steps;
    this.#begin.hidden = steps.length === 0 || !this.#box.hidden;
  }

  #open(isOpen: boolean): void {
    this.#box.hidden = !isOpen;
    this.#begin.hidden = isOpen;
  }

  #go(index: number): void {
    this.#index = Math.min(Math.max(index, 0), this.#steps.length - 1);
    const step = this.#steps[this.#index];
    if (step === undefined) return;
    say(this.#title, `${this.#index + 1} of ${this.#steps.length}: ${step.title}`);
    say(this.#text, step.text);
    this.#seek(step.at);
  }
}
