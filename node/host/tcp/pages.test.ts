// Whoever calls, and however: an answer or a closed connection, and the next one is served.

import assert from "node:assert/strict";
import net from "node:net";
import { suite, type TestContext, test } from "node:test";
import { openPages, type Page } from "./pages.ts";

const LOOPBACK = { host: "127.0.0.1", port: 0 };

const pageAt = (path: string): Page => ({ status: 200, type: "text/plain", text: `this is ${path}` });

async function opened(t: TestContext, patienceMs?: number, token: string | null = null): Promise<number> {
  const pages = await openPages(LOOPBACK, token, { read: pageAt }, patienceMs);
  t.after(() => pages.close());
  return pages.port;
}

/** Says it, and hears all there is until the other side is done. */
async function say(port: number, ...words: readonly string[]): Promise<string> {
  const socket = net.connect({ host: LOOPBACK.host, port });
  for (const word of words) socket.write(word);
  let heard = "";
  try {
    for await (const bytes of socket) heard += (bytes as Buffer).toString("latin1");
  } catch {
    // A reset is an answer, too.
  }
  return heard;
}

const get = async (port: number): Promise<string> => (await fetch(`http://127.0.0.1:${port}/a?b#c`)).text();

suite("pages", () => {
  test("are found by their paths, and may be asked for again on the same connection", async (t) => {
    const port = await opened(t);
    assert.equal(await get(port), "this is /a");
    const twice = await say(port, "GET /1 HTTP/1.1\r\nhost: x\r\n\r\nGET /2 HTTP/1.0\r\n\r\n");
    assert.match(twice, /this is \/1HTTP.*this is \/2$/s);
  });

  test("have a head that can be asked for alone", async (t) => {
    const answer = await say(await opened(t), "HEAD /a HTTP/1.0\r\n\r\n");
    assert.match(answer, /^HTTP\/1\.1 200 .*content-length: 10\r\n/s);
    assert.match(answer, /\r\n\r\n$/);
  });

  for (const method of ["POST", "PUT", "DELETE", "TRACE", "OPTIONS"]) {
    test(`cannot be had by ${method}, whatever comes with it`, async (t) => {
      const port = await opened(t);
      const answer = await say(
        port,
        `${method} /a HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\nand so on`,
      );
      assert.match(answer, /^HTTP\/1\.1 405 .*allow: GET, HEAD\r\n/s);
      assert.equal(await get(port), "this is /a");
    });
  }

  test("that take orders take them by POST from those who bring the token, where there is one", async (t) => {
    const order = async (path: string, query: URLSearchParams): Promise<Page> => ({
      ...pageAt(`${path} ${query.get("to")}`),
      status: 202,
    });
    const asked = async (token: string | null, brought: string): Promise<string> => {
      const pages = await openPages(LOOPBACK, token, { read: pageAt, order });
      t.after(() => pages.close());
      const headers = { authorization: `Bearer ${brought}` };
      const answer = await fetch(`http://127.0.0.1:${pages.port}/move?to=3`, { method: "POST", headers });
      return `${answer.status} ${(await answer.text()).trim()}`;
    };
    assert.equal(await asked("what only we know", "what only we know"), "202 this is /move 3");
    assert.equal(await asked("what only we know", "a guess"), "401 only with the token");
    assert.equal(await asked(null, "anything"), "405 only GET and HEAD");
  });

  test("with a token are for those who bring it, and nobody else learns what there is", async (t) => {
    const port = await opened(t, undefined, "what only we know");
    const asked = async (authorization?: string): Promise<readonly [number, string | null, string]> => {
      const headers = authorization === undefined ? {} : { authorization };
      const answer = await fetch(`http://127.0.0.1:${port}/a`, { headers });
      return [answer.status, answer.headers.get("www-authenticate"), await answer.text()];
    };
    for (const right of ["Bearer what only we know", "bearer  what only we know"]) {
      assert.deepEqual(await asked(right), [200, null, "this is /a"]);
    }
    const wrong = [
      "",
      "what only we know",
      "Basic what only we know",
      "Bearer",
      "Bearer ",
      "Bearer what only",
    ];
    for (const said of [undefined, ...wrong, "Bearer what only we know, and more"]) {
      assert.deepEqual(await asked(said), [401, "Bearer", "only with the token\n"], said);
    }
  });

  const mad: readonly (readonly [string, string, RegExp])[] = [
    ["that is no HTTP", "\u0000\u0001\u0002 nonsense\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["of a client of another protocol", "srvr\n\n", /^HTTP\/1\.1 400 /],
    ["with an endless head", `GET / HTTP/1.1\r\nhost: ${"x".repeat(100_000)}`, /^(?:HTTP\/1\.1 431 .*)?$/s],
    ["with an endless path", `GET /${"x".repeat(100_000)}`, /^(?:HTTP\/1\.1 431 .*)?$/s],
    [
      "with two lengths",
      "GET / HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
      /^HTTP\/1\.1 400 /,
    ],
    ["with a strange path", "GET //..%2f%00 HTTP/1.0\r\n\r\n", /this is \/\/\.\.%2f%00$/],
  ];
  for (const [what, bytes, answer] of mad) {
    test(`a request ${what} is answered or dropped`, async (t) => {
      const port = await opened(t);
      assert.match(await say(port, bytes), answer);
      assert.equal(await get(port), "this is /a");
    });
  }

  test("a client that says nothing, or dawdles over its head or its body, is given up", async (t) => {
    const port = await opened(t, 100);
    const heads = ["", "GET / HT", "GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n1"];
    const answers = await Promise.all(heads.map((head) => say(port, head)));
    assert.deepEqual(
      answers.map((answer) => /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]),
      ["408", "408", "200"],
    );
  });

  test("more connections than there may be are dropped, and the others are served", async (t) => {
    const port = await opened(t);
    const idle = Array.from({ length: 80 }, () => net.connect({ host: LOOPBACK.host, port }));
    const ends = idle.map((socket) => {
      socket.on("error", () => {});
      return new Promise((end) => socket.once("close", end));
    });
    await Promise.race(ends);
    for (const socket of idle) socket.destroy();
    await Promise.all(ends);
    assert.equal(await get(port), "this is /a");
  });
});
