/** What a server needs so that clients can prove things to it, and whether it is kept well. */

import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import { PASSWORD_BYTES } from "../wire/client/handshake.ts";
import type { Config } from "./settings.ts";
import type { Secrets } from "../front/credentials.ts";

export const secretsFor = ({ superDigest }: Pick<Config, "superDigest">): Secrets => ({
  sha1: (bytes) => createHash("sha1").update(bytes).digest(),
  password: () => randomBytes(PASSWORD_BYTES),
  // Half of it is as long as the password.
  seal: (password) =>
    createHash("sha256")
      .update(password)
      .digest("hex")
      .slice(0, 2 * PASSWORD_BYTES),
  superDigest: superDigest === "" ? null : superDigest,
});

/** Files that hold secrets and that everybody on this machine can read: a sentence for each. */
export function careless({ secretFile, pagesTokenFile, tlsKey }: Config): readonly string[] {
  return [secretFile, pagesTokenFile, tlsKey]
    .filter((file) => ((fs.statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & READ_BY_ALL) !== 0)
    .map((file) => `${file}: everybody on this machine can read it; chmod 600 ${file}`);
}

const READ_BY_ALL = 0o004;
