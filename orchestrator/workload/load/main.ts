/** The load by ZooKeeper's protocol. */

import { LoadClient } from "./client.ts";
import { runProgram } from "./program.ts";

await runProgram(
  process.argv[2],
  ({ index, ports, tally, hearsay }) => new LoadClient(ports, index, tally, hearsay),
);
