/**
 * What can be asked of the key-value machine, as bytes.
 *
 *   put    => 1 key value            always succeeds
 *   swap   => 2 key version:u32 value   succeeds when the entry's version is this one; 0 is "no entry"
 *   remove => 3 key                  always succeeds
 *   raise  => 4 key value            as put, unless the entry's value begins with a greater u32
 *   key    => length:u8 bytes        value => the rest
 *
 *   query  => key
 *   reply  => status:u8 version:u32 value   status 0 ok, 1 wrong version, 2 no entry, 3 malformed
 */

export type Operation =
  | { readonly kind: "put" | "raise"; readonly key: string; readonly value: Uint8Array }
  | { readonly kind: "swap"; readonly key: string; readonly version: number; readonly value: Uint8Array }
  | { readonly kind: "remove"; readonly key: string };

export type Status = "ok" | "wrong version" | "no entry" | "malformed";

export interface Reply {
  readonly status: Status;
  readonly version: number;
  readonly value: Uint8Array;
}

const TAG = { put: 1, swap: 2, remove: 3, raise: 4 } as const;
const STATUSES: readonly Status[] = ["ok", "wrong version", "no entry", "malformed"];
const NOTHING = new Uint8Array(0);
/** What most writes are answered, made once; nobody changes an answer. */
const KNOWN_VERSIONS = 1024;
const known: Uint8Array[] = [];

export function encodeOperation(operation: Operation): Uint8Array {
  const value = operation.kind === "remove" ? NOTHING : operation.value;
  const versioned = operation.kind === "swap";
  const head = 2 + operation.key.length + (versioned ? 4 : 0);
  const bytes = new Uint8Array(head + value.length);
  bytes[0] = TAG[operation.kind];
  writeKey(bytes, 1, operation.key);
  if (versioned) writeU32(bytes, head - 4, operation.version);
  bytes.set(value, head);
  return bytes;
}

/** Null when the bytes are no operation. */
export function decodeOperation(bytes: Uint8Array): Operation | null {
  const end = keyEnd(bytes, 1);
  if (end === null) return null;
  const key = readKey(bytes, 1);
  switch (bytes[0]) {
    case TAG.put:
      return { kind: "put", key, value: bytes.subarray(end) };
    case TAG.swap:
      if (bytes.length < end + 4) return null;
      return { kind: "swap", key, version: readU32(bytes, end), value: bytes.subarray(end + 4) };
    case TAG.remove:
      return bytes.length === end ? { kind: "remove", key } : null;
    case TAG.raise:
      return bytes.length < end + 4 ? null : { kind: "raise", key, value: bytes.subarray(end) };
    default:
      return null;
  }
}

export function encodeQuery(key: string): Uint8Array {
  const bytes = new Uint8Array(1 + key.length);
  writeKey(bytes, 0, key);
  return bytes;
}

/** Null when the bytes are no query. */
export const decodeQuery = (bytes: Uint8Array): string | null =>
  keyEnd(bytes, 0) === bytes.length ? readKey(bytes, 0) : null;

export function encodeReply(status: Status, version = 0, value: Uint8Array = NOTHING): Uint8Array {
  if (status !== "ok" || value.length > 0 || version >= KNOWN_VERSIONS)
    return newReply(status, version, value);
  known[version] ??= newReply(status, version, value);
  return known[version];
}

function newReply(status: Status, version: number, value: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(5 + value.length);
  bytes[0] = STATUSES.indexOf(status);
  writeU32(bytes, 1, version);
  bytes.set(value, 5);
  return bytes;
}

export const decodeReply = (bytes: Uint8Array): Reply => ({
  status: STATUSES[bytes[0] ?? 3] ?? "malformed",
  version: readU32(bytes, 1),
  value: bytes.subarray(5),
});

/** Keys are Latin-1, one byte a character, at most 255. */
export function writeKey(bytes: Uint8Array, offset: number, key: string): void {
  bytes[offset] = key.length;
  for (let index = 0; index < key.length; index++) bytes[offset + 1 + index] = key.charCodeAt(index);
}

export function readKey(bytes: Uint8Array, offset: number): string {
  const length = bytes[offset] ?? 0;
  let key = "";
  for (let index = 0; index < length; index++) key += String.fromCharCode(bytes[offset + 1 + index] ?? 0);
  return key;
}

function keyEnd(bytes: Uint8Array, offset: number): number | null {
  const length = bytes[offset];
  if (length === undefined || offset + 1 + length > bytes.length) return null;
  return offset + 1 + length;
}

export function writeU32(bytes: Uint8Array, offset: number, value: number): void {
  bytes[offset] = value >>> 24;
  bytes[offset + 1] = value >>> 16;
  bytes[offset + 2] = value >>> 8;
  bytes[offset + 3] = value;
}

export const readU32 = (bytes: Uint8Array, offset: number): number =>
  (((bytes[offset] ?? 0) << 24) |
    ((bytes[offset + 1] ?? 0) << 16) |
    ((bytes[offset + 2] ?? 0) << 8) |
    (bytes[offset + 3] ?? 0)) >>>
  0;
