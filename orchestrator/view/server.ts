/**
 * Serves the page and the stream of a trial that runs, to browsers on this machine that were given the link
 * (`gate.ts`). What the page may do is in its policy. A viewer that does not read has its place in the
 * history and nothing else.
 */

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { type WebSocket, WebSocketServer } from "ws";
import { RefusedInput } from "../terminal/problem.ts";
import { pageOf } from "./document.ts";
import { Gate, WHY } from "./gate.ts";
import type { History } from "./history.ts";

/** Carries out a fault by hand, in words; says why not, or null. */
export type Strike = (words: string) => Promise<string | null>;

export interface ServeOptions {
  readonly history: History;
  /** 0: any that is free. */
  readonly port: number;
  /** Null: nothing that a viewer says is heard. */
  readonly strike?: Strike | null;
}

const LOOPBACK = "127.0.0.1";
const MOST_VIEWERS = 20;
const PUMP_MS = 100;
/** What may stand between this process and a browser that does not read. */
const UNREAD_BYTES = 256 * 1024;
const LONGEST_WORDS = 1024;
/** For viewers to be told the end. */
const FAREWELL_MS = 1000;

export class ViewServer implements AsyncDisposable {
  /** With the token in it. */
  readonly link: string;
  readonly #history: History;
  readonly #strike: Strike | null;
  readonly #gate: Gate;
  readonly #page = pageOf("polebench, live", null);
  readonly #policy: string;
  readonly #http: Server;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: LONGEST_WORDS,
    perMessageDeflate: false,
  });
  readonly #pumping: NodeJS.Timeout;

  /** Throws a RefusedInput when the port is taken. */
  static async open({ history, port, strike = null }: ServeOptions): Promise<ViewServer> {
    const http = createServer();
    http.listen(port, LOOPBACK);
    await listening(http, port);
    return new ViewServer(http, history, strike);
  }

  private constructor(http: Server, history: History, strike: Strike | null) {
    const { port } = http.address() as AddressInfo;
    const hosts = [`${LOOPBACK}:${port}`, `localhost:${port}`];
    const token = randomBytes(32).toString("base64url");
    this.#history = history;
    this.#strike = strike;
    this.#http = http;
    this.#gate = new Gate(token, hosts);
    this.link = `http://${LOOPBACK}:${port}/${token}/`;
    const streams = hosts.map((host) => `ws://${host}`).join(" ");
    this.#policy = `${this.#page.policy}; connect-src ${streams}; frame-ancestors 'none'`;
    http.on("request", (request, response) => this.#answer(request, response));
    http.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    this.#pumping = setInterval(() => history.pump(), PUMP_MS);
  }

  get viewers(): number {
    return this.#sockets.clients.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { clients } = this.#sockets;
    const patience = performance.now() + FAREWELL_MS;
    while (clients.size > 0 && !this.#history.isTold && performance.now() < patience) await delay(PUMP_MS);
    clearInterval(this.#pumping);
    for (const viewer of clients) viewer.close(1001, "the command has ended");
    if (clients.size > 0) await delay(PUMP_MS);
    for (const viewer of clients) viewer.terminate();
    this.#http.closeAllConnections();
    this.#http.close();
    await once(this.#http, "close");
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const refused = this.#gate.refusal(request, "page");
    const type = refused === null ? "text/html" : "text/plain";
    response.writeHead(refused ?? 200, {
      ...HEADERS,
      "Content-Security-Policy": this.#policy,
      "Content-Type": `${type}; charset=utf-8`,
    });
    response.end(refused === null ? this.#page.text : `${WHY[refused] ?? ""}\n`);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const isFull = this.viewers >= MOST_VIEWERS;
    const refused = this.#gate.refusal(request, "stream") ?? (isFull ? 503 : null);
    if (refused === null) this.#sockets.handleUpgrade(request, socket, head, (viewer) => this.#tell(viewer));
    else socket.end(`HTTP/1.1 ${refused} ${WHY[refused] ?? ""}\r\nConnection: close\r\n\r\n`);
  }

  #tell(viewer: WebSocket): void {
    const leave = this.#history.join({
      hasRoom: () => viewer.readyState === viewer.OPEN && viewer.bufferedAmount < UNREAD_BYTES,
      take: (records) => viewer.send(JSON.stringify(records)),
    });
    viewer.on("close", leave);
    // It is closed then, which is all that is to be done.
    viewer.on("error", () => {});
    const strike = this.#strike;
    viewer.on("message", (data: Buffer) => {
      if (strike === null) viewer.close(1008, "this trial takes no faults by hand");
      else void hear(viewer, data.toString("utf8"), strike);
    });
    this.#history.pump();
  }
}

async function hear(viewer: WebSocket, data: string, strike: Strike): Promise<void> {
  let refused: string | null = "that is no fault";
  try {
    const said = JSON.parse(data) as { readonly fault?: unknown } | null;
    if (typeof said?.fault === "string") refused = await strike(said.fault);
  } catch (error) {
    refused = error instanceof Error ? error.message : String(error);
  }
  if (refused !== null && viewer.readyState === viewer.OPEN) viewer.send(JSON.stringify({ refused }));
}

async function listening(http: Server, port: number): Promise<void> {
  try {
    await once(http, "listening");
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    const why = { EADDRINUSE: "is in use", EACCES: "is not yours to listen on" }[code] ?? code;
    throw new RefusedInput(`--watch: port ${port} ${why}; take another, or any that is free: --watch 0`);
  }
}

const HEADERS = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
} as const;
