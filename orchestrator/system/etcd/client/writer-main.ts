/** The write clients of one site that speak etcd's protocol, a process on a machine of that site. */

import { writeFromSite } from "../../../workload/writing.ts";
import { EtcdWriter } from "./writer.ts";

await writeFromSite(process.argv[2] ?? "", (client, around) => new EtcdWriter(client, around));
