/**
 * That a datagram is of somebody who knows the group's secret, that it was not changed, and that it is new.
 *
 *   proof => number:u64 HMAC-SHA256(key, everything before it, without the sum)[0..16]
 *
 * The number is the sender's time of day in microseconds, and rises with every datagram, also from one life
 * to the next. Of each sender only what is newer than the last is taken, so a copy is worth nothing; and only
 * what is not much older or newer than this machine's own time, so neither is a copy to who has just begun.
 * The clocks of a group's machines are therefore to agree within that.
 */

import { createHmac, timingSafeEqual } from "node:crypto";
import type { MemberId } from "../core/identity.ts";
import { Reader } from "../wire/reader.ts";
import type { Writer } from "../wire/writer.ts";

const MAC_BYTES = 16;
/** At the end of a datagram. */
export const PROOF_BYTES = 8 + MAC_BYTES;
/** In microseconds. */
export const CLOCKS_AGREE_WITHIN = 60e6;

export const groupKeyFor = (secret: string): Uint8Array =>
  createHmac("sha256", secret).update("polebench group 1").digest();

export interface Unproved {
  readonly kind: "forged" | "replayed";
  readonly reason: string;
}

export class GroupProof {
  readonly #key: Uint8Array;
  /** Microseconds since 1970. */
  readonly #timeOfDay: () => number;
  #said = 0;
  /** By sender: the number of what was taken last. */
  readonly #taken = new Map<MemberId, number>();

  constructor(key: Uint8Array, timeOfDay: () => number) {
    this.#key = key;
    this.#timeOfDay = timeOfDay;
  }

  /** Ends a datagram; what is proved begins at this byte of it. */
  end(writer: Writer, from: number): void {
    this.#said = Math.max(this.#said + 1, this.#timeOfDay());
    writer.u64(this.#said);
    writer.bytes(this.#mac(writer.view(from)));
  }

  /** Null when it is proved and new, which it then is no more. */
  objectionTo(proved: Uint8Array, sender: MemberId): Unproved | null {
    const body = proved.length - MAC_BYTES;
    if (body < 8 || !timingSafeEqual(proved.subarray(body), this.#mac(proved.subarray(0, body))))
      return { kind: "forged", reason: "its proof of the secret is wrong" };
    const number = new Reader(proved, body - 8, body).u64();
    if (number <= (this.#taken.get(sender) ?? 0))
      return { kind: "replayed", reason: "it is no newer than what was heard of its sender before" };
    const apart = Math.round((number - this.#timeOfDay()) / 1e6);
    if (Math.abs(apart) * 1e6 > CLOCKS_AGREE_WITHIN)
      return { kind: "replayed", reason: `its time of day is ${apart} s from this machine's` };
    this.#taken.set(sender, number);
    return null;
  }

  #mac(bytes: Uint8Array): Uint8Array {
    return createHmac("sha256", this.#key).update(bytes).digest().subarray(0, MAC_BYTES);
  }
}
