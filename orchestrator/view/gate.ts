/**
 * Who may look: whoever on this machine has the link that was printed. A name that leads here from elsewhere
 * is refused by the Host, a page from elsewhere by the Origin, and everybody else by the token.
 */

import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

export class Gate {
  readonly #token: string;
  readonly #hosts: readonly string[];

  /** `hosts`: how this server may be called, its port included. */
  constructor(token: string, hosts: readonly string[]) {
    this.#token = token;
    this.#hosts = hosts;
  }

  /** The status with which a request is refused; null when it is let in. */
  refusal({ method, headers, url = "" }: IncomingMessage, wants: "page" | "stream"): number | null {
    const { host = "", origin } = headers;
    if (!this.#hosts.includes(host)) return 421;
    // A browser says which page asks when it is another's, and always for a stream.
    const isOwn = this.#hosts.some((known) => origin === `http://${known}`);
    if (!isOwn && (origin !== undefined || wants === "stream")) return 403;
    const [, given = "", ...rest] = url.split("/");
    if (!isEqual(given, this.#token)) return 403;
    if (method !== "GET") return 405;
    return rest.length === 1 && rest[0] === (wants === "stream" ? "stream" : "") ? null : 404;
  }
}

export const WHY: Readonly<Record<number, string>> = {
  403: "the link that was printed is needed, whole",
  404: "there is no such page",
  405: "nothing can be sent here",
  421: "this is not the machine that was asked for",
  503: "there are viewers enough",
};

/** In a time that tells nothing of how much of it is right. */
const isEqual = (given: string, token: string): boolean => timingSafeEqual(digest(given), digest(token));
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
