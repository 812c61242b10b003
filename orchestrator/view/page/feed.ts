/** Where records come from: the file that the page is, or the trial that runs. */

import type { StreamRecord } from "../record.ts";

/** A trial that is over, as it stands in the page. */
export interface Recorded {
  readonly name: string;
  readonly records: readonly StreamRecord[];
}

/** Null when the page is of a trial that runs. */
export function recorded(): readonly Recorded[] | null {
  const held = document.getElementById("recorded");
  return held === null ? null : (JSON.parse(held.textContent) as readonly Recorded[]);
}

export interface Following {
  records(records: readonly StreamRecord[]): void;
  /** In a sentence: how the connection is, or why something was refused. */
  says(text: string): void;
  /** The whole will come again. */
  again(): void;
}

const AGAIN_MS = 1000;
const TRIES = 5;

export class LiveFeed {
  readonly #following: Following;
  #socket: WebSocket | null = null;
  #tries = 0;
  #isOver = false;

  constructor(following: Following) {
    this.#following = following;
    this.#connect();
  }

  /** A fault by hand, in words. */
  ask(fault: string): void {
    this.#socket?.send(JSON.stringify({ fault }));
  }

  #connect(): void {
    const address = new URL("stream", location.href);
    address.protocol = "ws:";
    const socket = new WebSocket(address);
    this.#socket = socket;
    socket.addEventListener("message", ({ data }: MessageEvent<string>) => {
      const said = JSON.parse(data) as readonly StreamRecord[] | { readonly refused: string };
      if ("refused" in said) {
        this.#following.says(said.refused);
        return;
      }
      this.#tries = 0;
      this.#isOver = said.at(-1)?.kind === "end";
      this.#following.records(said);
    });
    socket.addEventListener("open", () => this.#following.says("live"));
    socket.addEventListener("close", () => this.#ended());
  }

  #ended(): void {
    if (this.#isOver || this.#tries >= TRIES) {
      this.#following.says("The command has ended; what is here stays, and can be played again.");
      return;
    }
    this.#tries += 1;
    this.#following.says("The connection is lost; it is tried again.");
    setTimeout(() => {
      this.#following.again();
      this.#connect();
    }, AGAIN_MS);
  }
}
