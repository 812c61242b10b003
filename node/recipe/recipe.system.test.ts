// lane: waits, 25 s
// Each recipe as a story before real server processes, which lose servers under it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { suite, test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { runServers, until } from "../testing/host/server-processes.ts";
import {
  Barrier,
  type Client,
  Configuration,
  connect,
  ConnectionLost,
  Election,
  isRefusal,
  Lock,
  Membership,
  NoServers,
  otherSite,
  PriorityElection,
  Queue,
  ReadWriteLock,
} from "./recipe.ts";

const servers = await runServers();
const all = servers.places.map(({ host, port }) => `${host}:${port}`).join(",");

async function client(t: TestContext, where = all): Promise<Client> {
  const made = await connect(where, { timeout: 4000 });
  t.after(async () => made.close());
  return made;
}

const text = (data: Uint8Array): string => Buffer.from(data).toString();

suite("a session", () => {
  test("all that one does with znodes", async (t) => {
    const one = await client(t);
    assert.equal(await one.create("/znodes", "a"), "/znodes");
    const { data, stat } = await one.get("/znodes");
    assert.equal(text(data), "a");
    assert.equal((await one.set("/znodes", "b", stat.version)).version, 1);
    assert.match(await one.create("/znodes/n-", "", { mode: "ephemeralSequential" }), /^\/znodes\/n-\d{10}$/);
    assert.equal((await one.children("/znodes")).length, 1);
    await one.createAll("/znodes/deep/er");
    assert.notEqual(await one.exists("/znodes/deep/er"), null);
    await one.delete("/znodes/deep/er");
    assert.equal(await one.exists("/znodes/deep/er"), null);
    await one.sync();
    assert.deepEqual(await one.whoAmI(), [{ scheme: "ip", id: "127.0.0.1" }]);
    assert.match(one.session, /^0x[0-9a-f]+$/);
  });

  test("several at once, or none; several reads at once", async (t) => {
    const one = await client(t);
    await one.createAll("/multi");
    const wrong = one.multi([
      { kind: "setData", path: "/multi", data: Buffer.from("x"), version: -1 },
      { kind: "check", path: "/multi", version: 7 },
    ]);
    await assert.rejects(wrong, (error) => isRefusal(error, "badVersion") && error.path === "/multi");
    const [first, second] = await one.readAll([
      { kind: "getData", path: "/multi", watch: false },
      { kind: "getData", path: "/nowhere", watch: false },
    ]);
    assert.equal(first?.kind === "getData" ? text(first.data ?? new Uint8Array()) : "", "");
    assert.equal(second?.kind, "error");
  });

  test("who may not is told what and where; who shows who it is may", async (t) => {
    const owner = await connect(all, { auth: [{ scheme: "digest", credentials: "me:secret" }] });
    t.after(async () => owner.close());
    const acl = [{ permissions: 31, id: { scheme: "auth", id: "" } }];
    await owner.create("/mine", "x", { acl });
    assert.equal(text((await owner.get("/mine")).data), "x");
    const stranger = await client(t);
    await assert.rejects(stranger.get("/mine"), /getData \/mine: its ACL does not allow it/);
    assert.equal((await owner.getAcl("/mine"))[0]?.id.scheme, "digest");
  });

  test("watches are told once to whom they concern, also those set before a server died", async (t) => {
    const [one, two] = [await client(t), await client(t)];
    const told: string[] = [];
    await one.exists("/watched", ({ kind }) => told.push(kind));
    await two.create("/watched");
    await until("it is told", () => told.length === 1);
    await one.get("/watched", ({ kind }) => told.push(kind));
    await one.children("/watched", ({ kind, path }) => told.push(`${kind} ${path}`));
    await two.set("/watched", "x");
    await two.create("/watched/child");
    await until("both are told", () => told.length === 3);
    assert.deepEqual(told, ["created", "dataChanged", "childrenChanged /watched"]);
  });

  test("a wrong list of servers, and servers that are not there, are told", async () => {
    await assert.rejects(connect("host:99999"), NoServers);
    await assert.rejects(connect("127.0.0.1:1", { within: 300 }), /within 0.3 s/);
  });
});

