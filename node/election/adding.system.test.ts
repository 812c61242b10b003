// lane: works, 60 s
/**
 * What adding an election, a medium or a system takes: a folder or a file, and its line in the catalog. Done
 * here in a copy of the sources, with the two least elections of `testing/election/`, the ring and ZooKeeper
 * under other names; then the copy is used as people use it.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, suite, test } from "node:test";
import { isDeepStrictEqual } from "node:util";

const SOURCES = path.resolve(import.meta.dirname, "../..");
const copy = fs.mkdtempSync(path.join(tmpdir(), "polebench-adding-"));
after(() => fs.rmSync(copy, { recursive: true }));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const run = (...words: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    // A test that runs tests hides that it is one.
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
    const child = execFile(
      process.execPath,
      words,
      { cwd: copy, env, maxBuffer: 64 << 20 },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });

const polebench = (...words: readonly string[]): Promise<Ended> => run("orchestrator/main.ts", ...words);
const server = (...words: readonly string[]): Promise<Ended> => run("node/main.ts", ...words);

const filesOf = (folder: string): string[] =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));

for (const each of ["node", "orchestrator", "topologies", "package.json", "tsconfig.json"]) {
  fs.cpSync(path.join(SOURCES, each), path.join(copy, each), { recursive: true });
}
fs.symlinkSync(path.join(SOURCES, "node_modules"), path.join(copy, "node_modules"));

/** Puts an election among the others, as if it had been written there. */
function add(name: string, exported: string): void {
  const [from, to] = [`node/testing/election/${name}`, `node/election/${name}`].map((each) =>
    path.join(copy, each),
  );
  assert.ok(from !== undefined && to !== undefined);
  fs.cpSync(from, to, { recursive: true });
  for (const file of filesOf(to)) {
    const text = fs.readFileSync(path.join(to, file), "utf8");
    const moved = text.replaceAll("../../../election/", "../").replaceAll("../../../", "../../");
    fs.writeFileSync(path.join(to, file), moved);
  }
  const catalog = path.join(copy, "node/election/catalog.ts");
  const text = fs
    .readFileSync(catalog, "utf8")
    .replace(/^import /m, `import { ${exported} } from "./${name}/entry.ts";\nimport `)
    .replace("export const elections = {\n", `export const elections = {\n  "${name}": ${exported},\n`);
  fs.writeFileSync(catalog, text);
}

function edit(file: string, from: string | RegExp, to: string): void {
  const text = fs.readFileSync(path.join(copy, file), "utf8");
  const edited = text.replace(from, to);
  assert.notEqual(edited, text, `${file} has another form`);
  fs.writeFileSync(path.join(copy, file), edited);
}

function write(file: string, text: string): void {
  fs.mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
  fs.writeFileSync(path.join(copy, file), text);
}

const LOOP = `import type { Schema } from "../options.ts";
import { overRing, type RingEntry } from "./ring-entry.ts";

export function overLoop<Message, S extends Schema>(entry: RingEntry<Message, S>) {
  const made = overRing(entry);
  return { ...made, assumes: { ...made.assumes, medium: "loop" as const } };
}
`;
const KEEPER = `import type { System } from "../system.ts";
import { zookeeper } from "../zookeeper/zookeeper.ts";

export const keeper: System = { ...zookeeper, name: "keeper", title: "The keeper" };
`;

add("lowest-id", "lowestId");
add("grand-tour", "grandTour");
write("node/election/medium/loop.ts", LOOP);
edit("node/election/medium/catalog.ts", '  ring: "server",\n', '$&  loop: "server",\n');
edit("node/election/grand-tour/entry.ts", /overRing\b/g, "overLoop");
edit("node/election/grand-tour/entry.ts", "medium/ring-entry.ts", "medium/loop.ts");
write("orchestrator/system/keeper/keeper.ts", KEEPER);
edit("orchestrator/system/catalog.ts", /^import /m, 'import { keeper } from "./keeper/keeper.ts";\nimport ');
edit("orchestrator/system/catalog.ts", "export const SYSTEMS = {\n", "$&  keeper,\n");

test("besides what is new only the catalogs have changed", () => {
  for (const house of ["node", "orchestrator"]) {
    const before = filesOf(path.join(SOURCES, house));
    const added = filesOf(path.join(copy, house)).filter((file) => !before.includes(file));
    const changed = before.filter((file) => {
      const [old, present] = [SOURCES, copy].map((root) => fs.readFileSync(path.join(root, house, file)));
      return !present?.equals(old ?? Buffer.alloc(0));
    });
    const wanted =
      house === "node"
        ? {
            added: ["election/grand-tour/entry.ts", "election/lowest-id/entry.ts", "election/medium/loop.ts"],
            changed: ["election/catalog.ts", "election/medium/catalog.ts"],
          }
        : { added: ["system/keeper/keeper.ts"], changed: ["system/catalog.ts"] };
    assert.deepEqual({ added: added.sort(), changed: changed.sort() }, wanted);
  }
});

test("the types are right", async () => {
  const tsc = path.join(SOURCES, "node_modules/typescript/bin/tsc");
  for (const project of ["tsconfig.json", "node/tsconfig.pure.json"]) {
    const { code, stdout } = await run(tsc, "-p", project);
    assert.equal(code, 0, stdout);
  }
});

