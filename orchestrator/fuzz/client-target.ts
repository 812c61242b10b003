/**
 * Bytes at the port of clients: through the front into a tree, after a handshake and instead of one, in two
 * pieces. Whatever a client says, it is answered or dropped, and another one is served.
 */

import { PlayedServer, requestFrame } from "#node/testing/front/front-stage.ts";
import { OPEN } from "#node/wire/client/acl.ts";
import { writeConnectRequest } from "#node/wire/client/handshake.ts";
import { JuteWriter } from "#node/wire/client/jute.ts";
import type { ClientRequest } from "#node/wire/client/request.ts";
import { frameOf } from "#node/front/frame.ts";
import type { Target } from "./target.ts";

/** Nothing of what is here is large, and a frame that asks for it often is short. */
const MOST_ANSWERED = 1 << 20;
/** A tree that has heard so many strangers is given up for a new one, as its sessions never end here. */
const MOST_INPUTS = 5000;

const create = { kind: "create", path: "/a", data: new Uint8Array(3), acl: OPEN, flags: 0, ttl: -1 } as const;
const watches = { relativeZxid: 0, data: ["/a"], exist: ["/b"], child: ["/"], persistent: [], recursive: [] };

const REQUESTS: readonly ClientRequest[] = [
  create,
  { ...create, kind: "create2", flags: 3 },
  { ...create, kind: "createContainer", path: "/c", flags: 4 },
  { ...create, kind: "createTtl", path: "/t", flags: 5, ttl: 100 },
  { kind: "getData", path: "/a", watch: true },
  { kind: "exists", path: "/zookeeper/quota", watch: true },
  { kind: "getChildren2", path: "/", watch: true },
  { kind: "setData", path: "/a", data: new Uint8Array(9), version: 0 },
  { kind: "delete", path: "/a", version: -1 },
  { kind: "sync", path: "/" },
  { kind: "getAcl", path: "/a" },
  { kind: "getEphemerals", path: "/" },
  { kind: "setAcl", path: "/a", acl: OPEN, version: -1 },
  { kind: "multi", operations: [create, { kind: "check", path: "/a", version: 0 }] },
  { kind: "multiRead", operations: [{ kind: "getData", path: "/a", watch: false }] },
  { kind: "setWatches", ...watches },
  { kind: "setWatches2", ...watches },
  { kind: "addWatch", path: "/a", mode: 1 },
  { kind: "removeWatches", path: "/a", type: 3 },
  { kind: "auth", scheme: "digest", credentials: new Uint8Array(8).fill(58) },
  { kind: "reconfig", joining: "server.4=a:1:2", leaving: null, newMembers: null, currentConfig: -1 },
  { kind: "whoAmI" },
  { kind: "closeSession" },
];

const hello = (session: number): Uint8Array => {
  const request = {
    lastZxidSeen: 0,
    timeoutMs: 10_000,
    session,
    password: new Uint8Array(16),
    readOnly: false,
  };
  return frameOf(writeConnectRequest(new JuteWriter(), request).finish());
};

export function clientTarget(): Target {
  let server = new PlayedServer();
  let inputs = 0;
  return {
    seeds: [hello(0), hello(1 + 2 ** 40), ...REQUESTS.map((request) => requestFrame(request, 1))],
    feed(bytes) {
      if (inputs++ % MOST_INPUTS === 0) server = new PlayedServer();
      for (const greets of [true, false]) {
        const client = server.connect(greets ? 1 : 2);
        if (greets) client.greet();
        const cut = bytes.length >> 1;
        client.bytes(bytes.slice(0, cut));
        if (client.ended === undefined) client.bytes(bytes.slice(cut));
        server.front.closed(client.id);
        server.run();
      }
      for (const pieces of server.sent.values()) {
        const answered = pieces.reduce((sum, { length }) => sum + length, 0);
        if (answered > MOST_ANSWERED) throw new Error(`${answered} bytes of answers to ${bytes.length}`);
      }
      server.sent.clear();
      server.ended.clear();
      server.log.length = 0;
      if (server.front.connections.size > 0) throw new Error("a connection was forgotten");
    },
  };
}
