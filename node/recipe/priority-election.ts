/**
 * Priority election for programs: an elector chooses by a strategy who shall lead, who is chosen takes over,
 * and leads when it is ready. Taking over and leading are the program's own functions; each is told by a
 * signal when it shall end, and only when it has ended does the next leader's begin.
 */

import { EventEmitter } from "node:events";
import { milliseconds, seconds } from "../core/time.ts";
import { Priority } from "../election/priority/priority.ts";
import type { PriorityProtocol } from "../election/priority/protocol.ts";
import { firstId, type Strategy } from "../election/priority/strategy.ts";
import type { Watching } from "../election/priority/view.ts";
import { LiveMember } from "../host/tcp/service-member.ts";
import type { Facts } from "../telemetry/facts.ts";
import { type Candidature, checkedId, checkedPath, checkedTime, policyOf } from "./election.ts";
import { placesOf } from "./places.ts";

export interface Takeover {
  /** What it writes carries the term; earlier terms are to be refused. */
  readonly term: number;
  /** Who led before; null: nobody ever. */
  readonly previous: { readonly id: string; readonly site: string } | null;
  /** Ends when another is wanted: undo then. */
  readonly signal: AbortSignal;
}

export interface PriorityElectionOptions extends Candidature {
  readonly site: string;
  /** Greater is better, for strategies that ask. */
  readonly score?: number;
  /** All members should have the same; the least id leads when not given. */
  readonly strategy?: Strategy;
  /** Prepares to lead; who rejects is passed over. */
  readonly takeOver?: (takeover: Takeover) => Promise<void>;
  /** Leads until the signal ends; who returns or rejects before that gives up, and leaves. */
  readonly lead: (takeover: Takeover) => Promise<void>;
  /** Milliseconds that a candidate has to take over, and an old leader to give up. */
  readonly takeoverWithin?: number;
  readonly releaseWithin?: number;
  /** Milliseconds after which the elector looks at scores again; else when members come or go. */
  readonly review?: number;
  /** `all`: everybody is told of everything, as the algorithm was published; else of what it needs. */
  readonly watching?: Watching;
}

interface PriorityEvents {
  /** Somebody is ready, this one or another. */
  led: [{ readonly by: string; readonly term: number }];
  deposed: [{ readonly reason: string }];
  /** It takes over no more. */
  abandoned: [{ readonly reason: string }];
  told: [Facts];
  /** `lead` or `takeOver` ended by itself. */
  failed: [unknown];
  left: [];
}

export class PriorityElection extends EventEmitter<PriorityEvents> {
  readonly #options: PriorityElectionOptions;
  readonly #member: LiveMember<PriorityProtocol>;
  /** What it does as candidate or leader. */
  #work: { readonly end: AbortController; readonly takeover: Takeover; done: Promise<void> } | null = null;
  #leads = false;
  #isGone = false;

  /** It stands at once. */
  constructor(options: PriorityElectionOptions) {
    super();
    this.#options = options;
    const { servers, path, id, site, timeout = 10_000, strategy = firstId, score = 0 } = options;
    const { tls, auth, acl, inOrder } = options;
    const { takeoverWithin = 10_000, releaseWithin = 10_000, review, watching = "lean" } = options;
    const places = placesOf(servers);
    const member = new Priority(
      { self: checkedId(id), root: checkedPath(path), acl },
      {
        site,
        score,
        strategy,
        takeover: milliseconds(checkedTime("takeoverWithin", takeoverWithin)),
        release: milliseconds(checkedTime("releaseWithin", releaseWithin)),
        watching,
        pause: seconds(1),
        review: review === undefined ? null : milliseconds(checkedTime("review", review)),
      },
    );
    this.#member = new LiveMember<PriorityProtocol>({
      member,
      places,
      policy: policyOf(places.length, timeout, auth, inOrder),
      ...(tls !== undefined && { tls }),
      output: (output) => this.#hear(output),
      left: () => this.#left(),
    });
  }

  get leads(): boolean {
    return this.#leads;
  }

  /** How good a leader it would be, from now on. */
  rate(score: number): void {
    this.#member.request({ kind: "score", score });
  }

  /** Gives up when what it does has ended, and ends its session; there may be nothing left to do. */
  async leave(): Promise<void> {
    if (this.#isGone) return;
    await new Promise<void>((resolve) => {
      this.once("left", resolve);
      this.#member.request({ kind: "resign" });
    });
  }

  #hear(output: PriorityProtocol["output"]): void {
    switch (output.kind) {
      case "take over":
        return this.#takeOver(output.term, output.previous);
      case "elected":
        if (output.leader === this.#options.id) this.#lead();
        return void this.emit("led", { by: output.leader, term: output.claim });
      case "deposed":
        this.#leads = false;
        this.emit("deposed", { reason: output.reason });
        return this.#stop(output.reason);
      case "abandon":
        this.emit("abandoned", { reason: output.reason });
        return this.#stop(output.reason);
      case "observed":
        this.emit("told", output.facts);
    }
  }

  #takeOver(term: number, previous: Takeover["previous"]): void {
    const end = new AbortController();
    const takeover = { term, previous, signal: end.signal };
    const done = begun(async () => this.#options.takeOver?.(takeover)).then(
      () => {
        if (!end.signal.aborted) this.#member.request({ kind: "ready", term });
      },
      (why: unknown) => {
        if (end.signal.aborted) return;
        this.emit("failed", why);
        this.#member.request({ kind: "failed", term });
      },
    );
    this.#work = { end, takeover, done };
  }

  #lead(): void {
    const work = this.#work;
    if (work === null) return;
    this.#leads = true;
    const over = (why: unknown): void => {
      if (work.end.signal.aborted) return;
      this.emit("failed", why);
      this.#member.request({ kind: "resign" });
    };
    work.done = begun(async () => this.#options.lead(work.takeover)).then(over, over);
  }

  #stop(reason: string): void {
    const work = this.#work;
    this.#work = null;
    work?.end.abort(new Error(reason));
    void (work?.done ?? Promise.resolve()).then(() => this.#member.request({ kind: "stopped" }));
  }

  #left(): void {
    this.#isGone = true;
    this.emit("left");
  }
}

/** Not within the step of the automaton that asked for it. */
async function begun(work: () => Promise<void>): Promise<void> {
  await Promise.resolve();
  await work();
}
