/** Faults by click, where the trial takes them: on a server, on a site, between two sites. */

import type { Opening } from "../record.ts";
import { make } from "./dom.ts";

export class Hands {
  readonly element = make("section", { class: "hands", hidden: true });
  readonly #ask: (fault: string) => void;

  /** `ask`: carries out a fault, in words. */
  constructor(ask: (fault: string) => void) {
    this.#ask = ask;
  }

  open(plan: Opening): void {
    this.element.hidden = !plan.handsOn;
    if (!plan.handsOn) return;
    const sites = plan.map.sites.map(({ name }) => name);
    const server = choice("Server", ["leader", ...plan.servers.map(({ name }) => name)]);
    const [first, second] = [choice("Site", sites), choice("and site", sites.toReversed())];
    const trip = make("input", {
      type: "number",
      min: 0,
      max: 10_000,
      value: 100,
      "aria-label": "Round trip in ms",
    });
    const between = (): string => `${first.select.value} ${second.select.value}`;
    this.element.replaceChildren(
      make("h2", {}, "By hand"),
      make(
        "div",
        { class: "row" },
        server.label,
        this.#button("Kill", () => `crash ${server.select.value}`),
        this.#button("Pause", () => `pause ${server.select.value}`),
        this.#button("Resume", () => `resume ${server.select.value}`),
        this.#button("Have it lead", () => `transfer ${server.select.value}`),
        this.#button("Restart all that are down", () => "restart crashed"),
        this.#button("Cut it off", () => `cut ${server.select.value}`),
      ),
      make(
        "div",
        { class: "row" },
        first.label,
        second.label,
        this.#button("Cut the first site off", () => `cut site:${first.select.value}`),
        this.#button("Cut between them", () => `cut site:${first.select.value} site:${second.select.value}`),
        this.#button("Heal all cuts", () => "heal"),
        make("label", {}, "ms ", trip),
        this.#button("Set their round trip", () => `link ${between()} ${trip.value}ms`),
      ),
    );
  }

  #button(text: string, fault: () => string): HTMLButtonElement {
    const button = make("button", { type: "button" }, text);
    button.addEventListener("click", () => this.#ask(fault()));
    return button;
  }
}

function choice(
  name: string,
  values: readonly string[],
): { label: HTMLLabelElement; select: HTMLSelectElement } {
  const select = make("select", {}, ...values.map((value) => make("option", { value }, value)));
  return { label: make("label", {}, `${name} `, select), select };
}
