// Against real hashes, as Apache ZooKeeper computes them.

import { utf8Bytes } from "../core/utf8.ts";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { digestOf, identitiesOf, type Secrets } from "./credentials.ts";

const secrets: Secrets = {
  sha1: (bytes) => createHash("sha1").update(bytes).digest(),
  password: () => new Uint8Array(16),
  seal: String,
  superDigest: "super:xQJmxLMiHGwaqBvst5y6rkB6HQs=",
};
const auth = (scheme: string, text: string) =>
  ({ kind: "auth", scheme, credentials: utf8Bytes(text) }) as const;

test("a digest is the name and the hash of name and password", () => {
  assert.equal(digestOf(utf8Bytes("super:test"), secrets), "super:D/InIHSb7yEEbrWz8b9l71RjZJU=");
  assert.equal(digestOf(utf8Bytes("nobody"), secrets).length, "nobody:".length + 28);
});

test("who knows the super user's password is the super user, besides being itself", () => {
  const identities = identitiesOf(auth("digest", "super:admin"), "10.0.0.1", secrets);
  assert.deepEqual(identities, [
    { scheme: "super", id: "" },
    { scheme: "digest", id: secrets.superDigest },
  ]);
});

test("the scheme ip proves the address, and unknown schemes prove nothing", () => {
  assert.deepEqual(identitiesOf(auth("ip", ""), "10.0.0.1", secrets), [{ scheme: "ip", id: "10.0.0.1" }]);
  assert.equal(identitiesOf(auth("kerberos", "x"), "10.0.0.1", secrets), null);
  assert.equal(
    identitiesOf({ kind: "auth", scheme: "digest", credentials: null }, "10.0.0.1", secrets),
    null,
  );
});
