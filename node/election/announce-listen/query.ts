/**
 * Announce-listen that asks before it speaks: who begins says that it is there and asks who leads, and only
 * announces itself when no answer came within T_Q, which is to be two ways at least.
 *
 * A question is a claim as well: whoever is smaller follows who asks. A leader answers at once; with T_S it
 * waits for a random part of that, so that one answer serves all who ask together, and who hears somebody
 * greater meanwhile has nothing to answer.
 */

import { type Duration, microseconds } from "../../core/time.ts";
import {
  AnnounceListen,
  type AnnounceListenOptions,
  type AnnounceListenProtocol,
  type Effect,
  type Variant,
} from "./announce-listen.ts";
import type { MemberId } from "../../core/identity.ts";

export interface QueryOptions extends AnnounceListenOptions {
  /** T_Q. */
  readonly query: Duration;
}

export class Query extends AnnounceListen {
  readonly #patience: Duration;
  #isAnswering = false;

  constructor(self: MemberId, options: QueryOptions, variant: Variant = {}) {
    super(self, options, variant);
    this.#patience = options.query;
  }

  protected override speakUp(): readonly Effect[] {
    this.#isAnswering = false;
    return [this.say("query"), { kind: "arm", timer: "query", after: this.#patience }];
  }

  protected override due(timer: AnnounceListenProtocol["timer"]): readonly Effect[] {
    if (timer === "suppress") return this.speakUp();
    this.#isAnswering = false;
    return this.announce();
  }

  protected override asked(): readonly Effect[] {
    if (this.#isAnswering) return [];
    const { suppress } = this.options;
    if (suppress === 0) return this.announce();
    this.#isAnswering = true;
    return [{ kind: "arm", timer: "answer", after: microseconds(this.random.unit() * suppress) }];
  }

  protected override get timersOfLeading(): readonly AnnounceListenProtocol["timer"][] {
    return OF_LEADING;
  }
}

const OF_LEADING = ["announce", "suppress", "query", "answer"] as const;
