/**
 * Clients that ask for more than anybody should have, on connections of their own, byte by byte: many long
 * names, endless questions that a server answers by itself behind one that it cannot answer yet, and answers
 * that nobody reads. Whatever they do, a server keeps its bounds.
 */

import { Question } from "../../client/question.ts";
import type { ServerId } from "../../core/identity.ts";
import { after, milliseconds } from "../../core/time.ts";
import type { ClientConnection } from "../../host/virtual/client-connection.ts";
import { NO_ROW } from "../../tree/nodes.ts";
import { Violation } from "../../host/virtual/swarm/sequence.ts";
import { type Acl, OPEN } from "../../wire/client/acl.ts";
import { NO_SESSION, writeHello } from "../../wire/client/handshake.ts";
import { framed } from "../../wire/client/header.ts";
import { JuteWriter } from "../../wire/client/jute.ts";
import type { ClientRequest } from "../../wire/client/request.ts";
import type { ServerStage } from "./stage.ts";
import type { StrangerPlan } from "./world.ts";

export class Stranger {
  readonly #plan: StrangerPlan;
  readonly #stage: ServerStage;
  readonly #server: ServerId;
  #connection: ClientConnection | null = null;
  #xid = 0;
  #isWelcome = false;

  constructor(plan: StrangerPlan, stage: ServerStage, server: ServerId) {
    this.#plan = plan;
    this.#stage = stage;
    this.#server = server;
  }

  begin(): void {
    const { ensemble, clients } = this.#stage;
    ensemble.at(after(ensemble.now, this.#plan.at), () => {
      this.#isWelcome = false;
      const connection = clients.connect(this.#server, "clients", {
        takes: this.#plan.kind === "unread" ? TAKES : Infinity,
        connected: () => {
          const hello = { lastZxidSeen: 0, timeoutMs: 4000, readOnly: false };
          connection.write(framed(writeHello(new JuteWriter(64), NO_SESSION, hello).finish()));
        },
        received: () => this.#welcomed(),
        disconnected: () => {
          this.#connection = null;
        },
      });
      this.#connection = connection;
    });
  }

  /** What it left unread kept its session from ending for as long as it stayed. */
  leave(): void {
    this.#connection?.leave();
    this.#connection = null;
  }

  #welcomed(): void {
    if (this.#isWelcome) return;
    this.#isWelcome = true;
    switch (this.#plan.kind) {
      case "names":
        for (let name = 0; name < NAMES; name++) this.#prove(`${name}${"x".repeat(NAME_BYTES)}:secret`);
        return this.#ask({ kind: "create", path: "/s", data: null, acl: OPEN, flags: 1, ttl: -1 });
      case "acls":
        for (let name = 0; name < PEOPLE; name++) this.#prove(`n${name}:secret`);
        return this.#ask({ kind: "create", path: GREEDY, data: null, acl: EVERY_AUTH, flags: 0, ttl: -1 });
      case "known":
        this.#ask({ kind: "create", path: "/s", data: null, acl: OPEN, flags: 1, ttl: -1 });
        return this.#flood();
      case "unread":
        this.#ask({ kind: "create", path: "/large", data: LARGE, acl: OPEN, flags: 0, ttl: -1 });
        for (let count = 0; count < READS; count++)
          this.#ask({ kind: "getData", path: "/large", watch: false });
    }
  }

  /** A few now, and more as long as anybody listens. */
  #flood(): void {
    if (this.#connection === null || this.#xid > MOST_KNOWN) return;
    for (let count = 0; count < KNOWN_AT_ONCE; count++) this.#prove("a:b", "ip");
    demandBounds(this.#stage, this.#server);
    const { ensemble } = this.#stage;
    ensemble.at(after(ensemble.now, milliseconds(1)), () => this.#flood());
  }

  #prove(text: string, scheme = "digest"): void {
    this.#ask({ kind: "auth", scheme, credentials: new TextEncoder().encode(text) });
  }

  #ask(request: ClientRequest): void {
    this.#xid += 1;
    const { frame, sign } = new Question(request);
    const bytes = frame.slice();
    new DataView(bytes.buffer).setInt32(4, sign ?? this.#xid);
    this.#connection?.write(bytes);
  }
}

/** However short its request, what is kept of it as an ACL is bounded. */
function demandAcl(stage: ServerStage, server: ServerId): void {
  const state = stage.tree(server)?.state;
  const row = state?.nodes.find(GREEDY) ?? NO_ROW;
  if (state === undefined || row === NO_ROW) return;
  const bytes = state.aclOf(row).reduce((sum, { id }) => sum + 12 + id.scheme.length + id.id.length, 0);
  if (bytes > MOST_ACL) throw new Violation(`p${server} keeps an ACL of ${bytes} bytes`);
}

/** What is kept of any client's questions and answers, at this server, is within its bounds. */
export function demandBounds(stage: ServerStage, server: ServerId): void {
  demandAcl(stage, server);
  for (const { asked, client, owed } of stage.server(server)?.front.connections.values() ?? []) {
    if (asked > MOST_ASKED) {
      throw new Violation(`p${server} keeps ${asked} questions of client ${client}, ${owed} bytes`);
    }
    const unread = stage.clients.unreadBy(client);
    if (unread > MOST_UNREAD)
      throw new Violation(`p${server} keeps ${unread} bytes unread by client ${client}`);
  }
}

const GREEDY = "/greedy";
const PEOPLE = 60;
/** Each permission for everybody that this client is. */
const EVERY_AUTH: readonly Acl[] = Array.from({ length: 31 }, (_, number) => ({
  permissions: number + 1,
  id: { scheme: "auth", id: "" },
}));
const MOST_ACL = 64 * 1024;
const NAMES = 40;
const NAME_BYTES = 30_000;
/** A thousand, and what comes in one piece with the last of them. */
const MOST_ASKED = 1000 + 500;
const KNOWN_AT_ONCE = 400;
const MOST_KNOWN = 12_000;
const LARGE = new Uint8Array(300_000);
const READS = 40;
const TAKES = 100_000;
/** A megabyte, what is told within one turn, and one answer. */
const MOST_UNREAD = (1 << 20) + (2 << 20) + (1 << 20);
