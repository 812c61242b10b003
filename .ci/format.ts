// Rewrites the sources under the paths given, or all of them: comments first, then biome.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { longestLine } from "./tidy/house.ts";
import { reflow } from "./tidy/reflow.ts";

const paths = process.argv.slice(2);
const listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...paths];
const files = execFileSync("git", listed, { encoding: "utf8" })
  .split("\0")
  .filter((path) => path.endsWith(".ts"));

for (const path of files) {
  const text = readFileSync(path, "utf8");
  const wrapped = reflow(text, longestLine);
  if (wrapped !== text) writeFileSync(path, wrapped);
}
const biome = "node_modules/@biomejs/biome/bin/biome";
execFileSync(process.execPath, [biome, "format", "--write", ...paths], { stdio: "inherit" });
