/**
 * A port with pages for programs that look after a server: short answers to GET, over HTTP. What changes
 * something is ordered by POST, and only where there is a token.
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

export interface Pages {
  /** Given the path alone, as it was sent, without query and fragment. */
  read(path: string): Page;
  order?(path: string, query: URLSearchParams): Promise<Page>;
}

export interface PagePort {
  readonly port: number;
  close(): Promise<void>;
}

/** Of a request, from the first byte to the last, and of a connection that asks nothing. */
const PATIENCE_MS = 5000;
const LONGEST_HEAD = 8192;
const MOST_CONNECTIONS = 64;

/** Without a token everybody may read, and nobody order. */
export async function openPages(
  { host, port }: Address,
  token: string | null,
  pages: Pages,
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
    const { method = "" } = request;
    const isRead = method === "GET" || method === "HEAD";
    void answerTo(request, token, pages).then(({ status, type, text }) => {
      response.writeHead(status, {
        "content-type": type,
        "content-length": Buffer.byteLength(text),
        "cache-control": "no-store",
        // A body may be under way that nobody will read.
        ...(isRead ? {} : { connection: "close" }),
        ...(status === NOT_ALLOWED.status ? { allow: "GET, HEAD" } : {}),
        ...(status === NOT_KNOWN.status ? { "www-authenticate": "Bearer" } : {}),
      });
      response.end(method === "HEAD" ? undefined : text);
    });
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

async function answerTo(
  { method = "", url = "/", headers }: http.IncomingMessage,
  token: string | null,
  pages: Pages,
): Promise<Page> {
  const isKnown = token === null || isBearer(headers.authorization ?? "", token);
  const [path = "", query = ""] = url.replace(/#.*/s, "").split("?", 2);
  if (method === "GET" || method === "HEAD") return isKnown ? pages.read(path) : NOT_KNOWN;
  if (method !== "POST" || pages.order === undefined || token === null) return NOT_ALLOWED;
  return isKnown ? pages.order(path, new URLSearchParams(query)) : NOT_KNOWN;
}

const NOT_ALLOWED: Page = { status: 405, type: "text/plain; charset=utf-8", text: "only GET and HEAD\n" };
const NOT_KNOWN: Page = { status: 401, type: "text/plain; charset=utf-8", text: "only with the token\n" };

/** How long it takes says nothing about where they differ. */
function isBearer(authorization: string, token: string): boolean {
  const said = /^bearer +(.*)$/i.exec(authorization)?.[1] ?? "";
  return timingSafeEqual(hashOf(said), hashOf(token));
}

const hashOf = (text: string): Uint8Array => createHash("sha256").update(text).digest();
