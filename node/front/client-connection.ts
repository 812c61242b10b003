/**
 * One client's connection, as its server keeps it: who it is, what it has asked and not been answered, and
 * the numbers that `cons` shows.
 */

import type { ClientId } from "../core/identity.ts";
import type { Mutant } from "../core/mutant.ts";
import type { Instant } from "../core/time.ts";
import { type Id, writeId } from "../wire/client/acl.ts";
import type { ConnectRequest } from "../wire/client/handshake.ts";
import { JuteWriter } from "../wire/client/jute.ts";
import { FrameBuffer } from "./frame-buffer.ts";
import { Spread } from "../core/spread.ts";

/** What an answer needs beside its result. It goes along with the question and comes back with the answer. */
export interface Owed {
  readonly xid: number;
  /** As `cons` shows it. */
  readonly operation: string;
  readonly at: Instant;
  /** Of a `sync`, which answers with what it was asked. */
  readonly echo: Uint8Array | null;
  /** The answer, when nobody has to be asked for it; `zxid` null is the server's own. */
  readonly known: { readonly result: Uint8Array; readonly zxid: number | null } | null;
  /** A read, before whose answer nothing more is asked. */
  readonly reads: boolean;
  /** The connection ends with this answer. */
  readonly last: boolean;
  /** What it takes here until it is answered, roughly. */
  readonly bytes: number;
}

export class ClientConnection {
  readonly client: ClientId;
  /** What the scheme `ip` compares: IPv4 as `10.0.0.1`. */
  readonly address: string;
  readonly port: number;
  readonly since: Instant;
  readonly frames = new FrameBuffer();
  /** How many questions it has asked that are not answered yet. */
  asked = 0;
  /** Bytes that these take. */
  owed = 0;
  /** Round trips within this server, in microseconds. */
  readonly latencies = new Spread();
  /**
   * `greeting` before its first frame, `joining` until its session is there, `ended` when nothing more is
   * read from it.
   */
  phase: "greeting" | "joining" | "open" | "ended" = "greeting";
  greeting: ConnectRequest | null = null;
  ids: Id[];
  /** What these take in each request. */
  idBytes = 0;
  session = 0;
  timeoutMs = 0;
  /** Its session is known to this server alone, which is cut off: it may read. */
  readOnly = false;
  /** A read of it is not answered yet. */
  reading = false;
  /** No more is to be read from its socket for now. */
  paused = false;
  heardAt: Instant;
  readonly #mutant: Mutant | null | undefined;
  received = 0;
  sent = 0;
  lastOperation = "NA";
  lastXid = 0;
  lastZxid = 0;
  lastAnswerAt: Instant;

  constructor(client: ClientId, address: string, port: number, now: Instant, mutant?: Mutant | null) {
    this.#mutant = mutant;
    this.client = client;
    this.address = address;
    this.port = port;
    this.since = now;
    this.heardAt = now;
    this.lastAnswerAt = now;
    this.ids = [{ scheme: "ip", id: address }];
  }

  /** False when these would be more than anybody needs: every request carries them all. */
  addIds(proved: readonly Id[]): boolean {
    const added = proved.filter(
      (id) => !this.ids.some((own) => own.scheme === id.scheme && own.id === id.id),
    );
    if (added.length === 0) return true;
    const ids = [...this.ids, ...added];
    const bytes = bytesOf(ids);
    if ((ids.length > MOST_IDS || bytes > MOST_ID_BYTES) && this.#mutant !== "identities-unbounded")
      return false;
    this.ids = ids;
    this.idBytes = bytes;
    return true;
  }

  /** Its questions are taken. */
  get isReadFrom(): boolean {
    return (this.phase === "greeting" || this.phase === "open") && !this.paused && !this.reading;
  }

  clearStatistics(): void {
    this.latencies.clear();
    this.received = this.sent = 0;
    this.lastOperation = "NA";
    this.lastXid = this.lastZxid = 0;
  }
}

const bytesOf = (ids: readonly Id[]): number => new JuteWriter().vector(ids, writeId).length;

/** Who one client may be at once, and how much of a request that may take. People have a handful. */
export const MOST_IDS = 64;
export const MOST_ID_BYTES = 4 * 1024;
