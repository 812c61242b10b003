/**
 * As much of Protocol Buffers as etcd's messages need: fields that are whole numbers, bytes, or messages
 * themselves. A field that is not there has nothing in it, so nothing is written where nothing is meant.
 */

const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;
const FIXED_32 = 5;

/** A message in the making. */
export class Message {
  readonly #parts: Uint8Array[] = [];

  number(field: number, value: number | bigint): this {
    if (value === 0 || value === 0n) return this;
    this.#parts.push(varint((field << 3) | VARINT), varint(value));
    return this;
  }

  flag(field: number, value: boolean): this {
    return this.number(field, value ? 1 : 0);
  }

  bytes(field: number, value: Uint8Array): this {
    return value.length === 0 ? this : this.#framed(field, value);
  }

  /** Also an empty one, because that it is there may say which of several was meant. */
  message(field: number, value: Message): this {
    return this.#framed(field, value.finish());
  }

  finish(): Buffer {
    return Buffer.concat(this.#parts);
  }

  #framed(field: number, value: Uint8Array): this {
    this.#parts.push(varint((field << 3) | BYTES), varint(value.length), value);
    return this;
  }
}

/** Seven bits a byte, the lowest first; negative numbers are not made. */
function varint(value: number | bigint): Uint8Array {
  if (value < 0x80) return Uint8Array.of(Number(value));
  const bytes: number[] = [];
  for (let rest = BigInt(value); ; ) {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    if (rest === 0n) return Uint8Array.from([...bytes, low]);
    bytes.push(low | 0x80);
  }
}

/** What a field holds: a whole number of up to 64 bits, or bytes, which may be a message. */
export interface Field {
  readonly number: number;
  readonly value: bigint;
  readonly bytes: Uint8Array;
}

const NOTHING = new Uint8Array(0);

/** In the order in which they stand there. Throws where the bytes are no message. */
export function* fieldsOf(message: Uint8Array): Generator<Field> {
  let at = 0;
  const next = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = message[at++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value & 0xffff_ffff_ffff_ffffn;
    }
    throw new Error(`no number ends at byte ${at} of a message of ${message.length}`);
  };
  const take = (length: number): Uint8Array => {
    if (at + length > message.length) throw new Error(`a field ends behind a message of ${message.length}`);
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const key = Number(next());
    const number = key >>> 3;
    switch (key & 7) {
      case VARINT:
        yield { number, value: next(), bytes: NOTHING };
        break;
      case BYTES:
        yield { number, value: 0n, bytes: take(Number(next())) };
        break;
      case FIXED_64:
        take(8);
        break;
      case FIXED_32:
        take(4);
        break;
      default:
        throw new Error(`field ${number} is of wire type ${key & 7}, which is none of Protocol Buffers 3`);
    }
  }
}