test("what every election of the catalog is held to holds for the new ones", async () => {
  const { code, stdout } = await run(
    "--test",
    "node/election/ballot.test.ts",
    "node/election/options.test.ts",
  );
  assert.equal(code, 0, stdout);
  assert.match(stdout, /the election lowest-id/);
  assert.match(stdout, /the election grand-tour/);
});

suite("a virtual ensemble elects with it, and again when its leader was killed", () => {
  const runs: [election: string, more: string[], before: number, next: number][] = [
    ["lowest-id", ["--first-leader", "p1", "--patience", "400ms"], 1, 2],
    ["grand-tour", ["--first-leader", "p5", "--ring", "p2,p5,p1,p4,p3"], 5, 4],
  ];
  for (const [election, more, before, next] of runs) {
    test(`${election}: p${before} leads first, then p${next}`, async () => {
      const words = [
        "--runtime",
        "sim",
        "--quick",
        "--duration",
        "8s",
        "--rate",
        "50/s",
        "--json",
        "--quiet",
      ];
      const out = ["--out", path.join(copy, "reports")];
      const { code, stdout, stderr } = await polebench(
        "run",
        "--election",
        election,
        ...more,
        ...words,
        ...out,
      );
      assert.equal(code, 0, stderr);
      const { leaders } = JSON.parse(stdout) as { leaders: { before: number; after: number } };
      assert.deepEqual([leaders.before, leaders.after], [before, next]);
    });
  }
});

test("it hears when the service is led and when the leader is lost, and can depose it", async () => {
  const out = path.join(copy, "reports-deposed");
  const options = ["--election", "lowest-id", "--patience", "400ms", "--reign", "6s", "--first-leader", "p1"];
  const words = ["--runtime", "sim", "--duration", "8s", "--kill-at", "never", "--rate", "50/s", "--quiet"];
  const { code, stderr } = await polebench("run", ...options, ...words, "--out", out);
  assert.equal(code, 0, stderr);
  const [file = assert.fail("no run was kept")] = fs.globSync(path.join(out, "run/*-1/events.ndjson"));
  const told = fs
    .readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { server: number; event: { kind: string } })
    .filter(({ server: who, event }) => who === 1 && ["observed", "lost"].includes(event.kind))
    .map(({ event }) => event);
  const lost = told.findIndex(({ kind }) => kind === "lost");
  const observed = (facts: object) => ({ kind: "observed", election: "lowest-id", facts });
  assert.deepEqual(told.slice(lost - 1, lost + 2), [
    observed({ name: "led", leader: 1, epoch: 1 }),
    { kind: "lost", leader: 1, reason: "its time is over" },
    observed({ name: "lost", reason: "its time is over" }),
  ]);
  const ledAgain = observed({ name: "led", leader: 1, epoch: 2 });
  assert.ok(told.slice(lost + 2).some((event) => isDeepStrictEqual(event, ledAgain)));
});

suite("options and names are everywhere, and what cannot be is refused with a sentence and 64", () => {
  test("in the help of both programs", async () => {
    const [ofServer, ofRun] = await Promise.all([server("--help"), polebench("run", "--help")]);
    assert.match(ofServer.stdout, /--patience time +how long others are waited for \(lowest-id\) \(100ms\)/);
    assert.match(ofServer.stdout, /--ring ids\|list +who passes on to whom: .*\(grand-tour.*\) \(ids\)/);
    assert.match(ofRun.stdout, /--patience <time> +how long others are waited for/);
    assert.match(ofRun.stdout, /--ring <ids\|list> /);
    assert.match(ofRun.stdout, /--system <name>.*\bkeeper\b/s);
  });

  const ensemble = ["--id", "1", "--servers", "1=127.0.0.1:1,2=127.0.0.1:2,3=127.0.0.1:3"];
  const refused: [program: typeof server, words: string[], told: string][] = [
    [
      server,
      ["--election", "lowest-id", "--known-down", "no"],
      "--known-down: the election lowest-id has no such option, only pole, bully have",
    ],
    [server, [...ensemble, "--election", "grand-tour", "--ring", "3,1"], "--ring: it has no place for p2"],
    [
      polebench,
      ["run", "--runtime", "sim", "--election", "pole", "--patience", "1s"],
      "--patience: the election pole has no such option, only lowest-id has",
    ],
    [
      polebench,
      ["run", "--runtime", "sim", "--election", "grand-tour", "--ring", "p1,p2,p9,p3,p4,p5"],
      "--ring: there is no server p9",
    ],
    [
      polebench,
      [
        "run",
        "--runtime",
        "sim",
        "--election",
        "lowest-id",
        "--fault",
        "40s crash p2",
        "--fault",
        "50s restart p2",
      ],
      "--election: the election lowest-id assumes that who has crashed stays away, " +
        "and here crashed servers come back",
    ],
  ];
  for (const [program, words, told] of refused) {
    test(words.join(" "), async () => {
      const { code, stderr } = await program(...words);
      assert.equal(code, 64, stderr);
      assert.ok(stderr.split("\n").includes(told), stderr);
    });
  }
});
