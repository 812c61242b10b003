/**
 * A port with pages for programs that look after a server: short answers to GET, over HTTP.
 *
 * Whoever calls is a stranger, and may be slow, greedy or mad. A request has a small head, a few seconds, and
 * no body that anybody reads; there are only so many connections, and none of it is told to the replica.
 * Where there is a token, a page is for those who bring it (`Authorization: Bearer ...`).
 */

import { createHash, timingSafeEqual } from "node:crypto";
import http from "node:http";
import type net from "node:net";
import type { Address } from "./link.ts";

export interface Page {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

export interface PagePort {
  readonly port: number;
  close(): Promise<void>;
}

/** Of a request, from the first byte to the last, and of a connection that asks nothing. */
const PATIENCE_MS = 5000;
const LONGEST_HEAD = 8192;
const MOST_CONNECTIONS = 64;

/**
 * `pageAt` is given the path alone, as it was sent, without query and fragment. Without a token everybody may
 * read.
 */
export async function openPages(
  { host, port }: Address,
  token: string | null,
  pageAt: (path: string) => Page,
  patienceMs = PATIENCE_MS,
): Promise<PagePort> {
  const server = http.createServer({
    maxHeaderSize: LONGEST_HEAD,
    headersTimeout: patienceMs,
    requestTimeout: patienceMs,
    keepAliveTimeout: patienceMs,
    connectionsCheckingInterval: patienceMs / 5,
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.on("request", (request, response) => {
    const { method = "", url = "/", headers } = request;
    const isRead = method === "GET" || method === "HEAD";
    const isKnown = token === null || isBearer(headers.authorization ?? "", token);
    const page = (): Page => (isKnown ? pageAt(url.replace(/[?#].*/s, "")) : NOT_KNOWN);
    const { status, type, text } = isRead ? page() : NOT_ALLOWED;
    response.writeHead(status, {
      "content-type": type,
      "content-length": Buffer.byteLength(text),
      "cache-control": "no-store",
      // A body may be under way that nobody will read.
      ...(isRead ? {} : { allow: "GET, HEAD", connection: "close" }),
      ...(status === NOT_KNOWN.status ? { "www-authenticate": "Bearer" } : {}),
    });
    response.end(method === "HEAD" ? undefined : text);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, resolve);
  });
  return {
    port: (server.address() as net.AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const NOT_ALLOWED: Page = { status: 405, type: "text/plain; charset=utf-8", text: "only GET and HEAD\n" };
const NOT_KNOWN: Page = { status: 401, type: "text/plain; charset=utf-8", text: "only with the token\n" };

/** How long it takes says nothing about where they differ. */
function isBearer(authorization: string, token: string): boolean {
  const said = /^bearer +(.*)$/i.exec(authorization)?.[1] ?? "";
  return timingSafeEqual(hashOf(said), hashOf(token));
}

const hashOf = (text: string): Uint8Array => createHash("sha256").update(text).digest();
