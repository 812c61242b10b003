/** The log as a story: everything up to the moment, what comes later faintly; a click goes there. */

import type { StreamRecord } from "../record.ts";
import { make, set } from "./dom.ts";
import { lineOf } from "./tables.ts";
import { printAt } from "./words.ts";

export class EventList {
  readonly element = make("ol", { class: "log", tabindex: 0, "aria-label": "What servers told, in order" });
  readonly #entries: { readonly at: number; readonly line: HTMLLIElement }[] = [];
  readonly #seek: (at: number) => void;
  readonly #nameOf: (server: number) => string;
  #shown = 0;

  constructor(seek: (at: number) => void, nameOf: (server: number) => string) {
    this.#seek = seek;
    this.#nameOf = nameOf;
  }

  /** In order of time, except that what a server wrote down late comes late. */
  add(record: StreamRecord): void {
    const told = lineOf(record, this.#nameOf);
    if (told === null) return;
    const { at, who, what } = told;
    const words = [make("time", {}, printAt(at)), " ", make("b", {}, who), ` ${what}`];
    const line = make("li", { class: "later" }, ...words);
    line.addEventListener("click", () => this.#seek(at));
    let place = this.#entries.length;
    while (place > 0 && (this.#entries[place - 1]?.at ?? 0) > at) place -= 1;
    this.element.insertBefore(line, this.#entries[place]?.line ?? null);
    this.#entries.splice(place, 0, { at, line });
    if (place < this.#shown) this.#shown = 0;
  }

  show(at: number): void {
    let shown = this.#entries.findIndex((entry) => entry.at > at);
    if (shown === -1) shown = this.#entries.length;
    if (shown === this.#shown) return;
    const [from, to] = [Math.min(shown, this.#shown), Math.max(shown, this.#shown)];
    for (const { at: told, line } of this.#entries.slice(from, to))
      set(line, { class: told > at ? "later" : null });
    this.#shown = shown;
    const last = this.#entries[shown - 1]?.line;
    if (last === undefined) return;
    // Only the list moves, not the page.
    this.element.scrollTop = last.offsetTop - this.element.clientHeight + last.offsetHeight + 8;
  }
}
