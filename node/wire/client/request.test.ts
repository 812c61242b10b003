// Every message of the client protocol, both ways, whole and cut off.

import { utf8Bytes, utf8Text } from "../../core/utf8.ts";
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import type { ClientReply, ClientRequest } from "./request.ts";
import { readReply, readRequest, writeReply, writeRequest } from "./request.ts";
import {
  readConnectRequest,
  readConnectResponse,
  writeConnectRequest,
  writeConnectResponse,
} from "./handshake.ts";
import { JuteReader, JuteWriter } from "./jute.ts";
import { OPERATIONS, type Operation } from "./operation.ts";

const stat = {
  czxid: 2 ** 32 + 1,
  mzxid: 2 ** 32 + 2,
  ctime: 1_700_000_000_000,
  mtime: 1_700_000_000_001,
  version: 3,
  cversion: -1,
  aversion: 5,
  ephemeralOwner: 2 ** 33,
  dataLength: 7,
  numChildren: 8,
  pzxid: 2 ** 32 + 3,
};
const acl = [{ permissions: 31, id: { scheme: "world", id: "anyone" } }];
const data = Uint8Array.of(1, 2, 3);
const none: string[] = [];
const paths = { relativeZxid: 2 ** 32, data: ["/a"], exist: ["/b", "/c"], child: none };

const create = { kind: "create", path: "/ä", data, acl, flags: 3, ttl: -1 } as const;
const requests: ClientRequest[] = [
  create,
  { ...create, kind: "create2", data: null },
  { ...create, kind: "createContainer", flags: 4 },
  { ...create, kind: "createTtl", flags: 5, ttl: 2 ** 39 },
  { kind: "exists", path: "/a", watch: true },
  { kind: "getData", path: "/a", watch: false },
  { kind: "getChildren", path: "/", watch: true },
  { kind: "getChildren2", path: "/", watch: true },
  { kind: "setData", path: "/a", data, version: -1 },
  { kind: "delete", path: "/a", version: 4 },
  { kind: "check", path: "/a", version: 4 },
  { kind: "sync", path: "/" },
  { kind: "getAcl", path: "/" },
  { kind: "getEphemerals", path: "" },
  { kind: "getAllChildrenNumber", path: "/a" },
  { kind: "setAcl", path: "/a", acl, version: -1 },
  { kind: "setWatches", ...paths, persistent: [], recursive: [] },
  { kind: "setWatches2", ...paths, persistent: ["/p"], recursive: ["/r"] },
  { kind: "addWatch", path: "/a", mode: 1 },
  { kind: "checkWatches", path: "/a", type: 3 },
  { kind: "removeWatches", path: "/a", type: 1 },
  { kind: "auth", scheme: "digest", credentials: data },
  { kind: "createSession", timeoutMs: 4000, seal: "0123456789abcdef" },
  { kind: "reconfig", joining: null, leaving: "3", newMembers: null, currentConfig: -1 },
  { kind: "ping" },
  { kind: "whoAmI" },
  {
    kind: "multi",
    operations: [
      create,
      { kind: "check", path: "/a", version: 1 },
      { kind: "setData", path: "/a", data, version: 0 },
    ],
  },
  { kind: "multiRead", operations: [{ kind: "getData", path: "/a", watch: false }] },
];

const replies: [Operation, ClientReply][] = [
  ["create", { kind: "create", path: "/a" }],
  ["createTtl", { kind: "create2", path: "/a", stat }],
  ["exists", { kind: "exists", stat }],
  ["getData", { kind: "getData", data: null, stat }],
  ["getChildren", { kind: "getChildren", names: ["a", "b"] }],
  ["getChildren2", { kind: "getChildren2", names: [], stat }],
  ["getAllChildrenNumber", { kind: "getAllChildrenNumber", count: 12 }],
  ["getAcl", { kind: "getAcl", acl, stat }],
  ["whoAmI", { kind: "whoAmI", users: [{ scheme: "ip", id: "::1" }] }],
  ["sync", { kind: "sync", path: "/" }],
  ["createSession", { kind: "createSession", session: 2 ** 52, timeoutMs: 4000 }],
  ["addWatch", { kind: "addWatch" }],
  ["delete", { kind: "done" }],
  [
    "multi",
    {
      kind: "multi",
      results: [
        { kind: "create", path: "/a" },
        { kind: "create2", path: "/b", stat },
        { kind: "setData", stat },
        { kind: "check" },
        { kind: "delete" },
      ],
    },
  ],
  [
    "multiRead",
    {
      kind: "multiRead",
      results: [
        { kind: "getData", data, stat },
        { kind: "getChildren", names: ["x"] },
        { kind: "error", error: -101 },
      ],
    },
  ],
];

