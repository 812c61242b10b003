/**
 * A port with pages for programs that look after a server: short answers to GET, over HTTP.
 *
 * Whoever calls is a stranger, and may be slow, greedy or mad. A request has a small head, a few seconds, and
 * no body that anybody reads; there are only so many connections, and none of it is told to the replica.
 */

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

/** `pageAt` is given the path alone, as it was sent, without query and fragment. */
export async function openPages(
  { host, port }: Address,
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
    const { method = "", url = "/" } = request;
    const isRead = method === "GET" || method === "HEAD";
    const { status, type, text } = isRead ? pageAt(url.replace(/[?#].*/s, "")) : NOT_ALLOWED;
    response.writeHead(status, {
      "content-type": type,
      "content-length": Buffer.byteLength(text),
      "cache-control": "no-store",
      // A body may be under way that nobody will read.
      ...(isRead ? {} : { allow: "GET, HEAD", connection: "close" }),
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
