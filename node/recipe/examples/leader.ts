/**
 * A member of an election that works while it leads: node leader.js host:2181,host2:2181 [name]
 *
 * What it works on is fenced: each write carries the term, and is made only where no later term was seen. Any
 * server may be killed meanwhile; the leader stops when it has no connection, and goes on when it has.
 */

import { connect, ConnectionLost, Election, isRefusal, SessionOver } from "polebench/recipe";

const [servers = "127.0.0.1:2181", id = `member-${process.pid}`] = process.argv.slice(2);
const LEDGER = "/examples/ledger";
const PAUSE = 100;

const client = await connect(servers, { timeout: 4000 });
await client.createAll(LEDGER);

const election = new Election({ servers, path: "/examples/election", id, timeout: 4000 });
election.on("led", ({ by, term }) => console.log(`${by} leads in term ${term}`));
election.on("deposed", ({ reason }) => console.log(`${id} leads no more: ${reason}`));
election.on("elected", ({ term, signal }) => {
  console.log(`${id} leads in term ${term}`);
  void work(term, signal);
});

async function work(term: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await write(term);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

/** One entry more, if no later term has written; a lost connection leaves it to the next look. */
async function write(term: number): Promise<void> {
  try {
    const { data, stat } = await client.get(LEDGER);
    const [seen = 0, entries = 0] = Buffer.from(data).toString().split(" ").map(Number);
    if (seen > term) return console.log(`${id} is turned away: term ${seen} has written`);
    await client.set(LEDGER, `${term} ${entries + 1}`, stat.version);
    console.log(`entry ${entries + 1} in term ${term}`);
  } catch (error) {
    const isPassing =
      error instanceof ConnectionLost || error instanceof SessionOver || isRefusal(error, "badVersion");
    if (!isPassing) throw error;
  }
}

for (const end of ["SIGINT", "SIGTERM"] as const) {
  process.once(end, () => {
    void election
      .leave()
      .then(async () => client.close())
      .then(() => process.exit(0));
  });
}
