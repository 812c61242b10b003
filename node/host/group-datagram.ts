/**
 * How an announcement travels: a head that tells whether it is meant for this group and from whom it is, and
 * a body that only the codec reads.
 *
 *   datagram => magic:u32 crc32:u32 version:u8 from:u16 cluster:string body proof?
 *
 * The sum is over all that follows it. UDP's own has 16 bits, and is left out between virtual machines, so
 * without this one a flipped bit could give an announcement another sender. Against whoever means it, a group
 * with a secret has a proof at the end (`group-proof.ts`), and another version.
 */

import { crc32 } from "node:zlib";
import type { Protocol } from "../core/automaton.ts";
import { MAX_MEMBER_ID, type MemberId } from "../core/identity.ts";
import { Reader } from "../wire/reader.ts";
import { type Result, read, refused } from "../wire/result.ts";
import { Writer } from "../wire/writer.ts";
import { type GroupProof, PROOF_BYTES, type Unproved } from "./group-proof.ts";

/** How a protocol's messages become the bodies of datagrams and are read again. */
export interface DatagramCodec<P extends Protocol> {
  write(message: P["message"], writer: Writer): void;
  /** What is wrong is told to the reader; whatever is returned then counts for nothing. */
  read(reader: Reader): P["message"] | null;
  /** What it is called where messages are counted. */
  kind(message: P["message"]): string;
}

/** Fits one frame of an Ethernet with room for tunnels, so that no part of a datagram is lost alone. */
export const LONGEST_DATAGRAM = 1400;

const MAGIC = 0x50424752;
const VERSION = 2;
const PROVED_VERSION = 3;
const SUMMED_FROM = 8;

export type Opened<M> =
  | { readonly kind: "message"; readonly from: MemberId; readonly message: M }
  /** Not of this group: another program, version or cluster. */
  | { readonly kind: "stranger"; readonly reason: string }
  /** Of this group by its head, and yet not to be read. */
  | { readonly kind: "damaged"; readonly reason: string }
  /** Of somebody who does not know the group's secret, or not of now. */
  | Unproved;

export class Envelope<P extends Protocol> {
  readonly #cluster: string;
  readonly #codec: DatagramCodec<P>;
  readonly #proof: GroupProof | null;

  constructor(cluster: string, codec: DatagramCodec<P>, proof: GroupProof | null = null) {
    this.#cluster = cluster;
    this.#codec = codec;
    this.#proof = proof;
  }

  get #version(): number {
    return this.#proof === null ? VERSION : PROVED_VERSION;
  }

  /** The whole datagram, or why there is none. */
  seal(from: MemberId, message: P["message"]): Result<Uint8Array> {
    const writer = new Writer(64);
    writer.u32(MAGIC).u32(0).u8(this.#version).u16(from).string(this.#cluster);
    this.#codec.write(message, writer);
    this.#proof?.end(writer, SUMMED_FROM);
    if (writer.length > LONGEST_DATAGRAM) return refused(tooLong(writer.length));
    writer.patchU32(4, crc32(writer.view(SUMMED_FROM)));
    return read(writer.take());
  }

  open(datagram: Uint8Array): Opened<P["message"]> {
    const proof = this.#proof;
    const end = Math.max(0, datagram.length - (proof === null ? 0 : PROOF_BYTES));
    const reader = new Reader(datagram, 0, end);
    if (reader.u32() !== MAGIC) return stranger("it is not of this program");
    const sum = reader.u32();
    const version = reader.u8();
    if (reader.failure !== null) return damaged(reader.failure);
    if (proof !== null && version === VERSION) return NO_PROOF;
    if (version !== this.#version) return stranger(`it is of version ${version}, this is ${this.#version}`);
    const from = reader.u16();
    const cluster = reader.string();
    if (reader.failure !== null) return damaged(reader.failure);
    if (sum !== crc32(datagram.subarray(SUMMED_FROM))) return damaged("its sum is wrong");
    if (cluster !== this.#cluster) return stranger(`it is of the cluster ${JSON.stringify(cluster)}`);
    if (from < 1 || from > MAX_MEMBER_ID) return damaged(`${from} is no member id`);
    const sender = from as MemberId;
    const unproved = proof?.objectionTo(datagram.subarray(SUMMED_FROM), sender) ?? null;
    if (unproved !== null) return unproved;
    const message = this.#codec.read(reader);
    if (!reader.finish() || message === null)
      return damaged(reader.failure ?? "it is no message of this election");
    return { kind: "message", from: sender, message };
  }
}

const tooLong = (length: number): string =>
  `an announcement of ${length} bytes is not sent: a datagram has at most ${LONGEST_DATAGRAM}`;

const stranger = (reason: string): Opened<never> => ({ kind: "stranger", reason });
const damaged = (reason: string): Opened<never> => ({ kind: "damaged", reason });

const NO_PROOF: Opened<never> = {
  kind: "forged",
  reason: "it brings no proof of the secret, and this group has one",
};
