/**
 * Stands beside the server that leads the ensemble and tells what becomes of an election's znodes, and what
 * is written in those of which one tells who leads:
 *
 *   node observer-main.ts <servers> <root>...
 */

import { monotonic } from "#node/host/monotonic.ts";
import { connect, isRefusal, SessionOver } from "#node/recipe/recipe.ts";

const [servers = "", ...roots] = process.argv.slice(2);
const client = await connect(servers, { timeout: 10_000, inOrder: true, within: 60_000 });
const say = (line: object): void =>
  void process.stdout.write(`${JSON.stringify({ at: monotonic() / 1e3, ...line })}\n`);

async function watch(): Promise<void> {
  for (const root of roots) await client.watch(root, "recursive");
}

/** It may be gone by now, or the session. */
async function look(path: string): Promise<void> {
  try {
    const { data, stat } = await client.get(path);
    const { version, czxid, mzxid } = stat;
    say({ path, kind: "read", text: Buffer.from(data).toString(), version, czxid, mzxid });
  } catch (error) {
    if (!isRefusal(error, "noNode") && !(error instanceof SessionOver)) throw error;
  }
}

client.on("change", ({ path, kind }) => {
  say({ path, kind });
  if (kind !== "deleted" && /\/leader\/(?:elected|current|last)$/.test(path)) void look(path);
});
// Watches end with their session.
client.on("expired", () => void watch());
for (const root of roots) await client.createAll(root);
await watch();
say({ path: "", kind: "ready" });
