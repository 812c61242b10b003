/**
 * The clients of one server, and what stands between them and the history: their questions in, deliveries
 * back.
 *
 * Submitted writes are remembered until they are delivered. When a leader dies they are kept; once the next
 * one is served and everything the old one may have left behind is settled, those that were not delivered
 * never will be, and are submitted again. A client notices a delay, not a failure. After a snapshot nobody
 * can tell which of them it contains: only then a write ends as unknown.
 */

import type { Pieces } from "../core/pieces.ts";
import type { Application } from "../broadcast/broadcast.ts";
import type { ClientId, ServerId } from "../core/identity.ts";
import { PAYLOAD_LIMIT } from "../core/limits.ts";
import type { Restoration, Snapshot, StateMachine } from "../core/machine.ts";
import type { Mutant } from "../core/mutant.ts";
import type { TimeOfDay } from "../core/time.ts";
import type { Ticket, Transaction } from "../core/transaction.ts";
import type { Zxid } from "../core/zxid.ts";
import { ClientQueue } from "./client-queue.ts";
import { PendingWrites } from "./pending-writes.ts";
import type { Inquiry, ReplicaOutput, ReplicaRequest } from "./replica-protocol.ts";

export type Submission =
  | { readonly kind: "write"; readonly ticket: Ticket; readonly payload: Uint8Array }
  | { readonly kind: "sync"; readonly sequence: number };

/** `Tag`: see `Inquiry`. */
export class Clients<Tag = number> implements Application {
  readonly #self: ServerId;
  readonly #machine: StateMachine;
  readonly #mutant: Mutant | null;
  readonly #output: (output: ReplicaOutput<Tag>) => void;
  /** A client's oldest write has ended. */
  readonly #wrote: (client: ClientId) => void;
  readonly #queues = new Map<ClientId, ClientQueue<Tag>>();
  readonly #writes = new PendingWrites<Tag>();
  readonly #syncs = new Map<number, Inquiry<Tag>>();
  /** Clients whose next question may be submitted, or read. */
  readonly #ready = new Set<ClientId>();
  #submissions: Submission[] = [];
  #life = 0;
  #sequence = 0;
  #waiting = 0;
  /** Reads are answered. */
  #serving = false;
  /**
   * Up to this zxid, what was submitted earlier may still be delivered; null when nothing is being settled.
   */
  #settling: Zxid | null = null;

  constructor(
    self: ServerId,
    machine: StateMachine,
    mutant: Mutant | null,
    output: (output: ReplicaOutput<Tag>) => void,
    wrote: (client: ClientId) => void = () => {},
  ) {
    this.#wrote = wrote;
    this.#self = self;
    this.#machine = machine;
    this.#mutant = mutant;
    this.#output = output;
  }

  get applied(): Zxid {
    return this.#machine.applied;
  }

  get time(): TimeOfDay {
    return this.#machine.time;
  }

  get stateBytes(): number {
    return this.#machine.bytes;
  }

