/**
 * Membership, a configuration and a queue in one program: node who-is-there.js host:2181
 */

import { Configuration, connect, Membership, Queue } from "polebench/recipe";

const client = await connect(process.argv[2] ?? "127.0.0.1:2181");

const members = new Membership(client, "/examples/members");
await members.join("one", "on port 8001");
await members.join("two", "on port 8002");
console.log(`there are ${(await members.members()).join(" and ")}`);

interface Limits {
  readonly rate: number;
}

function asLimits(value: unknown): Limits {
  if (typeof value === "object" && value !== null && "rate" in value && typeof value.rate === "number") {
    return { rate: value.rate };
  }
  throw new Error('/examples/limits should be like {"rate":100}');
}

const limits = new Configuration(client, "/examples/limits", asLimits);
await limits.update((known) => ({ rate: (known?.rate ?? 0) + 100 }));
console.log(`the rate is a multiple of a hundred: ${((await limits.get())?.value.rate ?? 1) % 100 === 0}`);

const queue = new Queue(client, "/examples/queue");
await queue.put("first");
await queue.put("second");
for (let item = 0; item < 2; item++) console.log(`taken: ${Buffer.from(await queue.take()).toString()}`);
await client.close();
