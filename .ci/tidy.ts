// What compiler, linter and formatter cannot say: layers, purity, and the rules of the house.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { house } from "./tidy/house.ts";
import { layering } from "./tidy/layers.ts";
import { purity } from "./tidy/purity.ts";
import { type Finding, type Rule, source } from "./tidy/source.ts";

const rules: readonly Rule[] = [layering, purity, ...house];

export function tidy(path: string, text: string): Finding[] {
  const file = source(path, text);
  return rules.flatMap((rule) => rule(file));
}

function committable(): string[] {
  const list = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    encoding: "utf8",
    maxBuffer: 64 << 20,
  });
  return list.split("\0").filter((path) => path !== "" && existsSync(path));
}

if (import.meta.main) {
  let found = 0;
  for (const path of committable()) {
    const bytes = readFileSync(path);
    if (bytes.includes(0)) continue;
    for (const { line, message } of tidy(path, bytes.toString("utf8"))) {
      console.log(`${path}:${line}: ${message}`);
      found += 1;
    }
  }
  process.exitCode = found > 0 ? 1 : 0;
}
