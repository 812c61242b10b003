/**
 * Who knows the ensemble's secret, and who only says so.
 *
 * Each side throws the other a random number and wants it back keyed with the secret. Both numbers, both
 * servers, the cluster, the channel and which side speaks are part of what is keyed: a proof is worth nothing
 * on another connection (replay), in the other direction (reflection), or between other servers.
 *
 *   proof => HMAC-SHA256(key, side 0 dialer's greeting, without proof, listener's challenge)
 *
 * The secret itself never keys anything: what does is made of it, under the name and version of the protocol.
 */

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { encodeGreeting, type Introduction, NOTHING } from "./introduction.ts";

export type Side = "dialer" | "listener";

/** With fewer characters, somebody who has heard one handshake can try them all at home. */
export const SHORTEST_SECRET = 16;
const CHALLENGE_BYTES = 32;

export const keyFor = (secret: string): Uint8Array =>
  createHmac("sha256", secret).update("polebench peers 1").digest();

/** Of one ensemble: with its key, or without one, when nothing is asked and nothing proved. */
export class Prover {
  readonly #key: Uint8Array | null;

  constructor(key: Uint8Array | null) {
    this.#key = key;
  }

  get asks(): boolean {
    return this.#key !== null;
  }

  challenge(): Uint8Array {
    return this.#key === null ? NOTHING : randomBytes(CHALLENGE_BYTES);
  }

  /** `greeting` is the dialer's; the challenge the listener's. */
  prove(side: Side, greeting: Introduction, challenge: Uint8Array): Uint8Array {
    if (this.#key === null) return NOTHING;
    const said = encodeGreeting({ ...greeting, proof: NOTHING });
    return createHmac("sha256", this.#key).update(`${side}\0`).update(said).update(challenge).digest();
  }

  holds(proof: Uint8Array, side: Side, greeting: Introduction, challenge: Uint8Array): boolean {
    const right = this.prove(side, greeting, challenge);
    return proof.length === right.length && timingSafeEqual(proof, right);
  }

  /** What is wrong with the other side's challenge before anything is proved, or null. */
  objectionTo(challenge: Uint8Array): string | null {
    if (this.#key === null && challenge.length > 0) {
      return "the other side asks for a proof of the secret, and none is set here";
    }
    if (this.#key !== null && challenge.length !== CHALLENGE_BYTES) {
      return "the other side has no secret, and this ensemble has one";
    }
    return null;
  }
}
