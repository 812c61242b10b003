/** For tests: shakes hands with every client, and leaves what it answers to whoever plays it. */

import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { framed } from "#node/wire/client/header.ts";
import { JuteReader, JuteWriter } from "#node/wire/client/jute.ts";

/** The answer that what was requested is done, in a transaction of its own. */
export function agreement(request: Buffer): Uint8Array {
  const xid = new JuteReader(request).int();
  return framed(new JuteWriter().int(xid).long(9).int(0).finish());
}

export abstract class PlayedServer implements AsyncDisposable {
  /** Which sessions clients came with, in hexadecimal. */
  readonly sessions: string[] = [];
  /** It does not read what comes next. */
  isDeaf = false;
  readonly #granted: Uint8Array;
  readonly #timeoutMs: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  /** Every client is granted this session, of eight bytes. */
  constructor(granted: Uint8Array, timeoutMs: number) {
    this.#granted = granted;
    this.#timeoutMs = timeoutMs;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** `request` comes without its length. */
  protected abstract answer(socket: Socket, request: Buffer): void;

  async listen(host: string, port: number): Promise<this> {
    this.#server.listen(port, host);
    await once(this.#server, "listening");
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Its kernel says so to all that are connected. */
  die(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.die();
    if (this.#server.listening) await once(this.#server, "close");
  }

  #serve(socket: Socket): void {
    let first = true;
    let rest = Buffer.alloc(0);
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk: Buffer) => {
      if (this.isDeaf) return void socket.pause();
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
        const payload = rest.subarray(4, 4 + rest.readInt32BE(0));
        rest = rest.subarray(4 + payload.length);
        if (first) this.#shakeHands(socket, payload);
        else this.answer(socket, payload);
        first = false;
      }
    });
  }

  #shakeHands(socket: Socket, hello: Buffer): void {
    this.sessions.push(hello.subarray(16, 24).toString("hex"));
    const response = new JuteWriter().int(0).int(this.#timeoutMs).raw(this.#granted);
    socket.write(framed(response.buffer(new Uint8Array(16)).bool(false).finish()));
  }
}
