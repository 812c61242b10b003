/** The image that containers run: the replica's sources on a base that has Node; see docker/README.md. */

import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type Docker from "dockerode";
import { CannotRunHere } from "../environment.ts";
import { newLabel } from "../label.ts";
import { labelledFolder } from "../reaper.ts";
import { execaSync } from "execa";
import { child } from "../child.ts";

/** Where things are inside. */
export const NODE_IN_IMAGE = "/usr/local/bin/node";
export const SOURCE_IN_IMAGE = "/app";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const REGISTRY_BASE = "node:24-slim";
const REGISTRY_PATIENCE = 60_000;
const OWN_BASE = "polebench-base";
const REPLICA = "polebench-replica";
const SWEEP = "polebench-sweep";

export interface Image {
  readonly name: string;
  /** For people: what it was built on, and why. */
  readonly remark: string;
}

/**
 * Builds what is missing; the name changes with the sources, so an old image is never taken for a new one.
 */
export async function provideImage(docker: Docker, base: "any" | "own" = "any"): Promise<Image> {
  const chosen = await provideBase(docker, base);
  const name = `${REPLICA}:${fingerprint(chosen.name)}`;
  if (!(await exists(docker, name))) await build(docker, name, chosen.name);
  return { name, remark: chosen.remark };
}

/**
 * The replica's image, and on top of it what carries out the trials of a sweep: for the nodes of a swarm.
 */
export async function provideSweepImage(docker: Docker, base: "any" | "own" = "any"): Promise<Image> {
  const { name: replica, remark } = await provideImage(docker, base);
  const parts = [...OF_SWEEPS, ...sweepPackages()];
  const hash = createHash("sha256").update(replica);
  for (const path of filesBelow("orchestrator")) hash.update(path).update(readFileSync(join(ROOT, path)));
  const name = `${SWEEP}:${hash.digest("hex").slice(0, 12)}`;
  if (!(await exists(docker, name))) {
    const context = tar(
      ROOT,
      "--transform=s,^docker/Dockerfile.sweep$,Dockerfile,",
      "docker/Dockerfile.sweep",
      ...parts,
    );
    await finished(docker, await docker.buildImage(context, { t: name, buildargs: { BASE: replica } }));
  }
  return { name, remark };
}

const OF_SWEEPS = ["orchestrator", "topologies", "package-lock.json"];

async function provideBase(docker: Docker, base: "any" | "own"): Promise<Image> {
  if (base === "any") {
    if (await exists(docker, REGISTRY_BASE))
      return { name: REGISTRY_BASE, remark: `on ${REGISTRY_BASE}, present` };
    if (await pull(docker, REGISTRY_BASE))
      return { name: REGISTRY_BASE, remark: `on ${REGISTRY_BASE}, pulled` };
  }
  const name = `${OWN_BASE}:${process.version}`;
  if (!(await exists(docker, name))) await importBase(docker, name);
  const why = base === "own" ? "asked for" : "no registry can be reached";
  return { name, remark: `on the pinned Node ${process.version} and its libraries (${why})` };
}

async function exists(docker: Docker, name: string): Promise<boolean> {
  try {
    await docker.getImage(name).inspect();
    return true;
  } catch {
    return false;
  }
}

async function pull(docker: Docker, name: string): Promise<boolean> {
  const attempt = async (): Promise<boolean> => {
    try {
      await finished(docker, await docker.pull(name));
      return true;
    } catch {
      return false;
    }
  };
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), REGISTRY_PATIENCE);
  });
  const pulled = await Promise.race([attempt(), tooLate]);
  clearTimeout(timer);
  return pulled;
}

