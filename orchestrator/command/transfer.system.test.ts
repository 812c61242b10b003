// lane: waits, 8 s
/** An operator moves the leader of an ensemble of real processes, while a client writes. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { EXIT } from "#node/core/exit-code.ts";
import { ERRORS } from "#node/wire/client/error.ts";
import { OPEN } from "#node/wire/client/acl.ts";
import { AskingSession } from "#node/host/tcp/asking-session.ts";
import { freePorts } from "#node/host/tcp/free-ports.ts";
import { runServers, type Servers } from "#node/testing/host/server-processes.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const TOKEN = "who brings this may order";

describe("polebench transfer", async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "polebench-transfer-"));
  after(() => rmSync(folder, { recursive: true }));
  const tokenFile = path.join(folder, "token");
  writeFileSync(tokenFile, `${TOKEN}\n`, { mode: 0o600 });
  const ports = await freePorts(3);
  const servers: Servers = await runServers((server) => [
    "admin.enableServer=true",
    `admin.serverPort=${ports[server]}`,
    `pagesTokenFile=${tokenFile}`,
  ]);

  const pageOf = (server: number, name: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${ports[server]}/commands/${name}`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
  const leader = async (): Promise<number> => {
    for (const server of [0, 1, 2]) {
      const answer = (await (await pageOf(server, "leader")).json()) as { is_leader?: boolean };
      if (answer.is_leader === true) return server;
    }
    assert.fail("nobody leads");
  };
  const order = (at: number, to: string) =>
    execa(
      process.execPath,
      [MAIN, "transfer", "--admin", `127.0.0.1:${ports[at]}`, "--to", to, "--token-file", tokenFile],
      { reject: false },
    );
  const ordered = async (at: number, what: string, token = TOKEN): Promise<string> => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`http://127.0.0.1:${ports[at]}${what}`, { method: "POST", headers });
    const text = await answer.text();
    const error = text.startsWith("{") ? (JSON.parse(text) as { error: string | null }).error : undefined;
    return `${answer.status} ${error}`;
  };

  test("no write fails or is unknown while one server after the other is made to lead", async () => {
    const [first] = servers.places;
    assert.ok(first !== undefined);
    using session = await AskingSession.open(first, { patience: 10_000_000 as never });
    await session.ask({ kind: "create", path: "/moved", data: null, acl: OPEN, flags: 0, ttl: -1 });
    let isOver = false;
    let written = 0;
    const writes = (async () => {
      for (; !isOver; written += 1) {
        const { error } = await session.ask({
          kind: "setData",
          path: "/moved",
          data: Buffer.from(String(written)),
          version: written,
        });
        assert.equal(error, ERRORS.ok, `write ${written}`);
      }
    })();
    for (const step of [1, 2, 3]) {
      const from = await leader();
      const to = (from + step) % 3 === from ? (from + 1) % 3 : (from + step) % 3;
      const { exitCode, stdout, stderr } = await order(from, `p${to + 1}`);
      assert.equal(exitCode, EXIT.passed, stderr);
      assert.match(stdout, new RegExp(`^p${to + 1} leads epoch \\d+, [\\d.]+ ms after it was ordered$`));
      assert.equal(await leader(), to);
    }
    isOver = true;
    await writes;
    assert.ok(written > 3, `only ${written} writes`);
  });

  test("what cannot be is refused in a sentence", async () => {
    const at = await leader();
    const other = (at + 1) % 3;
    const answers = await Promise.all([
      ordered(other, `/commands/transfer?to=${at + 1}`),
      ordered(at, `/commands/transfer?to=${at + 1}`),
      ordered(at, "/commands/transfer?to=9"),
      ordered(at, "/commands/transfer"),
      ordered(at, "/commands/leader"),
      ordered(at, `/commands/transfer?to=${other + 1}`, "somebody else's"),
    ]);
    assert.deepEqual(answers, [
      "409 this server does not lead",
      "409 it leads already",
      "400 to=9 is none of the servers 1, 2, 3",
      "400 to= is none of the servers 1, 2, 3",
      "404 what can be ordered is /commands/transfer?to=ID",
      "401 undefined",
    ]);
    const refused = await order(other, `p${at + 1}`);
    assert.equal(refused.exitCode, EXIT.unknown);
    assert.match(refused.stderr, /^127\.0\.0\.1:\d+: this server does not lead$/);
    const nobody = await order(at, "nobody");
    assert.equal(nobody.exitCode, EXIT.usage);
    assert.match(nobody.stderr, /--to nobody: a server is p1, p2, \.\.\.$/);
  });
});