const encode = (request: ClientRequest): Uint8Array => writeRequest(new JuteWriter(1), request).finish();
const encodeReply = (reply: ClientReply): Uint8Array => writeReply(new JuteWriter(1), reply).finish();

suite("what a client and a server say", () => {
  for (const request of requests) {
    test(`${request.kind} comes out as it went in, and never from a part of its bytes`, () => {
      const bytes = encode(request);
      assert.deepEqual(readRequest(request.kind, new JuteReader(bytes)), request);
      for (let length = 0; length < bytes.length; length++) {
        assert.equal(
          readRequest(request.kind, new JuteReader(bytes.subarray(0, length))),
          null,
          `${length} bytes`,
        );
      }
    });
  }

  for (const [operation, reply] of replies) {
    test(`the reply to ${operation} comes out as it went in, and never from a part of its bytes`, () => {
      const bytes = encodeReply(reply);
      assert.deepEqual(readReply(operation, new JuteReader(bytes)), reply);
      for (let length = 0; length < bytes.length; length++) {
        assert.equal(
          readReply(operation, new JuteReader(bytes.subarray(0, length))),
          null,
          `${length} bytes`,
        );
      }
    });
  }

  test("no bytes make a decoder throw", () => {
    const kind = fc.constantFrom(...(Object.keys(OPERATIONS) as Operation[]));
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 80 }),
      fc.constantFrom(...requests).chain((request) => {
        const bytes = encode(request);
        return fc.tuple(fc.nat(bytes.length), fc.nat(255)).map(([at, value]) => {
          const changed = bytes.slice();
          changed[at] = value;
          return changed;
        });
      }),
    );
    fc.assert(
      fc.property(kind, anything, (operation, bytes) => {
        readRequest(operation, new JuteReader(bytes));
        readReply(operation, new JuteReader(bytes));
      }),
      { numRuns: 5_000 },
    );
  });

  test("an id that is null is an empty one, as kazoo writes it in CREATOR_ALL_ACL", () => {
    const body = new JuteWriter().ustring("/a").int(1).int(31).ustring("auth").int(-1).int(-1).finish();
    const request = readRequest("setAcl", new JuteReader(body));
    const id = { scheme: "auth", id: "" };
    assert.deepEqual(request, { kind: "setAcl", path: "/a", acl: [{ permissions: 31, id }], version: -1 });
  });

  test("a list that claims two billion items, or fewer than none, is refused", () => {
    for (const count of [0x7fff_ffff, -2]) {
      const bytes = new JuteWriter().long(0).int(count).int(0).int(0).int(0).finish();
      assert.equal(readRequest("setWatches", new JuteReader(bytes)), null, `${count} items`);
    }
  });
});

suite("the handshake", () => {
  const request = {
    lastZxidSeen: 7,
    timeoutMs: 9000,
    session: 2 ** 40,
    password: new Uint8Array(16),
    readOnly: true,
  };

  test("is 45 and 37 bytes long, and one less each for a client that knows no read-only servers", () => {
    for (const [readOnly, asked, answered] of [
      [true, 45, 37],
      [null, 44, 36],
    ] as const) {
      const bytes = writeConnectRequest(new JuteWriter(), { ...request, readOnly }).finish();
      assert.equal(bytes.length, asked);
      assert.deepEqual(readConnectRequest(new JuteReader(bytes)), { ...request, readOnly });
      const { timeoutMs, session, password } = request;
      const response = { timeoutMs, session, password, readOnly };
      const responded = writeConnectResponse(new JuteWriter(), response).finish();
      assert.equal(responded.length, answered);
      assert.deepEqual(readConnectResponse(new JuteReader(responded)), response);
    }
  });
});

suite("strings", () => {
  test("are UTF-8, as the platform's own encoder says", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        assert.deepEqual(utf8Bytes(text), new TextEncoder().encode(text));
        assert.equal(
          utf8Text(utf8Bytes(text)),
          new TextDecoder("utf-8", { ignoreBOM: true }).decode(utf8Bytes(text)),
        );
      }),
    );
  });

  test("what is not UTF-8 is marked, and the rest of the string stays", () => {
    for (const [bytes, text] of [
      [[0x61, 0xff, 0x62], "a\ufffdb"],
      [[0xc0, 0x80], "\ufffd\ufffd"],
      [[0xe4, 0xb8], "\ufffd\ufffd"],
    ] as const) {
      assert.equal(utf8Text(Uint8Array.from(bytes)), text);
    }
  });
});
