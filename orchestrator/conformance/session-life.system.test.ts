// lane: waits, 35 s
/**
 * What becomes of a session when servers die, connections are cut and two hold it: the same of both systems.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { ClientRequest } from "#node/wire/client/request.ts";
import { type Ensemble, type ServerProcess, startEnsemble } from "../system/ensemble.ts";
import type { Credentials } from "#node/wire/client/handshake.ts";
import { CONFORMING } from "./conforming.ts";
import { Handle } from "./handle.ts";

const TIMEOUT_MS = 4000;
const SETTINGS = { tickTime: 1000 };
const ATTEMPTS = 100;
const PAUSE_MS = 100;

const LOOK: ClientRequest = { kind: "exists", path: "/e", watch: false };
const EPHEMERAL: ClientRequest = {
  kind: "create",
  path: "/e",
  data: new Uint8Array(0),
  acl: [{ permissions: 31, id: { scheme: "world", id: "anyone" } }],
  flags: 1,
  ttl: -1,
};
const WRITE: ClientRequest = { kind: "setData", path: "/", data: new Uint8Array(1), version: -1 };
const CLOSE: ClientRequest = { kind: "closeSession" };

for (const system of CONFORMING) {
  test(`a session at ${system.name}`, { skip: system.missing() ?? false }, async (t) => {
    await using ensemble = await startEnsemble(system, 3, SETTINGS);

    await t.test("has its whole timeout again when it is resumed at the same server", async () => {
      await Promise.all(ensemble.servers.map(resumesLate));
    });

    await t.test("is read by both who hold it, and is whose that took it last", async () => {
      const [one, other] = await followers(ensemble);
      const [old, session] = await began(one);
      const fresh = await resumed(other, session);
      await delay(PAUSE_MS);
      for (const request of [{ kind: "ping" }, LOOK, { kind: "sync", path: "/" }] as const) {
        assert.notEqual(await old.ask(request), "closed", request.kind);
      }
      assert.equal(await old.ask(WRITE), "closed");
      assert.equal(await fresh.ask(WRITE), 0);
      const third = await resumed(other, session);
      await fresh.closed;
      assert.equal(await third.ask(CLOSE), 0);
    });

    await t.test("outlives the loss of the quorum, however long, and nobody is kept meanwhile", async () => {
      const [left, ...others] = ensemble.servers as [ServerProcess, ...ServerProcess[]];
      const [handle, session] = await began(left);
      assert.equal(await handle.ask(EPHEMERAL), 0);
      await Promise.all(others.map((server) => server.kill()));
      await handle.closed;
      assert.equal(await new Handle(left.clientPort, TIMEOUT_MS, session).session, "closed");
      await delay(1.5 * TIMEOUT_MS);
      for (const server of others) server.start();
      await ensemble.ready();
      const again = await resumed(left, session);
      await delay(0.75 * TIMEOUT_MS);
      assert.equal(await again.ask(LOOK), 0);
      assert.equal(await again.ask(CLOSE), 0);
    });
  });
}

async function resumesLate(server: ServerProcess): Promise<void> {
  const [handle, session] = await began(server);
  await delay(0.6 * TIMEOUT_MS);
  handle.drop();
  await delay(0.3 * TIMEOUT_MS);
  const again = await resumed(server, session);
  await delay(0.75 * TIMEOUT_MS);
  assert.equal(await again.ask(WRITE), 0, `p${server.id}`);
  assert.equal(await again.ask(CLOSE), 0);
}

async function began(server: ServerProcess): Promise<[Handle, Credentials]> {
  const handle = new Handle(server.clientPort, TIMEOUT_MS);
  const session = await handle.session;
  assert.ok(typeof session !== "string", `p${server.id} gives no session`);
  return [handle, session];
}

/** At this server, whose door may be shut for a while. */
async function resumed({ clientPort, id }: ServerProcess, session: Credentials): Promise<Handle> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const handle = new Handle(clientPort, TIMEOUT_MS, session);
    const answer = await handle.session;
    assert.notEqual(answer, "refused", `p${id} knows the session no more`);
    if (answer !== "closed") return handle;
    await delay(PAUSE_MS);
  }
  return assert.fail(`p${id} takes no client`);
}

async function followers(ensemble: Ensemble): Promise<[ServerProcess, ServerProcess]> {
  const leader = await ensemble.leader();
  return ensemble.servers.filter((server) => server !== leader) as [ServerProcess, ServerProcess];
}