suite("recipes", () => {
  test("a lock: one after the other, in the order in which they came, with rising tokens", async (t) => {
    const [one, two] = [await client(t), await client(t)];
    const [mine, other] = [new Lock(one, "/locks/a"), new Lock(two, "/locks/a")];
    const first = await mine.acquire();
    const order: string[] = [];
    const second = other.with(async ({ token }) => {
      order.push("second");
      return token;
    });
    await sleep(50);
    const given = new AbortController();
    const third = mine.acquire({ signal: given.signal });
    given.abort(new Error("no more"));
    await assert.rejects(third, /no more/);
    order.push("first");
    await first.release();
    assert.ok((await second) > first.token);
    assert.deepEqual(order, ["first", "second"]);
    assert.deepEqual(await one.children("/locks/a"), [], "nobody stands there any more");
  });

  test("a holder whose session is gone holds it no more, and is told", async (t) => {
    const [one, two] = [await connect(all, { timeout: 2000 }), await client(t)];
    const held = await new Lock(one, "/locks/b").acquire();
    one.abandon();
    assert.equal(held.lost.aborted, true);
    const next = await new Lock(two, "/locks/b").acquire();
    assert.ok(next.token > held.token);
    await next.release();
  });

  test("readers beside each other, a writer alone, and readers behind it", async (t) => {
    const lock = new ReadWriteLock(await client(t), "/locks/rw");
    const [one, two] = [await lock.read(), await lock.read()];
    let written = false;
    const writer = lock.write().then((held) => {
      written = true;
      return held;
    });
    await sleep(50);
    const late = lock.read();
    assert.equal(written, false);
    await one.release();
    await two.release();
    const held = await writer;
    await held.release();
    const last = await late;
    await last.release();
    assert.ok(last.token > held.token);
  });

  test("a barrier: three go in together, and out together", async (t) => {
    const one = await client(t);
    const barriers = [1, 2, 3].map(() => new Barrier(one, "/barrier", 3));
    const inside: number[] = [];
    const entering = barriers.map(async (barrier, at) => {
      await sleep(30 * at);
      await barrier.enter();
      inside.push(at);
    });
    await sleep(40);
    assert.deepEqual(inside, []);
    await Promise.all(entering);
    await Promise.all(barriers.map(async (barrier) => barrier.leave()));
    assert.equal(inside.length, 3);
  });

  test("a queue: each item once, in order, to whoever takes it", async (t) => {
    const [one, two] = [await client(t), await client(t)];
    const [put, take] = [new Queue(one, "/queue"), new Queue(two, "/queue")];
    const waiting = take.take();
    for (const item of ["a", "b", "c"]) await put.put(item);
    assert.equal(text(await waiting), "a");
    const rest = [text(await put.take()), text(await take.take())];
    assert.deepEqual(rest, ["b", "c"]);
    assert.equal(await put.length(), 0);
  });

  test("who is there: joins and leaves are seen, and a name is one member's", async (t) => {
    const [one, two] = [await client(t), await client(t)];
    const [mine, other] = [new Membership(one, "/members"), new Membership(two, "/members")];
    const end = new AbortController();
    const seen: string[] = [];
    const looking = (async () => {
      for await (const names of mine.changes(end.signal)) seen.push(names.join());
    })();
    await mine.join("a");
    await other.join("b", "on host b");
    await assert.rejects(other.join("a"), /nodeExists|it is there already/);
    await until("both are seen", () => seen.at(-1) === "a,b");
    await other.leave("b");
    await until("one is seen", () => seen.at(-1) === "a");
    end.abort();
    await looking;
    assert.deepEqual(await mine.members(), ["a"]);
  });

  test("a configuration: changes are seen, and none is lost among two that change it at once", async (t) => {
    const [one, two] = [await client(t), await client(t)];
    const read = (value: unknown): number => (typeof value === "number" ? value : assert.fail("no number"));
    const [mine, other] = [new Configuration(one, "/conf/n", read), new Configuration(two, "/conf/n", read)];
    assert.equal(await mine.get(), null);
    const add = (value: number | null): number => (value ?? 0) + 1;
    await Promise.all(Array.from({ length: 10 }, async (_, at) => (at % 2 === 0 ? mine : other).update(add)));
    assert.equal((await mine.get())?.value, 10);
    await one.set("/conf/n", '"hello"');
    await assert.rejects(other.get(), /no number/);
  });
});

