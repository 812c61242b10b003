// lane: waits, 15 s
// What stands around priority elections, before real server processes: several leaders of one resource with
// spares, tenants that know nothing of each other, and znodes that only members may touch.
import assert from "node:assert/strict";
import { once } from "node:events";
import { suite, test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { runServers, until } from "../testing/host/server-processes.ts";
import {
  connect,
  CREATOR_ALL,
  Election,
  isRefusal,
  type LeaderPlace,
  PriorityElection,
  PriorityLeaders,
} from "./recipe.ts";

const servers = await runServers();
const all = servers.places.map(({ host, port }) => `${host}:${port}`).join(",");

const untilAborted = async ({ signal }: { signal: AbortSignal }): Promise<void> => {
  if (!signal.aborted) await once(signal, "abort");
};

suite("several leaders and spares", () => {
  test("two of four lead, each in a place of its own; who leaves is replaced by a spare", async () => {
    const acting = new Map<number, Set<string>>();
    const wrong: string[] = [];
    /** Who takes over just now. */
    const busy = new Set<string>();
    const make = (id: string): PriorityLeaders =>
      new PriorityLeaders({
        servers: all,
        path: "/leaders",
        id,
        site: "here",
        timeout: 4000,
        places: 2,
        takeOver: async ({ place }) => {
          if (busy.has(id)) wrong.push(`${id} takes over place ${place} beside another`);
          busy.add(id);
          await sleep(50);
          busy.delete(id);
        },
        lead: async (place: LeaderPlace) => {
          const there = acting.get(place.place) ?? new Set();
          acting.set(place.place, there.add(id));
          if (there.size > 1) wrong.push(`${[...there].join(" and ")} lead place ${place.place}`);
          if ([...acting].some(([other, ids]) => other !== place.place && ids.has(id)))
            wrong.push(`${id} leads in two places`);
          await untilAborted(place);
          there.delete(id);
        },
      });
    const members = new Map(["a", "b", "c", "d"].map((id) => [id, make(id)]));
    const led = (): readonly string[] => [...acting].sort(([a], [b]) => a - b).flatMap(([, ids]) => [...ids]);
    await until("both places are taken", () => led().length === 2);
    for (let handover = 0; handover < 2; handover++) {
      const [first = ""] = led();
      const leaving = members.get(first);
      members.delete(first);
      await leaving?.leave();
      await until(`another leads than ${first}`, () => led().length === 2 && !led().includes(first));
    }
    assert.deepEqual(wrong, []);
    assert.equal(new Set(led()).size, 2);
    const places = [...members.values()].map(({ place }) => place);
    assert.deepEqual(
      places.toSorted((a, b) => Number(a) - Number(b)),
      [0, 1],
    );
    await Promise.all([...members.values()].map(async (member) => member.leave()));
    assert.deepEqual(wrong, []);
  });

  test("there must be a place", () => {
    const none = { servers: all, path: "/none", id: "a", site: "here", lead: untilAborted };
    assert.throws(() => new PriorityLeaders({ ...none, places: 0 }), /one at least/);
  });
});

test("tenants have a tree each, and one's leader is nothing to the other", async () => {
  const make = (tenant: string, id: string): PriorityElection =>
    new PriorityElection({ servers: all, path: `/tenants/${tenant}`, id, site: "here", lead: untilAborted });
  const [red, blue] = [make("red", "a"), make("blue", "a")];
  await until("both lead", () => red.leads && blue.leads);
  await red.leave();
  assert.ok(blue.leads);
  await blue.leave();
});

suite("an ACL of one's own", () => {
  const guarded = {
    servers: all,
    auth: [{ scheme: "digest", credentials: "member:secret" }],
    acl: CREATOR_ALL,
    timeout: 4000,
  };

  const told = (member: Election | PriorityElection): string[] => {
    const facts: string[] = [];
    member.on("told", (each) => facts.push(JSON.stringify(each)));
    return facts;
  };

  async function stranger(t: TestContext, path: string): Promise<void> {
    const client = await connect(all, { timeout: 4000 });
    t.after(async () => client.close());
    await assert.rejects(client.children(path), (error) => isRefusal(error, "noAuth"));
    await assert.rejects(client.create(`${path}/mine`), (error) => isRefusal(error, "noAuth"));
  }

  test("members that share a secret elect; others neither read nor stand, and are told", async (t) => {
    const path = "/guarded/priority";
    const stand = (id: string): PriorityElection =>
      new PriorityElection({ ...guarded, path, id, site: "here", lead: untilAborted });
    const a = stand("a");
    await until("a leads", () => a.leads);
    await stranger(t, `${path}/election`);
    const other = new PriorityElection({ servers: all, path, id: "x", site: "here", lead: untilAborted });
    const facts = told(other);
    await until("it is told", () => facts.some((each) => /refuse/.test(each) && each.includes(path)));
    assert.ok(!other.leads);
    const b = stand("b");
    await once(b, "led");
    await a.leave();
    await until("b leads", () => b.leads);
    await Promise.all([b.leave(), other.leave()]);
  });

  test("a chain likewise", async (t) => {
    const path = "/guarded/chain";
    const a = new Election({ ...guarded, path, id: "a" });
    await until("a leads", () => a.leads);
    await stranger(t, path);
    const other = new Election({ servers: all, path, id: "x", timeout: 4000 });
    const facts = told(other);
    await until("it is told", () => facts.some((each) => /refuse/.test(each) && each.includes(path)));
    await Promise.all([a.leave(), other.leave()]);
  });
});