  deliver(transaction: Transaction): void {
    const result = this.#machine.apply(transaction);
    const { ticket } = transaction;
    if (ticket.origin === this.#self && ticket.life === this.#life) {
      const write = this.#writes.take(ticket.sequence);
      if (write !== null) this.#answer(write.question, [result]);
    }
    if (this.#settling !== null) this.#settle();
  }

  snapshot(): Snapshot {
    return this.#machine.snapshot();
  }

  restore(zxid: Zxid): Restoration {
    const restoration = this.#machine.restore(zxid);
    return {
      accept: (chunk) => restoration.accept(chunk),
      finish: () => {
        const fault = restoration.finish();
        if (fault !== null) return fault;
        for (const { question } of this.#writes.giveUp()) {
          const { client, tag } = question;
          this.#leave(question, { kind: "unknown", client, tag, reason: "the state came as a snapshot" });
        }
        if (this.#settling !== null && this.#mutant !== "snapshot-never-settles") this.#settle();
        return null;
      },
    };
  }

  begin(life: number): void {
    this.#life = life;
  }

  /** A lawful leader is followed; what was submitted before is settled once `settled` is delivered. */
  serve(settled: Zxid): void {
    this.#serving = true;
    this.#settling = settled;
    this.#settle();
  }

  /** No leader is known. */
  suspend(): void {
    this.#serving = false;
    this.#settling = null;
    this.#submissions = [];
  }

  request(request: Exclude<ReplicaRequest<Tag>, { kind: "retire" | "transfer" }>): void {
    switch (request.kind) {
      case "attach":
        if (request.seen > this.#machine.applied && this.#mutant !== "accept-ahead")
          this.#output({ kind: "behind", client: request.client });
        else this.#queues.set(request.client, new ClientQueue());
        break;
      case "detach":
        this.#waiting -= this.#queues.get(request.client)?.length ?? 0;
        this.#queues.delete(request.client);
        break;
      default:
        this.#ask(request);
    }
  }

  /** What may go to the leader now, oldest first. */
  takeSubmissions(): readonly Submission[] {
    if (this.#ready.size > 0) {
      const ready = [...this.#ready];
      this.#ready.clear();
      for (const client of ready) this.#advance(client);
    }
    const submissions = this.#submissions;
    if (submissions.length > 0) this.#submissions = [];
    return submissions;
  }

  synced(sequence: number): void {
    const sync = this.#syncs.get(sequence);
    if (sync === undefined) return;
    this.#syncs.delete(sequence);
    this.#answer(sync, [NOTHING]);
  }

  get #open(): boolean {
    return this.#serving && this.#settling === null;
  }

  #ask(question: Inquiry<Tag>): void {
    const { client, tag } = question;
    const queue = this.#queues.get(client);
    const reason = this.#objectionTo(question, queue);
    if (queue === undefined || reason !== null) {
      this.#output({ kind: "refused", client, tag, reason: reason ?? "" });
      return;
    }
    queue.ask(question);
    this.#waiting += 1;
    this.#ready.add(client);
  }

  #objectionTo(question: Inquiry<Tag>, queue: ClientQueue<Tag> | undefined): string | null {
    if (queue === undefined) return "the client is not attached here";
    if (this.#waiting >= MOST_WAITING) return "too many questions are waiting";
    const bytes = question.kind === "write" ? question.payload.length : 0;
    return bytes <= PAYLOAD_LIMIT ? null : `a write of ${bytes} bytes, where ${PAYLOAD_LIMIT} are the most`;
  }

  /** Once all that may still come of earlier submissions has come, the rest is submitted again. */
  #settle(): void {
    const settled = this.#settling !== null && this.#machine.applied >= this.#settling;
    if (!settled && this.#mutant !== "resubmit-blindly") return;
    this.#settling = null;
    for (const { sequence, question } of this.#writes.all()) this.#submitWrite(sequence, question.payload);
    for (const sequence of this.#syncs.keys()) this.#submissions.push({ kind: "sync", sequence });
    for (const client of this.#queues.keys()) this.#ready.add(client);
  }

  #advance(client: ClientId): void {
    const queue = this.#queues.get(client);
    if (queue === undefined) return;
    this.#answerAlone(queue);
    if (!this.#open) return;
    for (let next = queue.submit(); next !== null; next = queue.submit()) {
      const sequence = this.#sequence++;
      if (next.kind === "write") {
        this.#writes.push({ sequence, question: next });
        this.#submitWrite(sequence, next.payload);
      } else {
        this.#syncs.set(sequence, next);
        this.#submissions.push({ kind: "sync", sequence });
      }
    }
  }

  #submitWrite(sequence: number, payload: Uint8Array): void {
    this.#submissions.push({
      kind: "write",
      ticket: { origin: this.#self, life: this.#life, sequence },
      payload,
    });
  }

  #answer(question: Inquiry<Tag>, result: Pieces): void {
    this.#leave(question, this.#replyTo(question, result));
  }

  #replyTo({ client, tag }: Inquiry<Tag>, result: Pieces): ReplicaOutput<Tag> {
    return { kind: "reply", client, tag, zxid: this.#machine.applied, result };
  }

  /** The client's oldest question, which is this one, ends. */
  #leave(question: Inquiry<Tag>, output: ReplicaOutput<Tag>): void {
    const { client } = question;
    const queue = this.#queues.get(client);
    if (queue?.first() !== question) return; // the client has gone; its write was executed all the same
    queue.answered();
    this.#waiting -= 1;
    if (question.kind === "write") this.#wrote(client);
    this.#output(output);
    if (queue.isEmpty) return;
    this.#answerAlone(queue);
    this.#ready.add(client);
  }

  /** What is next and needs no other server. */
  #answerAlone(queue: ClientQueue<Tag>): void {
    for (let next = queue.answerable(); next !== null; next = queue.answerable()) {
      if (next.kind === "read" && !this.#serving) return;
      const result = next.kind === "read" ? this.#machine.read(next.client, next.query) : [NOTHING];
      queue.answered();
      this.#waiting -= 1;
      this.#output(this.#replyTo(next, result));
    }
  }
}

/** Beyond this many unanswered questions a server refuses more, instead of filling its memory. */
const MOST_WAITING = 100_000;
const NOTHING = new Uint8Array(0);
