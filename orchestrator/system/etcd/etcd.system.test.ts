// lane: waits, 12 s
import assert from "node:assert/strict";
import test from "node:test";
import { HOST } from "../../topology/loopback.ts";
import { comesGoesAndIsHeardOf } from "../../testing/load-kinds.ts";
import { startEnsemble } from "../ensemble.ts";
import { askOnce } from "./client/channel.ts";
import { handOver } from "./client/hand-over.ts";
import { readBack } from "./client/read-back.ts";
import { etcd } from "./etcd.ts";
import { memberId } from "./member-id.ts";
import { METHODS, memberList, put, range, readMembers, readRange, utf8 } from "./wire/messages.ts";

const WITHIN_MS = 5000;

test("an ensemble of etcd is asked by its own protocol, moved, and goes on without its leader", {
  skip: etcd.missing() ?? false,
}, async () => {
  await using ensemble = await startEnsemble(etcd, 3);
  const [first] = ensemble.servers;
  assert.ok(first !== undefined);
  const places = ensemble.servers.map(({ place }) => place);
  const at = { host: HOST, port: first.clientPort };

  const members = readMembers(await askOnce(at, METHODS.memberList, memberList(), WITHIN_MS));
  for (const place of places) assert.equal(members.get(memberId(place)), `p${place.id}`);

  const written = await askOnce(at, METHODS.put, put(utf8("/a"), utf8("first")), WITHIN_MS);
  assert.ok(written.length > 0);
  const { found } = readRange(await askOnce(at, METHODS.range, range({ key: utf8("/a") }), WITHIN_MS));
  assert.deepEqual(
    found.map(({ key, value, version }) => [String(key), String(value), version]),
    [["/a", "first", 1]],
  );

  const leader = await ensemble.leader();
  const other = ensemble.servers.find((server) => server !== leader) ?? assert.fail();
  const reached = places.map(({ clientPort }) => ({ host: HOST, port: clientPort }));
  const ids = { [other.id]: memberId(other.place).toString(16) };
  assert.equal(await handOver({ places: reached, members: ids }, other.id), null);
  assert.equal((await ensemble.leader()).id, other.id);

  const ports = places.map(({ clientPort }) => clientPort);
  await comesGoesAndIsHeardOf(ensemble, ports);
  const result = await ensemble.load(
    {
      ports,
      clients: 3,
      request: "setData",
      payloadBytes: 100,
      pace: { kind: "open", ratePerSecond: 100 },
      warmUpSeconds: 0,
      seconds: 4,
    },
    { begin: () => void other.kill() },
  );
  assert.ok(result.acknowledged > 0 && result.refused === 0, JSON.stringify({ ...result, samples: [] }));
  assert.notEqual((await ensemble.leader()).id, other.id, "another leads by then");
  assert.equal(await other.mode(), null);

  other.start();
  await ensemble.ready();
  const states = await Promise.all(
    ensemble.servers.map(({ id, clientPort }) =>
      readBack({ servers: [{ id, host: HOST }], clientPort, clients: [] }),
    ),
  );
  assert.equal(new Set(states.flat().map(({ digest }) => digest)).size, 1, "all hold the same");
});
