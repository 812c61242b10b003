/**
 * Fills a tree as fast as a server takes it: creations in a row on a few connections, many under way on each.
 */

import type { SessionEvent } from "#node/client/session-protocol.ts";
import { seconds } from "#node/core/time.ts";
import { LiveSession } from "#node/host/tcp/live-session.ts";
import { ERRORS } from "#node/wire/client/error.ts";
import { HOST } from "../../topology/loopback.ts";
import { creation, payload } from "./request.ts";

export interface Garden {
  readonly ports: readonly number[];
  readonly znodes: number;
  readonly payloadBytes: number;
  /** Below this znode, which is created. */
  readonly root?: string;
}

const CONNECTIONS = 6;
const UNDER_WAY = 200;
/** A list of children that a client may ask for stays far below the largest answer. */
const PER_FOLDER = 1000;

/** Rejects when a server refuses a znode or leaves. */
export async function plant({ ports, znodes, payloadBytes, root = "/tree" }: Garden): Promise<void> {
  const [port = 0] = ports;
  await new Gardener(port, folders(root, znodes), new Uint8Array(0)).done;
  const data = payload(payloadBytes);
  const gardeners = Array.from({ length: CONNECTIONS }, (_, index) => {
    const leaves = leavesFrom(root, index, znodes);
    return new Gardener(ports[index % ports.length] ?? port, leaves, data);
  });
  await Promise.all(gardeners.map(({ done }) => done));
}

function* folders(root: string, znodes: number): Generator<string> {
  yield root;
  for (let folder = 0; folder * PER_FOLDER < znodes; folder++) yield `${root}/${folder}`;
}

function* leavesFrom(root: string, first: number, znodes: number): Generator<string> {
  for (let leaf = first; leaf < znodes; leaf += CONNECTIONS) {
    yield `${root}/${Math.floor(leaf / PER_FOLDER)}/${leaf}`;
  }
}

class Gardener {
  readonly #paths: Iterator<string>;
  readonly #data: Uint8Array;
  readonly #session: LiveSession<string>;
  readonly #planted = Promise.withResolvers<void>();
  #underWay = 0;

  constructor(port: number, paths: Iterator<string>, data: Uint8Array) {
    this.#paths = paths;
    this.#data = data;
    this.#session = new LiveSession({
      places: [{ host: HOST, port }],
      policy: { timeout: seconds(30), reconnect: "when told" },
      heard: (event) => this.#hear(event),
    });
    this.#session.connect();
  }

  get done(): Promise<void> {
    return this.#planted.promise;
  }

  #hear(event: SessionEvent<string>): void {
    switch (event.kind) {
      case "opened":
        return this.#plantMore();
      case "answered":
        this.#underWay -= 1;
        if (event.error !== ERRORS.ok) {
          this.#planted.reject(new Error(`${event.asked.tag} was refused: ${event.error}`));
        }
        return this.#plantMore();
      case "closed":
        return this.#planted.reject(new Error(`a server left while the tree was planted: ${event.reason}`));
      default:
    }
  }

  #plantMore(): void {
    for (; this.#underWay < UNDER_WAY; this.#underWay++) {
      const { value: path, done } = this.#paths.next();
      if (done === true) break;
      this.#session.ask(creation(path, this.#data), path);
    }
    if (this.#underWay > 0) return;
    this.#planted.resolve();
    this.#session.abandon();
  }
}
