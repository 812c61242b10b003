/**
 * One znode that a member follows: what it said when it was last read, and since when. It is read with a
 * watch, and where it is not there its creation is watched.
 */

import type { Answer } from "../../core/service.ts";
import { type Instant, instant, milliseconds } from "../../core/time.ts";
import type { Coordination } from "../../wire/client/coordination.ts";
import { ERRORS } from "../../wire/client/error.ts";
import type { Data } from "../../wire/client/node.ts";
import type { Dated } from "./decide.ts";

type Question = Coordination["question"];

export interface There<T> {
  readonly kind: "there";
  /** Null where it cannot be read. */
  readonly value: T | null;
  readonly version: number;
  readonly mzxid: number;
  /** By the service's clock, in milliseconds. */
  readonly stamp: number;
  /** By the member's own, where it saw it happen. */
  readonly since: Instant | null;
}

type State<T> = { readonly kind: "unread" } | { readonly kind: "absent" } | There<T>;

interface FoundShape {
  readonly isAnnounced?: boolean;
  readonly watch?: boolean;
}

export class Found<T> {
  readonly path: string;
  readonly #read: (data: Uint8Array | null) => T | null;
  /** Its creation is seen otherwise, so that its absence needs no watch. */
  readonly #isAnnounced: boolean;
  readonly #watch: boolean;
  #state: State<T> = { kind: "unread" };
  /** What is not answered yet. */
  readonly #asked: ("getData" | "exists")[] = [];

  constructor(
    path: string,
    read: (data: Uint8Array | null) => T | null,
    { isAnnounced = false, watch = true }: FoundShape = {},
  ) {
    this.path = path;
    this.#read = read;
    this.#isAnnounced = isAnnounced;
    this.#watch = watch;
  }

  get state(): State<T> {
    return this.#state;
  }

  /** What it says; null where it is not there, cannot be read, or was not read yet. */
  get value(): T | null {
    return this.#state.kind === "there" ? this.#state.value : null;
  }

  get version(): number {
    return this.#state.kind === "there" ? this.#state.version : -1;
  }

  get isSpoilt(): boolean {
    return this.#state.kind === "there" && this.#state.value === null;
  }

  get isPending(): boolean {
    return this.#asked.length > 0;
  }

  forget(): void {
    this.#state = { kind: "unread" };
    this.#asked.length = 0;
  }

  look(): Question {
    return this.#ask("getData");
  }

  /** It is gone, as an event says; the question watches for its return. */
  gone(): Question[] {
    if (!this.#isAnnounced) return [this.#ask("exists")];
    this.#state = { kind: "absent" };
    return [];
  }

  /** What is to be asked next. */
  answered(answer: Answer<Coordination>, now: Instant): Question[] {
    const asked = this.#asked.shift();
    if (answer.kind === "refused") {
      if (answer.error !== ERRORS.noNode) return [];
      this.#state = { kind: "absent" };
      return asked === "exists" || this.#isAnnounced ? [] : [this.#ask("exists")];
    }
    if (answer.kind === "unknown") return [];
    const { reply } = answer;
    // It has come back before its absence could be watched.
    if (reply.kind === "exists") return [this.look()];
    if (reply.kind === "getData") this.#take(reply, now);
    return [];
  }

  #take({ data, stat }: Data, now: Instant): void {
    const known = this.#state;
    const { version, mzxid } = stat;
    let since = known.kind === "unread" ? null : now;
    if (known.kind === "there" && known.mzxid === mzxid) ({ since } = known);
    this.#state = {
      kind: "there",
      value: this.#read(data),
      version,
      mzxid,
      stamp: stat.mtime,
      since,
    };
  }

  /** `offset`: the service's clock minus the member's own, in milliseconds; null: not known. */
  dated(value: T, offset: number | null): Dated<T> | null {
    if (this.#state.kind !== "there") return null;
    const { since, stamp } = this.#state;
    if (since !== null || offset === null) return { value, since };
    return { value, since: instant(milliseconds(stamp - offset)) };
  }

  #ask(kind: "getData" | "exists"): Question {
    this.#asked.push(kind);
    return { kind, path: this.path, watch: this.#watch };
  }
}
