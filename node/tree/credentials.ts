/**
 * What a client proves about itself, and what a server gives it to prove that a session is its own.
 *
 * Both need cryptography, which pure code does not have: the host brings it. A session's password is a keyed
 * hash of its id, so that every server of the ensemble can check it and none has to remember it; they must
 * share the key.
 */

import type { Id } from "../wire/client/acl.ts";
import type { Auth } from "../wire/client/access.ts";
import { utf8String } from "../wire/client/jute.ts";

export interface Secrets {
  sha1(bytes: Uint8Array): Uint8Array;
  /** Sixteen bytes that nobody without the key can find for this session. */
  password(session: number): Uint8Array;
  /** `super:hash` of the one who may do everything, or null. */
  readonly superDigest: string | null;
}

/** Which identities this proves; null when it proves nothing. */
export function identitiesOf(auth: Auth, address: string, secrets: Secrets): readonly Id[] | null {
  if (auth.scheme === "ip") return [{ scheme: "ip", id: address }];
  if (auth.scheme !== "digest" || auth.credentials === null) return null;
  const digest = digestOf(auth.credentials, secrets);
  const own = { scheme: "digest", id: digest };
  return digest === secrets.superDigest ? [{ scheme: "super", id: "" }, own] : [own];
}

export function isPasswordOf(session: number, password: Uint8Array, secrets: Secrets): boolean {
  const expected = secrets.password(session);
  // Every byte is looked at: how long it takes says nothing about where they differ.
  let difference = expected.length ^ password.length;
  for (let index = 0; index < expected.length; index++) {
    difference |= (expected[index] as number) ^ (password[index] ?? 0);
  }
  return difference === 0;
}

/** `name:password` becomes `name:hash`, as everywhere in ZooKeeper. */
export function digestOf(credentials: Uint8Array, { sha1 }: Pick<Secrets, "sha1">): string {
  return `${utf8String(credentials).split(":", 1)[0]}:${base64(sha1(credentials))}`;
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3);
    const three = (first << 16) | (second << 8) | third;
    for (let sextet = 0; sextet < 4; sextet++) {
      text += at + sextet > bytes.length ? "=" : LETTERS[(three >> (18 - 6 * sextet)) & 63];
    }
  }
  return text;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
