/** The load by etcd's protocol. */

import { runProgram } from "../../../workload/load/program.ts";
import { EtcdLoadClient } from "./load-client.ts";

await runProgram(
  process.argv[2],
  ({ index, ports, tally, hearsay }) => new EtcdLoadClient(ports, index, tally, hearsay),
);
