/** What a member of the medium `service` asks and is told where the service speaks ZooKeeper's protocol. */

import type { ServiceProtocol } from "../../core/service.ts";
import type { Auth } from "./access.ts";
import type { ClientReply, ClientRequest } from "./request.ts";
import type { Bare, OpenSession } from "./session.ts";
import type { SetWatches, WatchEvent } from "./watch.ts";

export interface Coordination extends ServiceProtocol {
  /** Its session is its host's: it neither begins, proves nor ends it by a request. */
  readonly question: Exclude<ClientRequest, SetWatches | Auth | OpenSession | Bare>;
  readonly reply: ClientReply;
  readonly event: WatchEvent;
}
