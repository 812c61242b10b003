/**
 * Two sessions count to twenty together under one lock: node counter.js host:2181
 */

import { connect, Lock } from "polebench/recipe";

const servers = process.argv[2] ?? "127.0.0.1:2181";
const clients = [await connect(servers), await connect(servers)];
const [first] = clients;
await first?.createAll("/examples/counter");
await first?.set("/examples/counter", "0");

await Promise.all(
  clients.map(async (client) => {
    const lock = new Lock(client, "/examples/counter-lock");
    for (let turn = 0; turn < 10; turn++) {
      await lock.with(async () => {
        const { data } = await client.get("/examples/counter");
        await client.set("/examples/counter", String(Number(Buffer.from(data).toString()) + 1));
      });
    }
  }),
);

const counted = await first?.get("/examples/counter");
console.log(`counted to ${Buffer.from(counted?.data ?? "").toString()}`);
for (const client of clients) await client.close();
