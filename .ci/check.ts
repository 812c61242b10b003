// Runs every checker at once and shows only what failed. The last line counts checkers.
import { execFile } from "node:child_process";

const node = process.execPath;
const checkers: Record<string, string[]> = {
  types: ["node_modules/typescript/bin/tsc", "-p", "tsconfig.json", ...known("types")],
  "types, pure": ["node_modules/typescript/bin/tsc", "-p", "node/tsconfig.pure.json", ...known("pure")],
  "types, page": ["node_modules/typescript/bin/tsc", "-p", "orchestrator/view/page", ...known("page")],
  tidy: [".ci/tidy.ts"],
  unused: ["node_modules/knip/bin/knip.js", "--no-progress", "--no-config-hints"],
  lint: ["node_modules/oxlint/bin/oxlint", "--type-aware", "--deny-warnings"],
  format: ["node_modules/@biomejs/biome/bin/biome", "format", "--colors=off"],
};

/** What did not change since the last check is not looked at again. */
function known(name: string): string[] {
  return ["--incremental", "--tsBuildInfoFile", `.cache/${name}.tsbuildinfo`];
}

function run(args: string[]): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    execFile(node, args, { maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      resolve({ ok: error === null, output: stdout + stderr });
    });
  });
}

let failed = 0;
const started = performance.now();
await Promise.all(
  Object.entries(checkers).map(async ([name, args]) => {
    const { ok, output } = await run(args);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${ok ? "ok  " : "FAIL"} ${name} (${seconds} s)`);
    if (!ok) {
      failed += 1;
      console.log(output.trimEnd().replaceAll(/^/gm, "     "));
    }
  }),
);
console.log(`${Object.keys(checkers).length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
