/** The write clients of one site that speak ZooKeeper's protocol, a process on a machine of that site. */

import { liveSession, WriteClient } from "./client-session.ts";
import { writeFromSite } from "./writing.ts";

await writeFromSite(process.argv[2] ?? "", (client, around) => {
  const session = liveSession(around.clientPort, () => around.now());
  return new WriteClient(client, { ...around, session });
});
