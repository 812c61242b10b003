/**
 * A client that asks for everything at once, and reads as many answers as it likes and no more. It says who
 * it is and asks in one breath; what comes back it only counts.
 */

import { connect, type Socket } from "node:net";
import { Frames } from "#node/client/frames.ts";
import { Question } from "#node/client/question.ts";
import { PASSWORD_BYTES, writeConnectRequest } from "#node/wire/client/handshake.ts";
import { JuteReader, JuteWriter } from "#node/wire/client/jute.ts";
import type { ClientRequest } from "#node/wire/client/request.ts";
import { HOST } from "../topology/loopback.ts";

const SESSION_TIMEOUT_MS = 40_000;
const XID_AT = 4;

export class Stuck implements Disposable {
  readonly #socket: Socket;
  readonly #frames = new Frames();
  readonly #reads: number;
  readonly #done = Promise.withResolvers<void>();
  #isWelcome = false;
  /** Answers in the order asked. */
  served = 0;
  isGone = false;

  constructor(port: number, request: ClientRequest, times: number, reads: number) {
    this.#reads = reads;
    this.#socket = connect({ port, host: HOST, noDelay: true });
    this.#socket.write(Buffer.concat([hello(), ...numbered(request, times)]));
    this.#socket.on("data", (bytes) => this.#take(bytes));
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      this.isGone = true;
      this.#done.resolve();
    });
  }

  /** It has read what it wanted, or its connection has ended. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #take(bytes: Uint8Array): void {
    this.#frames.push(bytes);
    for (let frame = this.#frames.next(); frame !== null; frame = this.#frames.next()) {
      if (this.#isWelcome && new JuteReader(frame).int() === this.served + 1) this.served += 1;
      this.#isWelcome = true;
      if (this.served === this.#reads) {
        this.#socket.pause();
        this.#done.resolve();
        return;
      }
    }
  }
}

/** A frame each, with the xids 1, 2 and so on. */
function numbered(request: ClientRequest, times: number): Buffer[] {
  const { frame } = new Question(request);
  return Array.from({ length: times }, (_, index) => {
    const copy = Buffer.from(frame);
    copy.writeInt32BE(index + 1, XID_AT);
    return copy;
  });
}

function hello(): Uint8Array {
  const password = new Uint8Array(PASSWORD_BYTES);
  const wish = { lastZxidSeen: 0, timeoutMs: SESSION_TIMEOUT_MS, session: 0, password, readOnly: false };
  const request = writeConnectRequest(new JuteWriter(64), wish).finish();
  return new JuteWriter(64).buffer(request).finish();
}
