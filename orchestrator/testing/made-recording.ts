/**
 * A recording made by hand for tests, with answers that one can work out: a write every 10 ms from each site,
 * p5 leading until its death at 10 s, p3 established 300 ms later, latencies of 40 ms before and 30 ms after.
 */

import { serverId } from "#node/core/identity.ts";
import { round } from "#node/core/score.ts";
import { epoch, zxid } from "#node/core/zxid.ts";
import { candidate } from "#node/telemetry/facts.ts";
import type { ServiceRecording } from "../recording/recording.ts";
import type { RecordedEvent } from "../system/system.ts";
import { planTrial } from "../plan/flags.ts";
import type { WriteOperation } from "../workload/operation.ts";
import { clientsOf } from "../workload/schedule.ts";

export const FAULT = 10_000_000;
const ESTABLISHED = FAULT + 300_000;
const STEP = 10_000;

export function madeRecording(): ServiceRecording {
  const plan = planTrial({ duration: "20s", killAt: "10s" }, "sim");
  const clients = clientsOf(plan.topology).filter(({ home }) => home <= 4 && home !== 2);
  const operations = inOrder(clients.flatMap((client, index) => writesOf(client.id, client.site, index)));
  const keys = clients.map(({ id }) => {
    const own = operations.filter(({ client, outcome }) => client === id && outcome === "ok");
    return { client: id, lastId: Math.max(...own.map((operation) => operation.id)), version: own.length };
  });
  return {
    plan,
    clients,
    operations,
    events: story(),
    marks: [{ at: FAULT, fault: "crash leader", servers: [5] }],
    certificates: { idle: null, loaded: null },
    machine: null,
    finals: [1, 2, 3, 4].map((server) => ({ server, zxid: zxid(epoch(2), 9), digest: "same", keys })),
    resources: [],
    unmeasured: {},
    lifted: false,
    environment: {
      command: "",
      startedAt: "",
      sources: "",
      version: "",
      commit: "",
      node: "",
      kernel: "",
      machine: "",
      engine: "made",
    },
    interrupted: false,
  };
}

function writesOf(client: number, site: string, index: number): Omit<WriteOperation, "zxid">[] {
  const operations: Omit<WriteOperation, "zxid">[] = [];
  for (let place = 0; place * STEP < 20_000_000; place++) {
    const intended = place * STEP;
    const held = intended > FAULT - 40_000 && intended < ESTABLISHED;
    const completed = held
      ? ESTABLISHED + 20_000 * (index + 1)
      : intended + (intended < FAULT ? 40_000 : 30_000);
    operations.push({
      id: place * 3 + index,
      client,
      site,
      server: client,
      intended,
      sent: intended,
      completed,
      outcome: "ok",
    });
  }
  return operations;
}

/** They took place in the order in which they were answered, from an instant on in the second epoch. */
export function inOrder(
  operations: readonly Omit<WriteOperation, "zxid">[],
  second = ESTABLISHED,
): WriteOperation[] {
  const counts = new Map<number, number>();
  return operations
    .toSorted((a, b) => a.completed - b.completed || a.id - b.id)
    .map((operation) => {
      if (operation.outcome !== "ok") return { ...operation, zxid: 0 };
      const led = operation.completed < second ? 1 : 2;
      const count = (counts.get(led) ?? 0) + 1;
      counts.set(led, count);
      return { ...operation, zxid: zxid(epoch(led), count) };
    });
}

/** Of p1, which answers the first client. */
function following(): RecordedEvent[] {
  const told: readonly [ms: number, event: RecordedEvent["event"]][] = [
    [12, { kind: "looking", reason: "p5 is gone" }],
    [155, { kind: "elected", leader: serverId(3), round: round(3) }],
    [305, { kind: "serving", leader: serverId(3), epoch: epoch(2) }],
    [319, { kind: "committed", epoch: epoch(2), zxid: zxid(epoch(2), 1) }],
  ];
  return told.map(([ms, event]) => ({ at: FAULT + ms * 1e3, server: 1, event }));
}

const stands = (score: number): RecordedEvent["event"] => ({
  kind: "observed",
  election: "pole",
  facts: candidate(round(3), [score], { meanMs: score }),
});

function story(): RecordedEvent[] {
  const three = serverId(3);
  const at = (ms: number, event: RecordedEvent["event"]): RecordedEvent => ({
    at: FAULT + ms * 1e3,
    server: 3,
    event,
  });
  return [
    { at: -1e6, server: 5, event: { kind: "established", epoch: epoch(1), initial: zxid(epoch(0), 0) } },
    at(10, { kind: "looking", reason: "p5 is gone" }),
    at(60, { kind: "elected", leader: serverId(4), round: round(2) }),
    at(130, { kind: "looking", reason: "p4 led nobody" }),
    at(135, stands(21)),
    { ...at(140, stands(39)), server: 4 },
    at(150, { kind: "elected", leader: three, round: round(3) }),
    at(190, { kind: "discovered", epoch: epoch(2), newest: serverId(4), lastZxid: zxid(epoch(1), 7) }),
    at(190, { kind: "pulling", from: serverId(4), since: zxid(epoch(1), 5) }),
    at(210, { kind: "pulled", from: serverId(4), bytes: 2048, how: "diff" }),
    at(215, { kind: "synchronizing", follower: serverId(1), how: "snapshot", from: zxid(epoch(1), 1) }),
    at(300, { kind: "established", epoch: epoch(2), initial: zxid(epoch(1), 7) }),
    ...following(),
    at(318, { kind: "committed", epoch: epoch(2), zxid: zxid(epoch(2), 1) }),
    at(900, { kind: "synchronized", follower: serverId(1), bytes: 5_000_000 }),
  ];
}
