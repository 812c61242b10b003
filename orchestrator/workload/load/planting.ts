/**
 * Fills a tree as fast as a server takes it: creations in a row on a few connections, many under way on each.
 */

import { OPEN } from "#node/wire/client/acl.ts";
import { ERRORS } from "#node/wire/client/error.ts";
import { XID } from "#node/wire/client/header.ts";
import { Connection, type ConnectionUser, type Credentials, NO_SESSION } from "./connection.ts";
import { payload, RequestTemplate } from "./request.ts";

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
const SESSION_TIMEOUT_MS = 30_000;

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

class Gardener implements ConnectionUser {
  readonly #paths: Iterator<string>;
  readonly #data: Uint8Array;
  readonly #connection: Connection;
  readonly #planted = Promise.withResolvers<void>();
  #underWay = 0;
  #isOpen = false;

  constructor(port: number, paths: Iterator<string>, data: Uint8Array) {
    this.#paths = paths;
    this.#data = data;
    this.#connection = new Connection(port, NO_SESSION, 0, SESSION_TIMEOUT_MS, this);
  }

  get done(): Promise<void> {
    return this.#planted.promise;
  }

  opened(session: Credentials | null): void {
    this.#isOpen = session !== null;
  }

  frame(answer: Buffer): void {
    const xid = answer.readInt32BE(0);
    if (xid === XID.event || xid === XID.ping) return;
    const error = answer.readInt32BE(12);
    this.#underWay -= 1;
    if (error !== ERRORS.ok) this.#planted.reject(new Error(`a znode was refused: ${error}`));
  }

  turn(): void {
    if (!this.#isOpen) return;
    const requests: Buffer[] = [];
    for (; this.#underWay < UNDER_WAY; this.#underWay++) {
      const { value: path, done } = this.#paths.next();
      if (done === true) break;
      const create = { kind: "create", path, data: this.#data, acl: OPEN, flags: 0, ttl: -1 } as const;
      requests.push(new RequestTemplate(create).batch([0], 1));
    }
    if (requests.length > 0) this.#connection.write(Buffer.concat(requests));
    if (this.#underWay > 0) return;
    this.#planted.resolve();
    this.#connection.end();
  }

  closed(): void {
    this.#planted.reject(new Error("a server left while the tree was planted"));
  }
}
