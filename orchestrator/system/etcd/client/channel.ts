/**
 * One connection to an etcd server: questions of its v3 API as gRPC has them, each on an HTTP/2 stream of its
 * own, so that many are under way and none waits for another's answer.
 */

import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import type { METHODS } from "../wire/messages.ts";

export type Method = (typeof METHODS)[keyof typeof METHODS];

export interface Reply {
  /** gRPC's: 0 is well. */
  readonly status: number;
  /** Why not, where it is not well. */
  readonly message: string;
  readonly body: Uint8Array;
}

export interface ChannelEvents {
  opened?(): void;
  /** Once; questions that were under way have heard null by then. */
  closed(): void;
}

/** Before each message: whether it is compressed, and its length. */
const FRAME = 5;
/** More than any answer; a window that is full would cost a round trip. */
const WINDOW = 16 << 20;
/** What gRPC calls a stream that ends without saying how. */
const UNKNOWN_STATUS = 2;

export class Channel {
  readonly #session: ClientHttp2Session;
  #closed = false;

  constructor(host: string, port: number, events: ChannelEvents) {
    this.#session = connect(`http://${host}:${port}`, {
      settings: { enablePush: false, initialWindowSize: WINDOW },
    });
    this.#session.setTimeout(0);
    this.#session.on("error", () => {});
    this.#session.on("connect", () => {
      // It may have been left while it was being told.
      if (!this.#session.destroyed) this.#session.setLocalWindowSize(WINDOW);
    });
    // From here on the server is one that speaks the protocol.
    this.#session.once("remoteSettings", () => events.opened?.());
    this.#session.on("goaway", () => this.end());
    this.#session.on("close", () => {
      if (this.#closed) return;
      this.#closed = true;
      events.closed();
    });
  }

  /** `answered` hears null when the connection ended before there was an answer. */
  ask(method: Method, question: Uint8Array, answered: (reply: Reply | null) => void): void {
    if (this.#session.destroyed || this.#session.closed) return answered(null);
    const answer = new Answer(this.#open(method), answered);
    answer.stream.end(framed(question));
  }

  /** Many answers to questions that may follow one another; `answered` hears each, and null at the end. */
  converse(method: Method, answered: (body: Uint8Array | null) => void): (question: Uint8Array) => void {
    const stream = this.#open(method);
    let rest: Buffer = Buffer.alloc(0);
    stream.on("data", (chunk: Buffer) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      while (rest.length >= FRAME && rest.length >= FRAME + rest.readUInt32BE(1)) {
        const end = FRAME + rest.readUInt32BE(1);
        answered(rest.subarray(FRAME, end));
        rest = rest.subarray(end);
      }
    });
    stream.on("error", () => {});
    stream.on("close", () => answered(null));
    return (question) => stream.write(framed(question));
  }

  /** Whether the server is alive: `heard` is called only if it is. */
  ping(heard: () => void): void {
    if (this.#session.destroyed) return;
    this.#session.ping((error) => {
      if (error === null) heard();
    });
  }

  end(): void {
    this.#session.destroy();
  }

  #open(method: Method): ClientHttp2Stream {
    return this.#session.request({
      [constants.HTTP2_HEADER_METHOD]: "POST",
      [constants.HTTP2_HEADER_PATH]: method,
      [constants.HTTP2_HEADER_CONTENT_TYPE]: "application/grpc",
      [constants.HTTP2_HEADER_TE]: "trailers",
    });
  }
}

/** What comes back on one stream. */
class Answer {
  readonly stream: ClientHttp2Stream;
  #status: number | null = null;
  #message = "";
  #body: Buffer | null = null;

  constructor(stream: ClientHttp2Stream, answered: (reply: Reply | null) => void) {
    this.stream = stream;
    stream.on("response", (headers) => this.#read(headers));
    stream.on("trailers", (headers) => this.#read(headers));
    stream.on("data", (chunk: Buffer) => {
      this.#body = this.#body === null ? chunk : Buffer.concat([this.#body, chunk]);
    });
    stream.on("error", () => {});
    stream.on("close", () => answered(this.#reply()));
  }

  #read(headers: Readonly<Record<string, unknown>>): void {
    const { "grpc-status": status, "grpc-message": message } = headers;
    if (status === undefined) return;
    this.#status = Number(status);
    this.#message = typeof message === "string" ? decodeURIComponent(message) : "";
  }

  #reply(): Reply | null {
    if (this.#status === null) return null;
    const body = this.#body?.subarray(FRAME);
    if (this.#status === 0 && body === undefined)
      return { status: UNKNOWN_STATUS, message: "no answer", body: Buffer.alloc(0) };
    return { status: this.#status, message: this.#message, body: body ?? Buffer.alloc(0) };
  }
}

function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(FRAME + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, FRAME);
  return frame;
}

/** One question to one server, on a connection of its own. Throws, for people, where it is not answered. */
export function askOnce(
  { host, port }: { readonly host: string; readonly port: number },
  method: Method,
  question: Uint8Array,
  withinMs: number,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`${host}:${port}${method}: ${why}`));
    const channel = new Channel(host, port, { closed: () => fail("no connection") });
    const timer = setTimeout(() => {
      fail(`no answer within ${withinMs} ms`);
      channel.end();
    }, withinMs);
    channel.ask(method, question, (reply) => {
      clearTimeout(timer);
      if (reply === null) fail("the connection ended");
      else if (reply.status !== 0) fail(reply.message);
      else resolve(reply.body);
      channel.end();
    });
  });
}
