// Builds what people install to use the recipes: JavaScript and declarations of node/recipe and of what it
// stands on, its examples, and the command line. It needs nothing else and runs nothing when it is installed.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const [out = join(root, ".cache/package")] = process.argv.slice(2);
const folder = join(out, "package");
const recipe = join(root, "node/recipe");

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const compiler = join(root, "node_modules/typescript/bin/tsc");
const config = join(root, "node/tsconfig.package.json");
execFileSync(process.execPath, [compiler, "-p", config, "--outDir", join(folder, "dist")], {
  stdio: "inherit",
});
renameSync(join(folder, "dist/recipe/examples"), join(folder, "examples"));
rmSync(join(folder, "dist/recipe/main.d.ts"));
chmodSync(join(folder, "dist/recipe/main.js"), 0o755);
cpSync(join(recipe, "README.md"), join(folder, "README.md"));

const { name, version, engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const manifest = {
  name,
  version,
  description:
    "Recipes of a coordination service: elections, priority election, locks, and what stands around them",
  type: "module",
  engines,
  exports: { "./recipe": { types: "./dist/recipe/recipe.d.ts", default: "./dist/recipe/recipe.js" } },
  bin: { polebench: "./dist/recipe/main.js" },
  files: ["dist", "examples"],
};
writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", out, folder], {
  encoding: "utf8",
});
console.log(join(out, packed.trim().split("\n").at(-1) ?? ""));
