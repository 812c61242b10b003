/**
 * A client that does only what is allowed, but too often and too large: names, ACLs, paths, parts of a multi,
 * questions without waiting for answers. Mutated frames never come there, as they stay small and few; so here
 * the input is an order, and the frames are made of it.
 *
 *   input => (what:u8 times:u8 size:u8)*     2^(times mod 12) times 2^(size mod 20) bytes; times >= 128: held
 *
 * Held means behind a question that is answered only when all of it was said. Whatever is asked, what becomes
 * a transaction can be told to other servers, what is remembered for later is bounded, and the state can be
 * read back from its snapshot.
 */

import { lengthOf, type Pieces } from "#node/core/pieces.ts";
import type { ClientId } from "#node/core/identity.ts";
import { PAYLOAD_LIMIT } from "#node/core/limits.ts";
import type { Transaction } from "#node/core/transaction.ts";
import {
  authenticate,
  type PlayedClient,
  PlayedServer,
  requestFrame,
} from "#node/testing/front/front-stage.ts";
import { make, Stage } from "#node/testing/tree/stage.ts";
import { Tree } from "#node/tree/tree.ts";
import type { Acl } from "#node/wire/client/acl.ts";
import { MAX_FRAME } from "#node/wire/client/header.ts";
import type { ClientRequest } from "#node/wire/client/request.ts";
import type { Target } from "./target.ts";

/** Of what is said and of what is answered, to one input. */
const MOST_SAID = 4 << 20;
const MOST_ANSWERED = 64 << 20;
/** Of one answer: sixteen megabytes of a `multiRead`, and the last that goes beyond. */
const LARGEST_ANSWER = (16 << 20) + (4 << 20);
/** What questions may take that are not answered: what a server allows all its clients, and one frame. */
const MOST_HELD = (8 << 20) + (2 << 20);

const auths = (count: number): Acl[] =>
  Array.from({ length: count }, (_, number) => ({
    permissions: number + 1,
    id: { scheme: "auth", id: "" },
  }));

/** With its head a quarter of a kilobyte. */
const PART = { flags: 3, data: new Uint8Array(190) };

/** What is asked, for the how manieth time, of about so many bytes. */
const REQUESTS: readonly ((number: number, bytes: number) => ClientRequest)[] = [
  (number, bytes) => authenticate("digest", `${number}${"x".repeat(bytes)}:secret`),
  (number, bytes) => authenticate("digest", `${number}${"é".repeat(bytes / 2)}:secret`),
  () => authenticate("ip", ""),
  (_, bytes) => make("/a", { data: new Uint8Array(bytes) }),
  (number, bytes) => make(`/${number}${"x".repeat(bytes)}`, { flags: 2 }),
  (number, bytes) => make(`/acl${number}`, { acl: auths(bytes / 16) }),
  (number, bytes) => ({
    kind: "setAcl",
    path: "/a",
    acl: [{ permissions: 31, id: { scheme: "digest", id: `${number}${"é".repeat(bytes / 2)}:x` } }],
    version: -1,
  }),
  () => ({ kind: "getData", path: "/a", watch: true }),
  (_, bytes) => ({
    kind: "multiRead",
    operations: Array.from({ length: bytes / 20 }, () => ({ kind: "getData", path: "/a", watch: false })),
  }),
  (_, bytes) => ({
    kind: "multi",
    operations: Array.from({ length: bytes / 256 }, () => make("/a", { ...PART, acl: auths(1) })),
  }),
  (number, bytes) => ({ kind: "exists", path: `/${number}${"y".repeat(bytes)}`, watch: true }),
  () => ({ kind: "ping" }),
  () => ({ kind: "sync", path: "/" }),
];

export function excessTarget(): Target {
  return {
    // Of everything: the largest, at once very many, and much behind names and a large znode.
    seeds: [...REQUESTS.keys()].flatMap((what) => [
      Uint8Array.of(what, 2, 19, 3, 0, 3),
      Uint8Array.of(3, 0, 15, what, 128 + 11, 4),
      Uint8Array.of(0, 3, 8, 3, 0, 18, what, 0, 17),
    ]),
    feed(bytes) {
      const played = new Played();
      for (let at = 0; at + 3 <= bytes.length && !played.isOver; at += 3) {
        const [what = 0, times = 0, size = 0] = bytes.subarray(at, at + 3);
        played.say(what, 2 ** ((times % 128) % 12), 2 ** (size % 20), times >= 128);
      }
      played.end();
    },
  };
}

class Played {
  readonly #tree = new WatchedTree();
  readonly #server = new PlayedServer(new Stage(this.#tree));
  readonly #client: PlayedClient = this.#server.connect(1);
  #said = 0;
  #count = 0;

  constructor() {
    this.#client.greet();
  }

  get isOver(): boolean {
    const isMuch = this.#said > MOST_SAID || this.#tree.answered > MOST_ANSWERED;
    return isMuch || this.#client.ended !== undefined;
  }

  say(what: number, times: number, size: number, held: boolean): void {
    const request = REQUESTS[what % REQUESTS.length] as (typeof REQUESTS)[number];
    this.#server.holding = held && request(0, 0).kind !== "multiRead" && request(0, 0).kind !== "getData";
    this.#tree.asked = 0;
    if (this.#server.holding) this.#client.send({ kind: "ping" }, -2);
    for (let time = 0; time < times && !this.isOver; time++) {
      const frame = requestFrame(request(this.#count++, size), 1);
      if (frame.length > MAX_FRAME) break;
      this.#said += frame.length;
      this.#client.bytes(frame);
      this.#client.frames();
      this.#look();
      // What is not read from is not said more.
      if (this.#server.front.connections.get(this.#client.id)?.paused === true) break;
    }
    this.#server.release();
    this.#client.frames();
    if (this.#tree.asked > MOST_HELD && held) fail(`${this.#tree.asked} bytes of questions were remembered`);
  }

  end(): void {
    this.#server.front.closed(this.#client.id);
    this.#server.run();
    const [snapshot, copy] = [this.#tree.snapshot(), new Tree()];
    const restoration = copy.restore(this.#tree.applied);
    for (let chunk = snapshot.next(); chunk !== null; chunk = snapshot.next()) {
      const fault = restoration.accept(chunk);
      if (fault !== null) fail(`its snapshot cannot be read: ${fault}`);
    }
    const fault = restoration.finish();
    if (fault !== null) fail(`its snapshot cannot be read: ${fault}`);
  }

  #look(): void {
    const { asked = 0, owed = 0 } = this.#server.front.connections.get(this.#client.id) ?? {};
    if (asked > 1000 || owed > MOST_HELD) fail(`${asked} questions of ${owed} bytes wait`);
  }
}

/** Looks at what is asked of it, and at what it answers. */
class WatchedTree extends Tree {
  asked = 0;
  answered = 0;

  override apply(transaction: Transaction): Uint8Array {
    const { length } = transaction.payload;
    if (length > PAYLOAD_LIMIT) fail(`a transaction of ${length} bytes`);
    this.asked += length;
    const answer = super.apply(transaction);
    this.#tell(answer.length);
    return answer;
  }

  override read(client: ClientId, query: Uint8Array): Pieces {
    this.asked += query.length;
    const answer = super.read(client, query);
    this.#tell(lengthOf(answer));
    return answer;
  }

  #tell(bytes: number): void {
    this.answered += bytes;
    if (bytes > LARGEST_ANSWER) fail(`an answer of ${bytes} bytes`);
  }
}

function fail(reason: string): never {
  throw new Error(reason);
}
