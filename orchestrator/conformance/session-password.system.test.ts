/**
 * Whose is a session? Three servers on loopback, which need no secret, and a client that shows its password
 * to every one of them, under the first leader, under the next, and after all were dead; beside it somebody
 * who knows the session's number and everything that is public.
 */

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import test from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { milliseconds, seconds } from "#node/core/time.ts";
import { LiveSession } from "#node/host/tcp/live-session.ts";
import { keyFor } from "#node/host/tcp/proof.ts";
import { type Credentials, NO_SESSION } from "#node/wire/client/handshake.ts";
import { HOST } from "../topology/loopback.ts";
import { type Ensemble, startEnsemble } from "../system/ensemble.ts";
import { SYSTEMS } from "../system/catalog.ts";

const SESSION_TIMEOUT = seconds(40);
const PATIENCE = milliseconds(500);
const ATTEMPTS = 100;
const PAUSE_MS = 50;

test("its client's, at every server, whoever leads and led; nobody else's", async () => {
  await using ensemble = await startEnsemble(SYSTEMS.polebench, 3);
  const [first] = ensemble.servers;
  const session = await shown(first?.clientPort ?? 0, NO_SESSION);
  const other = await shown(first?.clientPort ?? 0, NO_SESSION);
  assert.ok(session !== null && other !== null);
  const strangers = guesses(session).concat({ ...session, password: other.password });

  await resumed(ensemble, session, strangers);
  const leader = await ensemble.leader();
  await leader.kill();
  await ensemble.ready();
  await resumed(ensemble, session, strangers);
  await Promise.all(ensemble.servers.map((server) => server.kill()));
  for (const server of ensemble.servers) server.start();
  await ensemble.ready();
  await resumed(ensemble, session, strangers);
});

/**
 * What could be worked out from the number: nothing, ZooKeeper's habit of a fixed formula, and a known key.
 */
function guesses({ id }: Credentials): Credentials[] {
  const number = Buffer.from(id).readBigUInt64BE().toString();
  const keyed = createHmac("sha256", keyFor("polebench")).update(number).digest().subarray(0, 16);
  return [NO_SESSION.password, Buffer.concat([id, id]), keyed].map((password) => ({ id, password }));
}

async function resumed(
  { servers }: Ensemble,
  session: Credentials,
  strangers: readonly Credentials[],
): Promise<void> {
  for (const { clientPort, running, id } of servers) {
    if (!running) continue;
    for (const stranger of strangers) {
      assert.equal(await shown(clientPort, stranger), null, `p${id} let a stranger in`);
    }
    const again = await shown(clientPort, session);
    assert.deepEqual(
      again && [again.id, again.password].map((bytes) => Buffer.from(bytes).toString("hex")),
      [session.id, session.password].map((bytes) => Buffer.from(bytes).toString("hex")),
      `p${id}`,
    );
  }
}

/**
 * The session that the server gives for this one; null when it refuses. One that has no leader yet is asked
 * again.
 */
async function shown(port: number, session: Credentials): Promise<Credentials | null> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const answer = await shownOnce(port, session);
    if (answer !== "none") return answer;
    await delay(PAUSE_MS);
  }
  return assert.fail(`port ${port} does not answer`);
}

function shownOnce(port: number, session: Credentials): Promise<Credentials | null | "none"> {
  return new Promise((resolve) => {
    const client = new LiveSession<never>({
      places: [{ host: HOST, port }],
      policy: { timeout: SESSION_TIMEOUT, patience: PATIENCE, reconnect: "when told" },
      session,
      heard({ kind }) {
        if (kind === "opened") {
          resolve(client.state.credentials);
          client.leave();
        } else if (kind === "expired") resolve(null);
        else if (kind === "closed") resolve("none");
      },
    });
    client.connect();
  });
}
