/**
 * Nobody resigns before the other has been better for as long as was said, nor soon after a change of leader,
 * nor where that is not asked for.
 */

import type { ServerId } from "../../../core/identity.ts";
import { between, type Instant } from "../../../core/time.ts";
import type { ResignTerms } from "../../../oracle/resignation.ts";
import type { ReplicaEvent } from "../../../telemetry/event.ts";
import { Violation } from "./sequence.ts";

export class Resignations {
  readonly #terms: ResignTerms | null;
  /** When each server last saw a leader begin, or gave its place away, or did not after all. */
  readonly #changed = new Map<ServerId, Instant>();

  constructor(terms: ResignTerms | null) {
    this.#terms = terms;
  }

  told(server: ServerId, event: ReplicaEvent, now: Instant): void {
    if (event.kind === "resigning") this.#resigning(server, event.heldMs, now);
    if (CHANGES.has(event.kind)) this.#changed.set(server, now);
  }

  #resigning(server: ServerId, heldMs: number, now: Instant): void {
    const terms = this.#terms;
    if (terms === null) throw new Violation(`p${server} resigns, and nobody asked for that`);
    // Its own clock may be slow, or fast.
    if (heldMs * 1e3 < terms.hold * (1 - DRIFT))
      throw new Violation(`p${server} resigns after ${heldMs} ms, where ${terms.hold / 1e3} are to be held`);
    const changed = this.#changed.get(server);
    const quiet = changed === undefined ? Number.POSITIVE_INFINITY : between(changed, now);
    if (quiet < terms.quiet * (1 - DRIFT))
      throw new Violation(
        `p${server} resigns ${quiet / 1e3} ms after a change, where ${terms.quiet / 1e3} are quiet`,
      );
  }
}

const CHANGES: ReadonlySet<ReplicaEvent["kind"]> = new Set(["serving", "resigning", "kept"]);
/** Twice what worlds draw. */
const DRIFT = 0.001;
