/**
 * What clients ask of servers and what these tell them unasked, counted from the bytes that pass the servers'
 * doors: neither side takes part in it. What a client is told that has asked to close its session does not
 * count.
 */

import type { ClientId } from "../../core/identity.ts";
import { FrameBuffer } from "../../front/frame-buffer.ts";
import { JuteReader } from "../../wire/client/jute.ts";
import { operationOf } from "../../wire/client/operation.ts";
import { type ClientRequest, readRequest } from "../../wire/client/request.ts";

/** Of an event of a watch. */
const EVENT = -1;

export class ServerTally {
  readonly asked = new Map<ClientRequest["kind"], number>();
  /** Questions that set a watch. */
  watching = 0;
  notifications = 0;
  readonly #asking = new Map<ClientId, Frames>();
  readonly #told = new Map<ClientId, Frames>();
  readonly #leaving = new Set<ClientId>();

  received(client: ClientId, bytes: Uint8Array): void {
    for (const frame of framesOf(this.#asking, client, bytes)) {
      const reader = new JuteReader(frame);
      reader.int();
      const operation = operationOf(reader.int());
      const request = operation === undefined ? null : readRequest(operation, reader);
      if (request === null || request.kind === "ping") continue;
      if (request.kind === "closeSession") this.#leaving.add(client);
      this.asked.set(request.kind, this.askedFor(request.kind) + 1);
      if ("watch" in request && request.watch) this.watching += 1;
    }
  }

  sent(client: ClientId, bytes: Uint8Array): void {
    for (const frame of framesOf(this.#told, client, bytes)) {
      const isEvent = new JuteReader(frame).int() === EVENT;
      if (isEvent && !this.#leaving.has(client)) this.notifications += 1;
    }
  }

  askedFor(kind: ClientRequest["kind"]): number {
    return this.asked.get(kind) ?? 0;
  }
}

function framesOf(all: Map<ClientId, Frames>, client: ClientId, bytes: Uint8Array): readonly Uint8Array[] {
  let frames = all.get(client);
  if (frames === undefined) all.set(client, (frames = new Frames()));
  return frames.take(bytes);
}

/** One direction of a connection; the first frame is its handshake. */
class Frames {
  readonly #buffer = new FrameBuffer();
  #isGreeted = false;

  take(bytes: Uint8Array): readonly Uint8Array[] {
    this.#buffer.push(bytes.slice());
    const frames: Uint8Array[] = [];
    for (let cut = this.#buffer.next(); cut !== null; cut = this.#buffer.next()) {
      if (cut.kind === "nonsense") break;
      if (cut.kind === "frame" && this.#isGreeted) frames.push(cut.payload);
      this.#isGreeted = true;
    }
    return frames;
  }
}