/** The running Node and the libraries that it is linked to, at their own paths. */
async function importBase(docker: Docker, name: string): Promise<void> {
  const folder = labelledFolder("base", newLabel());
  try {
    const { stdout: listed } = execaSync("ldd", [process.execPath]);
    const libraries = [...listed.matchAll(/(\/\S+) \(0x/g)].map(([, path = ""]) => path);
    const files = [[process.execPath, NODE_IN_IMAGE], ...libraries.map((path) => [path, path])];
    for (const [from = "", to = ""] of files) {
      mkdirSync(dirname(join(folder, to)), { recursive: true });
      cpSync(realpathSync(from), join(folder, to));
    }
    mkdirSync(join(folder, "tmp"));
    chmodSync(join(folder, "tmp"), 0o1777);
    const [repo = "", tag = ""] = name.split(":");
    await finished(docker, await docker.importImage(tar(folder, "."), { repo, tag }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function build(docker: Docker, name: string, base: string): Promise<void> {
  const packages = packagesOf(sources()).map((name) => `node_modules/${name}`);
  const context = tar(
    ROOT,
    "--transform=s,^docker/,,",
    "docker/Dockerfile",
    "package.json",
    "node",
    ...packages,
  );
  await finished(docker, await docker.buildImage(context, { t: name, buildargs: { BASE: base } }));
}

/** Everybody may read it: containers run as nobody, and a checkout may be private. */
function tar(folder: string, ...what: readonly string[]): NodeJS.ReadableStream {
  const how = ["--create", "--directory", folder, "--mode=a+rX", "--owner=0", "--group=0"];
  return child(["tar", ...how, ...what], { stderr: "inherit" }).stdout as NodeJS.ReadableStream;
}

interface Progress {
  readonly error?: string;
}

/**
 * Waits for the end of a pull, a build or an import, whose failures come as one of the lines of its progress.
 */
function finished(docker: Docker, stream: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve, reject) => {
    docker.modem.followProgress(stream, (error: Error | null, lines: readonly Progress[] | null) => {
      const failure = error?.message ?? lines?.find((line) => line.error !== undefined)?.error;
      if (failure === undefined) resolve();
      else reject(new CannotRunHere(`docker: ${failure}`));
    });
  });
}

/** The replica's sources, by their paths from the root. */
const sources = (): readonly string[] => filesBelow("node");

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length))
    .sort();
}

/** The npm packages that the sources import, and those that these need. */
function packagesOf(paths: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const add = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    const { dependencies = {} } = JSON.parse(
      readFileSync(join(ROOT, "node_modules", name, "package.json"), "utf8"),
    ) as { dependencies?: Record<string, string> };
    for (const dependency of Object.keys(dependencies)) add(dependency);
  };
  for (const path of paths.filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))) {
    const text = readFileSync(join(ROOT, path), "utf8");
    for (const [, specifier = ""] of text.matchAll(
      /^(?:import|export|const)\b[^;]*?"((?:@[\w-]+\/)?[\w-]+)"/gm,
    )) {
      if (existsSync(join(ROOT, "node_modules", specifier, "package.json"))) add(specifier);
    }
  }
  return [...found].sort();
}

/** As folders of `node_modules`, of all that a sweep's tasks load. */
function sweepPackages(): readonly string[] {
  const loaded = new Set<string>();
  const follow = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const [, specifier = ""] of readFileSync(join(ROOT, path), "utf8").matchAll(IMPORTED))
      if (specifier.startsWith("#")) follow(specifier.slice(1));
      else if (specifier.startsWith(".")) follow(join(dirname(path), specifier));
  };
  for (const path of ["swarm/task.ts", "worker.ts"]) follow(join("orchestrator/sweep", path));
  return packagesOf([...loaded]).map((name) => `node_modules/${name}`);
}

const IMPORTED = /^(?:import (?!type )|export )[^;"]*?from "([^"]+)"/gm;

/** Of everything that goes into the image. */
function fingerprint(base: string): string {
  const hash = createHash("sha256").update(base);
  for (const path of [...sources(), "package.json", "package-lock.json", "docker/Dockerfile"]) {
    hash.update(path).update(readFileSync(join(ROOT, path)));
  }
  return hash.digest("hex").slice(0, 12);
}
