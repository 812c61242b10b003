// lane: waits, 3 s
import assert from "node:assert/strict";
import { once } from "node:events";
import { get as ask, type IncomingHttpHeaders } from "node:http";
import { connect, createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { suite, test } from "node:test";
import { WebSocket } from "ws";
import { History } from "./history.ts";
import type { Opening, StreamRecord } from "./record.ts";
import { type ServeOptions, ViewServer } from "./server.ts";

const plan = { kind: "plan" } as Opening;

async function served(options: Partial<ServeOptions> = {}): Promise<{ history: History; view: ViewServer }> {
  const history = new History();
  history.add(plan);
  return { history, view: await ViewServer.open({ history, port: 0, ...options }) };
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function get(link: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    ask(link, { headers }, (response) => {
      let body = "";
      response.on("data", (text: Buffer) => {
        body += String(text);
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
    }).on("error", reject);
  });
}

const streamOf = (link: string): string => `${link.replace("http:", "ws:")}stream`;
const originOf = (link: string): string => new URL(link).origin;

/** A viewer as a browser would have it, and all that it is told from the first moment on. */
interface Viewer {
  readonly socket: WebSocket;
  readonly told: StreamRecord[];
  readonly refusals: string[];
}

/** With an origin where a browser has one; else the status with which it was refused. */
async function tryToFollow(link: string, origin: string | null, headers = {}): Promise<Viewer | number> {
  const socket = new WebSocket(link, { ...(origin !== null && { origin }), headers });
  const [told, refusals]: [StreamRecord[], string[]] = [[], []];
  socket.on("message", (data: Buffer) => {
    const said = JSON.parse(data.toString("utf8")) as StreamRecord[] | { readonly refused: string };
    if ("refused" in said) refusals.push(said.refused);
    else told.push(...said);
  });
  const refused = new Promise<number>((resolve) => {
    socket.on("unexpected-response", (_, response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
  });
  socket.on("error", () => {});
  return Promise.race([once(socket, "open").then(() => ({ socket, told, refusals })), refused]);
}

async function follow(view: ViewServer): Promise<Viewer> {
  const viewer = await tryToFollow(streamOf(view.link), originOf(view.link));
  assert.ok(typeof viewer !== "number");
  return viewer;
}

async function status(link: string, origin: string | null, headers = {}): Promise<number> {
  const got = await tryToFollow(link, origin, headers);
  if (typeof got === "number") return got;
  got.socket.terminate();
  return 101;
}

suite("who has the link", () => {
  test("gets the page, with a policy that lets nothing be loaded and nothing else run", async () => {
    const { view } = await served();
    await using _ = view;
    const { status: code, headers, body } = await get(view.link);
    assert.equal(code, 200);
    assert.match(body, /^<!doctype html>/);
    const policy = String(headers["content-security-policy"]);
    assert.match(policy, /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+';/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe|\*/);
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.ok(!body.includes(new URL(view.link).pathname), "the token is not in the page");
  });

  test("is told the whole so far, and then what happens", async () => {
    const { history, view } = await served();
    await using _ = view;
    history.add({ kind: "phase", name: "load" });
    const { socket, told } = await follow(view);
    history.add({ kind: "phase", name: "check" });
    while (told.length < 3) await once(socket, "message");
    assert.deepEqual(told, [plan, { kind: "phase", name: "load" }, { kind: "phase", name: "check" }]);
    socket.terminate();
  });
});

suite("refused is", () => {
  test("who has no token, or another one, or a part of it", async () => {
    const { view } = await served();
    await using _ = view;
    const { origin, pathname } = new URL(view.link);
    const other = pathname.startsWith("/A") ? `/B${pathname.slice(2)}` : `/A${pathname.slice(2)}`;
    for (const path of ["/", "/stream", other, `${pathname.slice(0, -2)}/`, pathname.toUpperCase()]) {
      const { status: code, body } = await get(origin + path);
      assert.equal(code, 403, path);
      assert.doesNotMatch(body, /doctype/);
      assert.equal(await status(`${origin.replace("http", "ws")}${path}stream`, origin), 403, path);
    }
    assert.equal((await get(`${view.link}other`)).status, 404);
  });

  test("a page from elsewhere, although it knows the link", async () => {
    const { view } = await served();
    await using _ = view;
    const stream = streamOf(view.link);
    const { port } = new URL(view.link);
    for (const origin of [
      "http://example.org",
      "null",
      `http://127.0.0.1:${Number(port) + 1}`,
      `https://127.0.0.1:${port}`,
    ])
      assert.equal(await status(stream, origin), 403, origin);
    assert.equal(await status(stream, null), 403, "no origin at all");
    assert.equal((await get(view.link, { origin: "http://example.org" })).status, 403);
    assert.equal(await status(stream, `http://localhost:${port}`), 101);
  });

  test("a name that leads here from elsewhere", async () => {
    const { view } = await served();
    await using _ = view;
    const { port } = new URL(view.link);
    for (const host of ["example.org", `example.org:${port}`, "127.0.0.1"])
      assert.equal((await get(view.link, { host })).status, 421, host);
    assert.equal(await status(streamOf(view.link), originOf(view.link), { host: "example.org" }), 421);
  });

  test("whoever comes from another address: nothing listens there", async () => {
    const { view } = await served();
    await using _ = view;
    const port = Number(new URL(view.link).port);
    const others = Object.values(networkInterfaces()).flatMap((own) => own ?? []);
    const outside = [
      "127.0.0.2",
      ...others.filter(({ internal }) => !internal).map(({ address }) => address),
    ];
    for (const host of outside) {
      const socket = connect({ host, port });
      const [error] = (await once(socket, "error")) as [NodeJS.ErrnoException];
      assert.match(String(error.code), /^(?:ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|EINVAL|ETIMEDOUT)$/, host);
    }
  });

  test("another method, and a viewer too many", async () => {
    const { view } = await served();
    await using _ = view;
    const { status: code } = await fetch(view.link, { method: "POST", body: "x" });
    assert.equal(code, 405);
    const [link, origin] = [streamOf(view.link), originOf(view.link)];
    const viewers = await Promise.all(Array.from({ length: 20 }, () => follow(view)));
    assert.equal(view.viewers, 20);
    assert.equal(await status(link, origin), 503);
    for (const { socket } of viewers) socket.terminate();
  });

  test("a port that is in use, in a sentence", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    await assert.rejects(served({ port }), {
      name: "RefusedInput",
      exitCode: 64,
      message: `--watch: port ${port} is in use; take another, or any that is free: --watch 0`,
    });
    taken.close();
  });
});

suite("faults by hand", () => {
  test("are heard where the trial takes them, and a refusal is told", async () => {
    const heard: string[] = [];
    const { view } = await served({
      strike: (words) => {
        heard.push(words);
        return Promise.resolve(words === "crash p1" ? null : "there is no such server");
      },
    });
    await using _ = view;
    const { socket, refusals } = await follow(view);
    for (const said of ['{"fault":"crash p1"}', '{"fault":"crash p9"}', '{"fault":7}', "null", "{"])
      socket.send(said);
    while (refusals.length < 4) await once(socket, "message");
    assert.deepEqual(heard, ["crash p1", "crash p9"]);
    assert.ok(refusals.includes("there is no such server"));
    socket.terminate();
  });

  test("are not heard where it does not: who says anything is sent away", async () => {
    const { view } = await served();
    await using _ = view;
    const { socket } = await follow(view);
    socket.send('{"fault":"crash p1"}');
    const [code] = (await once(socket, "close")) as [number];
    assert.equal(code, 1008);
  });

  test("are short, or the connection ends", async () => {
    const { view } = await served({ strike: () => Promise.resolve(null) });
    await using _ = view;
    const { socket } = await follow(view);
    socket.send(JSON.stringify({ fault: "x".repeat(2000) }));
    const [code] = (await once(socket, "close")) as [number];
    assert.equal(code, 1009);
  });
});

suite("a viewer that never reads", () => {
  test("has so much before it and no more, and the others are told everything", async () => {
    const { history, view } = await served();
    await using _ = view;
    const [{ socket: stuck }, { socket: reading, told }] = [await follow(view), await follow(view)];
    stuck.pause();
    const long = "x".repeat(1000);
    const before = process.memoryUsage().rss;
    for (let count = 0; count < 40_000; count++) history.add({ kind: "phase", name: long });
    while (told.length < 40_000) await once(reading, "message");
    const grown = (process.memoryUsage().rss - before) / 2 ** 20;
    assert.ok(grown < 200, `${grown.toFixed(0)} MiB for 40 MB that one viewer left unread`);
    assert.ok(!history.isTold, "the other one is still owed most of it");
    stuck.terminate();
    reading.terminate();
  });

  test("keeps nothing open when the command ends", async () => {
    const { history, view } = await served();
    const { socket: stuck } = await follow(view);
    stuck.pause();
    for (let count = 0; count < 20_000; count++) history.add({ kind: "phase", name: "x".repeat(1000) });
    history.pump();
    await view[Symbol.asyncDispose]();
    const port = Number(new URL(view.link).port);
    const [error] = (await once(connect({ host: "127.0.0.1", port }), "error")) as [NodeJS.ErrnoException];
    assert.equal(error.code, "ECONNREFUSED");
    stuck.terminate();
  });
});
