/**
 * Stands beside the server that leads the ensemble and tells what becomes of an election's znodes:
 *
 *   node observer-main.ts <servers> <root>...
 */

import { monotonic } from "#node/host/monotonic.ts";
import { connect } from "#node/recipe/recipe.ts";

const [servers = "", ...roots] = process.argv.slice(2);
const client = await connect(servers, { timeout: 10_000, inOrder: true, within: 60_000 });
const say = (line: object): void =>
  void process.stdout.write(`${JSON.stringify({ at: monotonic() / 1e3, ...line })}\n`);

async function watch(): Promise<void> {
  for (const root of roots) await client.watch(root, "recursive");
}

client.on("change", ({ path, kind }) => say({ path, kind }));
// Watches end with their session.
client.on("expired", () => void watch());
for (const root of roots) await client.createAll(root);
await watch();
say({ path: "", kind: "ready" });
