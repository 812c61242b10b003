/**
 * What a client proves about itself, and what a server gives it to prove that a session is its own.
 *
 * Both need chance and cryptography, which pure code does not have: the host brings them. A session's
 * password is drawn by the server that begins it and known to its client alone. What the ensemble agrees on,
 * writes down and sends around is its seal, a hash: enough for every server to recognize the password, and
 * for nobody to find it.
 */

import { utf8Text } from "../core/utf8.ts";
import type { Id } from "../wire/client/acl.ts";
import type { Auth } from "../wire/client/access.ts";

export interface Secrets {
  sha1(bytes: Uint8Array): Uint8Array;
  /** Sixteen bytes that nobody can guess, others each time. */
  password(): Uint8Array;
  /** One way; the same at all servers. */
  seal(password: Uint8Array): string;
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

/** `name:password` becomes `name:hash`, as everywhere in ZooKeeper. */
export function digestOf(credentials: Uint8Array, { sha1 }: Pick<Secrets, "sha1">): string {
  return `${utf8Text(credentials).split(":", 1)[0]}:${base64(sha1(credentials))}`;
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
