/**
 * A tree on its own, for tests: transactions get their zxids and their time here, and answers come back as
 * values instead of bytes. Clients are named by their sessions.
 */

import { utf8Bytes } from "../../core/utf8.ts";
import { joined } from "../../core/pieces.ts";
import { assert } from "../../core/assert.ts";
import { clientId, serverId } from "../../core/identity.ts";
import { timeOfDay } from "../../core/time.ts";
import { epoch, type Zxid, zxid } from "../../core/zxid.ts";
import { type Id, OPEN } from "../../wire/client/acl.ts";
import type { Create } from "../../wire/client/create.ts";
import { ERRORS, type ErrorName } from "../../wire/client/error.ts";
import { JuteReader } from "../../wire/client/jute.ts";
import { ANY_VERSION, type SetData, type VersionedPath } from "../../wire/client/node.ts";
import { type ClientRequest, readReply } from "../../wire/client/request.ts";
import { DEFAULTS, type Options, type Outcome, payloadOf } from "../../tree/payload.ts";
import { Tree } from "../../tree/tree.ts";

const NOTHING = new Uint8Array(0);
/** Of the one password that all sessions of a story have. */
export const SEAL = "a seal";

export const make = (path: string, rest: Partial<Create> = {}): Create => ({
  kind: "create",
  path,
  data: NOTHING,
  acl: OPEN,
  flags: 0,
  ttl: -1,
  ...rest,
});

export const put = (path: string, text: string, version = ANY_VERSION): SetData => ({
  kind: "setData",
  path,
  data: utf8Bytes(text),
  version,
});

export const erase = (path: string, version = ANY_VERSION): VersionedPath => ({
  kind: "delete",
  path,
  version,
});

export const failure = (name: ErrorName): Outcome => ({ kind: "error", error: ERRORS[name] });

export class Stage {
  readonly tree: Tree;
  options: Options = DEFAULTS;
  /** Milliseconds since 1970. */
  time = 1_700_000_000_000;
  /** Of every session: who it is. */
  readonly ids = new Map<number, readonly Id[]>();

  constructor(tree = new Tree()) {
    this.tree = tree;
  }

  get next(): Zxid {
    return (this.tree.applied === 0 ? zxid(epoch(1), 1) : this.tree.applied + 1) as Zxid;
  }

  /** A new session at server 1, or at another. */
  open(server = 1, timeoutMs = 4000): number {
    const outcome = this.write({ kind: "createSession", timeoutMs, seal: SEAL }, 0, server);
    assert(outcome.kind === "createSession", "no session");
    return outcome.session;
  }

  write(request: ClientRequest, session: number, server = 1): Outcome {
    const result = this.tree.apply({
      zxid: this.next,
      time: timeOfDay(this.time),
      ticket: { origin: serverId(server), life: 1, sequence: this.tree.applied },
      payload: payloadOf(request, this.#caller(session)),
      imaged: false,
    });
    return outcomeOf(request, result);
  }

  /** Each session reads through a connection of its own, with the session's last digits for a number. */
  read(request: ClientRequest, session: number): Outcome {
    const client = clientId(session % 1000);
    return outcomeOf(request, joined(this.tree.read(client, payloadOf(request, this.#caller(session)))));
  }

  /** The answer to a read that must be answered in this way. */
  expect<K extends Outcome["kind"]>(kind: K, request: ClientRequest, session: number): Outcome & { kind: K } {
    const outcome = this.read(request, session);
    assert(outcome.kind === kind, `${request.kind} was answered by ${JSON.stringify(outcome)}`);
    return outcome as Outcome & { kind: K };
  }

  #caller(session: number) {
    return { session, xid: 0, ids: this.ids.get(session) ?? [], options: this.options };
  }
}

/** What the one holds becomes the state of the other, by a snapshot. */
export function handOver(from: Tree, to: Tree): void {
  const [snapshot, restoration] = [from.snapshot(), to.restore(from.applied)];
  for (let chunk = snapshot.next(); chunk !== null; chunk = snapshot.next())
    assert(restoration.accept(chunk) === null, "a chunk was refused");
  assert(restoration.finish() === null, "the snapshot was refused");
}

/** The same state in another tree, as another server would have it. */
export function restored({ tree, options, ids, time }: Stage, into = new Tree()): Stage {
  handOver(tree, into);
  const stage = new Stage(into);
  stage.options = options;
  stage.time = time;
  for (const [session, own] of ids) stage.ids.set(session, own);
  return stage;
}

function outcomeOf(request: ClientRequest, result: Uint8Array): Outcome {
  const reader = new JuteReader(result);
  const error = reader.int();
  if (error !== 0) return { kind: "error", error };
  const reply = readReply(request.kind, reader);
  assert(reply !== null && reader.left === 0, `an unreadable reply to ${request.kind}`);
  return reply;
}
