/** What programs written with node-zookeeper-client rely on. It speaks the protocol of ZooKeeper 3.4. */

import assert from "node:assert/strict";
import { once } from "node:events";
import zookeeper from "node-zookeeper-client";

const { CreateMode } = zookeeper;

export async function proveNodeClient(connectString: string): Promise<void> {
  const client = zookeeper.createClient(connectString, { sessionTimeout: 8000 });
  const other = zookeeper.createClient(connectString, { sessionTimeout: 8000 });
  try {
    for (const each of [client, other]) {
      const connected = once(each as never, "connected");
      each.connect();
      await connected;
    }
    await prove(client, other);
  } finally {
    client.close();
    other.close();
  }
}

type Client = ReturnType<typeof zookeeper.createClient>;

async function prove(client: Client, other: Client): Promise<void> {
  const root = `/node-client-${process.pid}-${process.hrtime.bigint()}`;
  const one = Buffer.from("one");
  const path = await asked<string>((done) => client.create(root, one, CreateMode.PERSISTENT, done));
  assert.equal(path, root);
  await refused("NODE_EXISTS", (done) => client.create(root, one, CreateMode.PERSISTENT, done));
  assert.deepEqual(await asked<Buffer>((done) => client.getData(root, done)), one);

  const event = new Promise((resolve) => client.exists(root, resolve, () => {}));
  const stat = await asked<{ version: number }>((done) => client.setData(root, Buffer.from("two"), 0, done));
  assert.equal(stat.version, 1);
  assert.deepEqual({ ...((await event) as object) }, { type: 3, name: "NODE_DATA_CHANGED", path: root });
  await refused("BAD_VERSION", (done) => client.setData(root, one, 0, done));

  const nobody = Buffer.alloc(0);
  const mode = CreateMode.EPHEMERAL_SEQUENTIAL;
  const ephemeral = await asked<string>((done) => other.create(`${root}/e-`, nobody, mode, done));
  assert.equal(ephemeral, `${root}/e-0000000000`);
  await refused("NOT_EMPTY", (done) => other.remove(root, -1, done));

  const results = await asked<readonly unknown[]>((done) =>
    client.transaction().create(`${root}/a`).setData(root, one, 1).check(`${root}/a`, 0).commit(done),
  );
  assert.equal(results.length, 3);
  await refused("BAD_VERSION", (done) =>
    client.transaction().create(`${root}/b`).check(root, 9).commit(done),
  );
  const names = await asked<string[]>((done) => client.getChildren(root, done));
  assert.deepEqual(names.sort(), ["a", "e-0000000000"]);

  const { promise: gone, resolve } = Promise.withResolvers<{ name: string }>();
  await asked((done) => client.exists(ephemeral, resolve, done));
  other.close();
  assert.equal((await gone).name, "NODE_DELETED");
}

type Callback<T> = (error: Error | null, result: T) => void;

function asked<T>(call: (done: Callback<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, result) => (error === null ? resolve(result) : reject(error)));
  });
}

async function refused<T>(name: string, call: (done: Callback<T>) => void): Promise<void> {
  await assert.rejects(asked(call), { name });
}
