/**
 * Sees everything that an ensemble does, and throws at the first step that breaks a promise.
 *
 * It stands between the replicas and their state machines, and beside the host; the replicas do not know it.
 */

import type { Pieces } from "../../../core/pieces.ts";
import type { Input } from "../../../core/automaton.ts";
import type { ClientId, ServerId } from "../../../core/identity.ts";
import type { Restoration, Snapshot, StateMachine } from "../../../core/machine.ts";
import type { Instant, TimeOfDay } from "../../../core/time.ts";
import type { Transaction } from "../../../core/transaction.ts";
import type { Epoch, Zxid } from "../../../core/zxid.ts";
import { DEFAULT_ELECTION, type ElectionChoice } from "../../../election/catalog.ts";
import type { ResignTerms } from "../../../oracle/resignation.ts";
import type { ReplicaOutput, ReplicaProtocol } from "../../../replica/replica-protocol.ts";
import type { Observer } from "../ensemble.ts";
import { Disks } from "./disks.ts";
import type { PeerMessage } from "../../../replica/message.ts";
import { Elections } from "./elections.ts";
import { Resignations } from "./resignations.ts";
import { Sequence, Violation } from "./sequence.ts";
import { Beliefs } from "./beliefs.ts";

export class Witness {
  readonly sequence = new Sequence();
  readonly beliefs = new Beliefs();
  readonly #elections: Elections;
  readonly #resignations: Resignations;
  readonly #disks: Disks;
  readonly #leaders = new Map<Epoch, ServerId>();

  constructor(
    servers: readonly ServerId[],
    election: ElectionChoice = { name: DEFAULT_ELECTION },
    resign: ResignTerms | null = null,
  ) {
    this.#resignations = new Resignations(resign);
    this.#elections = new Elections(servers, election);
    this.#disks = new Disks(servers);
  }

  /** Lawful leaderships so far. */
  get epochs(): number {
    return this.#leaders.size;
  }

  readonly observer: Observer<ReplicaProtocol> = {
    input: (server, input) => this.#input(server, input),
    effect: (server, effect) => {
      if (effect.kind === "append") this.#disks.appended(server, effect.records);
    },
    output: (server, output, now) => this.#output(server, output, now),
    crashed: (server) => this.beliefs.crashed(server),
  };

  /** The machine of one life of a server, watched. */
  watch(server: ServerId, machine: StateMachine): StateMachine {
    this.sequence.restored(server, machine.applied, "");
    return new WatchedMachine(this, server, machine);
  }

  apply(server: ServerId, machine: StateMachine, transaction: Transaction): Uint8Array {
    const { length } = this.sequence;
    const result = machine.apply(transaction);
    this.sequence.delivered(server, transaction, result, machine.digest());
    if (this.sequence.length > length) {
      this.#disks.demandQuorum(transaction.zxid, `p${server} delivered`);
      this.beliefs.executed(transaction, result);
    }
    return result;
  }

  #input(server: ServerId, input: Input<ReplicaProtocol>): void {
    if (input.kind === "start") this.#disks.started(server, input.recovered);
    else if (input.kind === "durable") this.#disks.durable(server, input.upTo);
    else if (input.kind === "message") this.#heard(server, input.from, input.message);
  }

  #heard(server: ServerId, from: ServerId, { part, message }: PeerMessage): void {
    if (part === "election") this.#elections.heard(server, from, message);
    else if (part === "broadcast" && message.kind === "handOver") this.#elections.named(server, message.to);
  }

  #output(server: ServerId, output: ReplicaOutput, now: Instant): void {
    if (output.kind !== "event") {
      this.beliefs.answered(server, output);
      return;
    }
    const { event } = output;
    this.#elections.told(server, event);
    this.#resignations.told(server, event, now);
    if (event.kind !== "serving" || event.leader !== server) return;
    const other = this.#leaders.get(event.epoch);
    if (other !== undefined && other !== server) {
      throw new Violation(`p${server} and p${other} both lead epoch ${event.epoch}`);
    }
    this.#leaders.set(event.epoch, server);
  }
}

class WatchedMachine implements StateMachine {
  readonly #witness: Witness;
  readonly #server: ServerId;
  readonly #machine: StateMachine;

  constructor(witness: Witness, server: ServerId, machine: StateMachine) {
    this.#witness = witness;
    this.#server = server;
    this.#machine = machine;
  }

  get applied(): Zxid {
    return this.#machine.applied;
  }

  get time(): TimeOfDay {
    return this.#machine.time;
  }

  get bytes(): number {
    return this.#machine.bytes;
  }

  apply(transaction: Transaction): Uint8Array {
    return this.#witness.apply(this.#server, this.#machine, transaction);
  }

  read(client: ClientId, query: Uint8Array): Pieces {
    return this.#machine.read(client, query);
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
        if (fault === null) {
          this.#witness.sequence.restored(this.#server, zxid, this.#machine.digest());
        }
        return fault;
      },
    };
  }

  digest(): string {
    return this.#machine.digest();
  }
}
