/**
 * The write clients of a trial in virtual time: those that live trials have, on connections and a clock that
 * only pretend.
 */

import { type ServerId, serverId } from "#node/core/identity.ts";
import { after, type Duration, type Instant, microseconds } from "#node/core/time.ts";
import { type VirtualClients, VirtualSession } from "#node/host/virtual/clients.ts";
import type { Topology } from "../../topology/topology.ts";
import { type ClientSurroundings, WriteClient } from "../../workload/client-session.ts";
import type { WriteOperation } from "../../workload/operation.ts";
import { placesOf } from "../../workload/places.ts";
import type { Schedule } from "../../workload/schedule.ts";
import type { Client } from "../../workload/workload.ts";
import type { Ending } from "../../workload/writing.ts";

/** What clients send, and when. */
export interface Load {
  readonly schedule: Schedule;
  /** Each client sends its next write so long after an answer, until the end; the schedule has its first. */
  readonly closed: { readonly think: Duration; readonly until: Duration } | null;
}

export const openLoad = (schedule: Schedule): Load => ({ schedule, closed: null });

export class SimulatedClients {
  readonly operations: WriteOperation[] = [];
  readonly #clients: VirtualClients;
  readonly #schedule: Schedule;
  readonly #closed: Load["closed"];
  /** Of those beyond the schedule. */
  readonly #asked = new Map<number, number>();
  #count: number;
  readonly #writers: ReadonlyMap<number, WriteClient>;
  #origin: Instant | null = null;
  #next = 0;

  constructor(clients: VirtualClients, topology: Topology, { schedule, closed }: Load) {
    this.#clients = clients;
    this.#schedule = schedule;
    this.#closed = closed;
    this.#count = schedule.intended.length;
    this.#writers = new Map(
      schedule.clients.map((client) => [client.id, this.#writer(client, placesOf(client, topology))]),
    );
  }

  /** All have a session and a znode. */
  get arePrepared(): boolean {
    return [...this.#writers.values()].every(({ isPrepared }) => isPrepared);
  }

  get haveFinished(): boolean {
    return [...this.#writers.values()].every(({ isFinished }) => isFinished);
  }

  /** The load begins then. */
  begin(origin: Instant): void {
    this.#origin = origin;
    this.#planNext(origin);
  }

  /** The run is over; what was not answered will not be known. */
  finish(): void {
    for (const writer of this.#writers.values()) void writer.finish();
  }

  /** In order of completion. */
  ended(): readonly WriteOperation[] {
    return this.operations.sort((a, b) => a.completed - b.completed || a.id - b.id);
  }

  #writer(client: Client, places: readonly ServerId[]): WriteClient {
    const around: ClientSurroundings = {
      payloadBytes: this.#schedule.payloadBytes,
      now: () => this.#clients.world.now,
      ended: (ending) => this.#note(client.site, ending),
      session: ({ servers }, driven) =>
        new VirtualSession(this.#clients, {
          ...driven,
          place: client.site,
          servers: servers.map(({ id }) => serverId(id)),
        }),
    };
    return new WriteClient({ id: client.id, servers: places.map((id) => ({ id, host: "" })) }, around);
  }

  #planNext(origin: Instant): void {
    const at = this.#schedule.intended[this.#next];
    if (at === undefined) return;
    this.#clients.world.at(after(origin, microseconds(at)), () => {
      const id = this.#next++;
      this.#planNext(origin);
      this.#writers.get(this.#schedule.client[id] ?? 0)?.due([id]);
    });
  }

  #note(site: string, { client, id, server, sent, completed, outcome, zxid }: Ending): void {
    const origin = this.#origin ?? 0;
    const intended = this.#schedule.intended[id] ?? this.#asked.get(id) ?? 0;
    const times = { intended, sent: sent - origin, completed: completed - origin };
    this.operations.push({ id, client, site, server, ...times, outcome, zxid });
    if (this.#closed !== null) this.#askAgain(client, this.#closed);
  }

  #askAgain(client: number, { think, until }: NonNullable<Load["closed"]>): void {
    const { world } = this.#clients;
    world.at(after(world.now, think), () => {
      const now = world.now - (this.#origin ?? 0);
      if (now >= until) return;
      const id = this.#count++;
      this.#asked.set(id, now);
      this.#writers.get(client)?.due([id]);
    });
  }
}
