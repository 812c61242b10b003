// lane: waits, 40 s
// What people install: packed, put into an empty project without running anything, type-checked there, and
// its examples run before real servers, of which each is killed once.
import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { runServers, until } from "../testing/host/server-processes.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const project = mkdtempSync(path.join(os.tmpdir(), "polebench-package-"));
const installed = path.join(project, "node_modules/polebench");
const servers = await runServers();
const all = servers.places.map(({ host, port }) => `${host}:${port}`).join(",");

/** The oldest Node that it promises to run on, where this machine has one, and the one that runs this. */
const nodes = ["/usr/bin/node", process.execPath].filter((node) => existsSync(node));

before(async () => {
  const { stdout } = await run(process.execPath, [path.join(ROOT, ".ci/package.ts"), project]);
  writeFileSync(path.join(project, "package.json"), '{ "name": "empty", "private": true, "type": "module" }');
  const flags = ["install", "--ignore-scripts", "--offline", "--no-audit", "--no-fund"];
  await run("npm", [...flags, stdout.trim()], { cwd: project });
});

after(() => rmSync(project, { recursive: true, force: true }));

const example = (name: string): string => path.join(installed, "examples", `${name}.js`);

suite("the package", () => {
  test("it holds JavaScript and declarations, and no sources, tests or dependencies", () => {
    const files = readdirSync(installed, { recursive: true }).map(String);
    assert.ok(files.includes("dist/recipe/recipe.js") && files.includes("dist/recipe/recipe.d.ts"));
    assert.deepEqual(
      files.filter((file) => /\.test\.|(?<!\.d)\.ts$/.test(file)),
      [],
    );
    assert.deepEqual(
      readdirSync(path.join(project, "node_modules")).filter((name) => !name.startsWith(".")),
      ["polebench"],
    );
  });

  test("strict programs are checked against its declarations, and a wrong one is found", async () => {
    const examples = path.join(ROOT, "node/recipe/examples");
    cpSync(examples, path.join(project, "src"), { recursive: true });
    const strict = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2022"];
    const types = ["--typeRoots", path.join(ROOT, "node_modules/@types"), "--types", "node"];
    const compiler = path.join(ROOT, "node_modules/typescript/bin/tsc");
    const check = async (files: readonly string[]): Promise<unknown> => {
      const paths = files.map((file) => path.join("src", file));
      return run(process.execPath, [compiler, ...strict, ...types, ...paths], { cwd: project });
    };
    await check(readdirSync(examples));
    writeFileSync(
      path.join(project, "src/wrong.ts"),
      'import { connect } from "polebench/recipe";\nawait connect(2181);\n',
    );
    await assert.rejects(check(["wrong.ts"]), ({ stdout }: { stdout: string }) =>
      /wrong.ts.*TS2345/.test(stdout),
    );
  });

  for (const node of nodes) {
    test(`its examples run on ${node === process.execPath ? "the pinned Node" : node}`, async () => {
      const said = async (name: string): Promise<string[]> =>
        (await run(node, [example(name), all], { timeout: 60_000 })).stdout.trim().split("\n");
      assert.deepEqual(await said("counter"), ["counted to 20"]);
      assert.deepEqual(await said("who-is-there"), [
        "there are one and two",
        "the rate is a multiple of a hundred: true",
        "taken: first",
        "taken: second",
      ]);
      const story = await said("handover");
      assert.match(
        story.join("\n"),
        /a at amsterdam leads[^]*a has ended\nc takes over .* from amsterdam\nc at berlin leads/,
      );
    });
  }

  test("its command line asks about an election, and says how it is used", async () => {
    const command = path.join(project, "node_modules/.bin/polebench");
    const { stdout } = await run(command, [
      "priority",
      "status",
      "--connect",
      all,
      "--path",
      "/examples/priority",
    ]);
    assert.match(stdout, /nobody leads[^]*last ready: c at berlin/);
    await assert.rejects(run(command, ["priority", "lead"]), /there is no "lead"/);
  });

  test("its leader goes on whichever server is killed", async () => {
    const [node = process.execPath] = nodes;
    const leader: ChildProcessWithoutNullStreams = spawn(node, [example("leader"), all, "a"]);
    let said = "";
    leader.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    leader.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
    const entries = (): number => said.match(/^entry /gm)?.length ?? 0;
    await until("it works", () => entries() > 3);
    for (const server of servers.places.keys()) {
      await servers.kill(server);
      const before = entries();
      await until(`it works without server ${server + 1}`, () => entries() > before + 5);
      await servers.restart(server);
    }
    leader.kill("SIGTERM");
    const [code] = await once(leader, "exit");
    assert.equal(code, 0, said);
    const terms = [...said.matchAll(/^entry \d+ in term (\d+)/gm)].map(([, term]) => Number(term));
    assert.deepEqual(
      terms,
      terms.toSorted((a, b) => a - b),
    );
  });
});
