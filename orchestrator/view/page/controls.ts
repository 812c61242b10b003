/** What moves time: buttons, the slider under the painted strip, keys. Each does what the player says. */

import type { Painted } from "../scene/spans.ts";
import { make, say, set } from "./dom.ts";
import { type Player, SPEEDS } from "./player.ts";
import { printAt } from "./words.ts";

export class Controls {
  readonly element: HTMLElement;
  readonly strips = make("div", { class: "strips" });
  readonly #player: Player;
  readonly #play = make("button", { type: "button" });
  readonly #live = make("button", { type: "button" }, "Live");
  readonly #clock = make("output", { class: "clock" });
  readonly #slider = make("input", { type: "range", step: 1000, "aria-label": "Moment of the trial" });
  readonly #speed = make(
    "select",
    { "aria-label": "Speed" },
    ...SPEEDS.map((speed) => make("option", { value: speed }, `${speed}×`)),
  );

  constructor(player: Player, isLive: boolean) {
    this.#player = player;
    const button = (text: string, title: string, act: () => void): HTMLElement => {
      const made = make("button", { type: "button", title, "aria-label": title }, text);
      made.addEventListener("click", act);
      return made;
    };
    this.#play.addEventListener("click", () => player.toggle());
    this.#live.addEventListener("click", () => player.live());
    this.#slider.addEventListener("input", () => player.seek(Number(this.#slider.value)));
    this.#speed.addEventListener("change", () => {
      player.speed = Number(this.#speed.value);
    });
    this.element = make(
      "div",
      { class: "controls", role: "group", "aria-label": "Time" },
      this.strips,
      this.#slider,
      make(
        "div",
        { class: "buttons" },
        button("‹ Event", "To the event before", () => player.step(-1)),
        this.#play,
        button("Event ›", "To the next event", () => player.step(1)),
        make("label", {}, "Speed ", this.#speed),
        isLive ? this.#live : null,
        this.#clock,
      ),
      make("details", {}, make("summary", {}, "Keys"), make("p", { class: "faint" }, KEYS)),
    );
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  show({ from, to }: Pick<Painted, "from" | "to">): void {
    const { at, isPlaying, isLive, speed } = this.#player;
    set(this.#slider, { min: Math.floor(from), max: Math.ceil(to), "aria-valuetext": printAt(at) });
    this.#slider.value = String(Math.round(at));
    say(this.#play, isPlaying ? "Pause" : "Play");
    set(this.#live, { "aria-pressed": isLive ? "true" : "false" });
    say(this.#clock, printAt(at));
    this.#speed.value = String(speed);
  }

  #key(event: KeyboardEvent): void {
    const { target, key, shiftKey } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isTyped = target instanceof HTMLSelectElement || target instanceof HTMLInputElement;
    const isPressed = target instanceof HTMLButtonElement && (key === " " || key === "Enter");
    if ((isTyped && target !== this.#slider) || isPressed) return;
    const act = this.#acts(shiftKey)[key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  }

  #acts(isFine: boolean): Readonly<Record<string, () => void>> {
    const player = this.#player;
    const move = (direction: 1 | -1) => () =>
      isFine ? player.seek(player.at + direction * 1000) : player.step(direction);
    return {
      " ": () => player.toggle(),
      ArrowRight: move(1),
      ArrowLeft: move(-1),
      Home: () => player.seek(player.from),
      End: () => player.seek(player.to),
      "+": () => player.faster(1),
      "-": () => player.faster(-1),
      l: () => player.live(),
    };
  }
}

const KEYS =
  "Space plays and pauses. ← and → go from event to event, with Shift a millisecond. + and - change the " +
  "speed. Home and End go to either end, L to what happens now.";
