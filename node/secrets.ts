/**
 * What a server needs so that clients can prove things to it.
 *
 * The passwords of sessions are keyed by the ensemble's secret. A server alone makes itself a key at its
 * first start and keeps it beside its data. An ensemble that has no secret, which is possible on loopback
 * only, has a key that everybody can know: its passwords tell its own clients apart and keep nobody out.
 */

import { createHash, createHmac, randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { keyFor } from "./host/tcp/proof.ts";
import type { Config } from "./settings.ts";
import type { Secrets } from "./tree/credentials.ts";

const KEY_FILE = "session-key";
const KEY_BYTES = 32;

export function secretsFor(config: Config): Secrets {
  const key = keyOf(config);
  return {
    sha1: (bytes) => createHash("sha1").update(bytes).digest(),
    password: (session) => createHmac("sha256", key).update(String(session)).digest().subarray(0, 16),
    superDigest: config.superDigest === "" ? null : config.superDigest,
  };
}

/** Files that hold secrets and that everybody on this machine can read: a sentence for each. */
export function careless({ secretFile, pagesTokenFile, tlsKey }: Config): readonly string[] {
  return [secretFile, pagesTokenFile, tlsKey]
    .filter((file) => ((fs.statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & READ_BY_ALL) !== 0)
    .map((file) => `${file}: everybody on this machine can read it; chmod 600 ${file}`);
}

const READ_BY_ALL = 0o004;

function keyOf({ secret, servers, cluster, dataDir }: Config): Uint8Array {
  if (secret !== "") return keyFor("sessions", secret);
  return servers.size > 1 ? keyFor("sessions", cluster) : ownKey(path.join(dataDir, KEY_FILE));
}

function ownKey(file: string): Uint8Array {
  if (fs.existsSync(file)) return fs.readFileSync(file);
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const key = randomBytes(KEY_BYTES);
  // Under another name first, so that a crash leaves a whole key or none.
  fs.writeFileSync(`${file}.new`, key, { mode: 0o600, flush: true });
  fs.renameSync(`${file}.new`, file);
  return key;
}
