/**
 * Three members on two sites; the leader goes, and another site takes over: node handover.js host:2181
 */

import { once } from "node:events";
import { otherSite, PriorityElection } from "polebench/recipe";

const servers = process.argv[2] ?? "127.0.0.1:2181";

function member(id: string, site: string): PriorityElection {
  return new PriorityElection({
    servers,
    path: "/examples/priority",
    id,
    site,
    strategy: otherSite,
    takeOver: async ({ term, previous }) => {
      console.log(`${id} takes over in term ${term} from ${previous?.site ?? "nowhere"}`);
    },
    lead: async ({ term, signal }) => {
      console.log(`${id} at ${site} leads in term ${term}`);
      if (!signal.aborted) await once(signal, "abort");
      console.log(`${id} has ended`);
    },
  });
}

const a = member("a", "amsterdam");
await once(a, "led");
const others = [member("b", "amsterdam"), member("c", "berlin")];
await Promise.all(others.map(async (other) => once(other, "led")));
const next = once(others[1] ?? a, "led");
await a.leave();
await next;
for (const other of others) await other.leave();