suite("elections", () => {
  test("who came first leads, until it leaves; terms rise", async () => {
    const terms: number[] = [];
    const [a, b] = ["a", "b"].map((id) =>
      new Election({ servers: all, path: "/elections/chain", id }).on("elected", ({ term }) =>
        terms.push(term),
      ),
    ) as [Election, Election];
    await until("one leads", () => a.leads || b.leads);
    await a.leave();
    await until("the other leads", () => b.leads);
    await b.leave();
    assert.deepEqual(
      terms,
      terms.toSorted((x, y) => x - y),
    );
  });

  test("who leaves twice, or has left by itself, waits for nothing; a client likewise", async () => {
    const chain = new Election({ servers: all, path: "/elections/twice", id: "a" });
    await until("it leads", () => chain.leads);
    await Promise.all([chain.leave(), chain.leave()]);
    await chain.leave();
    const priority = new PriorityElection({
      servers: all,
      path: "/elections/over",
      id: "a",
      site: "here",
      lead: async () => sleep(1),
    });
    await once(priority, "left");
    await priority.leave();
    const one = await connect(all);
    await Promise.all([one.close(), one.close()]);
    await one.close();
  });

  test("a path, a name or a time that cannot be is refused at once", () => {
    const right = { servers: all, path: "/e", id: "a", site: "here", lead: async () => sleep(1) };
    for (const [wrong, why] of [
      [{ path: "e" }, /"e" is no path of a znode: write it as \/cluster/],
      [{ path: "/e/" }, /"\/e\/" is no path/],
      [{ path: "/a//b" }, /is no path/],
      [{ path: "/a/../b" }, /is no path/],
      [{ path: "" }, /"" is no path/],
      [{ id: "a/b" }, /"a\/b" is no name for a member/],
      [{ timeout: 0 }, /timeout: 0 is no time in milliseconds/],
      [{ timeout: Number.NaN }, /timeout: NaN is no time/],
      [{ takeoverWithin: -1 }, /takeoverWithin: -1 is no time/],
      [{ servers: "zk1:2181/chroot" }, /"zk1:2181\/chroot" is no server/],
    ] as const)
      assert.throws(() => new PriorityElection({ ...right, ...wrong }), why);
    assert.throws(() => new Election({ ...right, path: "e" }), /is no path/);
  });

  test("priority: another site takes over in two steps, and the old leader has ended before", async () => {
    const story: string[] = [];
    const make = (id: string, site: string): PriorityElection =>
      new PriorityElection({
        servers: all,
        path: "/elections/priority",
        id,
        site,
        strategy: otherSite,
        takeOver: async ({ previous }) => {
          story.push(`${id} takes over from ${previous?.id ?? "nobody"}`);
          await sleep(20);
        },
        lead: async ({ signal }) => {
          story.push(`${id} leads`);
          if (!signal.aborted) await once(signal, "abort");
          await sleep(20);
          story.push(`${id} has ended`);
        },
      });
    const a = make("a", "here");
    await until("a leads", () => a.leads);
    const [b, c] = [make("b", "here"), make("c", "there")];
    const follow = new Set<PriorityElection>();
    for (const member of [b, c]) member.once("led", () => follow.add(member));
    await until("both follow", () => follow.size === 2);
    await a.leave();
    await until("c leads", () => c.leads);
    await Promise.all([b.leave(), c.leave()]);
    assert.deepEqual(story.slice(0, 5), [
      "a takes over from nobody",
      "a leads",
      "a has ended",
      "c takes over from a",
      "c leads",
    ]);
  });
});

suite("servers that die", () => {
  test("any of them, one after the other: a session, its lock and its watches outlive them", async (t) => {
    const one = await client(t);
    let isSuspended = 0;
    one.on("suspended", () => (isSuspended += 1));
    await one.createAll("/survives");
    const held = await new Lock(one, "/survives/lock").acquire();
    const { session } = one;
    const writer = await client(t);
    for (const server of servers.places.keys()) {
      const { promise: changed, resolve } = Promise.withResolvers<void>();
      await persistently(async () => void (await one.get("/survives", () => resolve())));
      await servers.kill(server);
      await persistently(async () => void (await writer.set("/survives", `without ${server}`)));
      await changed;
      assert.equal(text((await one.get("/survives")).data), `without ${server}`);
      await servers.restart(server);
    }
    assert.equal(one.session, session);
    assert.ok(isSuspended > 0);
    await held.release();
  });
});

/** Again where a lost connection left it open whether it was done. */
async function persistently(work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
    }
  }
}
