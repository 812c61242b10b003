// Who may import whom: two houses, each a list of rooms in which dependencies point one way. In node/ a room
// names what it may import; the client knows its protocol and nothing of any server. In orchestrator/ the
// rooms stand in order, and a room may import those before it. What only tests use is in testing/, and
// nothing that ships imports it.
// Elections write their own messages, or ask a service in its protocol, so what reads and writes bytes is a
// layer below them; and an election's folder is known to its catalog only.
import { posix } from "node:path";
import { type Finding, imports, isTest, type Source } from "./source.ts";

const roles = ["core", "telemetry", "oracle", "election", "broadcast", "tree", "wire/client", "wire/bytes"];
const replica = [...roles, "replica"];
const host = [...replica, "wire", "client"];

const mayImport: Record<string, string[]> = {
  core: [],
  telemetry: ["core"],
  oracle: ["core", "telemetry"],
  election: ["core", "telemetry", "theory", "wire/bytes", "wire/client"],
  broadcast: ["core", "telemetry"],
  "wire/bytes": ["core"],
  "wire/client": ["core"],
  tree: ["core", "telemetry", "wire/client"],
  replica: roles,
  wire: replica,
  client: ["core", "wire/client"],
  front: ["core", "telemetry", "tree", "wire/client", "replica"],
  theory: ["core"],
  host,
  recipe: [...host, "host"],
  config: ["core", "telemetry", "oracle", "election", "broadcast", "wire/client", "front", "host"],
  watch: ["core", "telemetry", "election", "tree", "front", "host", "config"],
  main: [...host, "front", "host", "config", "watch"],
  testing: [...host, "front", "host", "recipe", "config", "watch", "theory"],
};

const impure = ["host", "recipe", "config", "watch", "main", "testing"];

/** The folders of `node/` that are compiled without ambient types. */
export const pure = Object.keys(mayImport).filter((room) => !impure.includes(room));

/** The rooms of `orchestrator/`, lowest first. Rooms of one line do not know each other. */
const floors: readonly (readonly string[])[] = [
  ["terminal", "statistics"],
  ["topology", "check"],
  ["fault", "workload"],
  ["testbed"],
  ["system"],
  ["plan"],
  ["recording"],
  ["measure"],
  ["runner", "theory"],
  ["advice", "sweep"],
  ["report"],
  ["view"],
  ["book"],
  ["bench"],
  ["experiments", "torture", "fuzz", "conformance", "load", "published", "recipe"],
  ["command"],
  ["main"],
];

export function isPure(path: string): boolean {
  return pure.some((folder) => path.startsWith(`node/${folder}/`)) && !isTest(path);
}

export function layering(source: Source): Finding[] {
  if (!source.path.endsWith(".ts")) return [];
  return imports(source).flatMap(({ specifier, line }) => {
    const message = judge(source.path, specifier);
    return message === undefined ? [] : [{ path: source.path, line, message }];
  });
}

function judge(from: string, specifier: string): string | undefined {
  const inside = specifier.startsWith(".") || specifier.startsWith("#");
  if (!inside) {
    return isPure(from) ? `a pure folder imports nothing from outside node/: ${specifier}` : undefined;
  }
  const to = specifier.startsWith("#")
    ? specifier.slice(1)
    : posix.normalize(posix.join(posix.dirname(from), specifier));
  return (
    ofHouses(from, to, specifier) ??
    ofElections(from, to, specifier) ??
    (to.startsWith("node/") && from.startsWith("node/") ? inNode(from, to, specifier) : undefined) ??
    (to.startsWith("orchestrator/") && from.startsWith("orchestrator/")
      ? inOrchestrator(from, to, specifier)
      : undefined) ??
    apart(from, to, specifier)
  );
}

/** Between the houses: node/ knows nothing of what is outside, and is reached by one name. */
function ofHouses(from: string, to: string, specifier: string): string | undefined {
  if (from.startsWith("node/")) {
    if (specifier.startsWith("#")) return `inside node/ imports are relative: ${specifier}`;
    if (!to.startsWith("node/")) return `node/ imports nothing outside node/: ${specifier}`;
  } else if (to.startsWith("node/") && !specifier.startsWith("#")) {
    return `node/ is reached through #node/ only: ${specifier}`;
  }
  return undefined;
}

function ofElections(from: string, to: string, specifier: string): string | undefined {
  const election = /^node\/election\/(?!medium\/)[^/]+\//.exec(to)?.[0];
  return election === undefined || from.startsWith(election) || mayKnowElections(from)
    ? undefined
    : `outside of ${election} only the catalog of elections imports from it: ${specifier}`;
}

function inNode(from: string, to: string, specifier: string): string | undefined {
  const [here, there] = [roomOf(from), roomOf(to)];
  const known = mayImport[isTest(from) ? "testing" : here];
  if (here === there || there === "testing" || known?.includes(there)) return undefined;
  return `${here} may not import ${there}: ${specifier}`;
}

function inOrchestrator(from: string, to: string, specifier: string): string | undefined {
  const [here, there] = [roomOf(from), roomOf(to)];
  if (here === there || here === "testing" || there === "testing") return undefined;
  if (from.endsWith(".system.test.ts") || from.endsWith(".suite.ts")) return undefined;
  const [mine, theirs] = [floorOf(here), floorOf(there)];
  if (mine === -1) return `${here} is no room of .ci/tidy/layers.ts`;
  return theirs === -1 || theirs >= mine ? `${here} may not import ${there}: ${specifier}` : undefined;
}

const floorOf = (room: string): number => floors.findIndex((rooms) => rooms.includes(room));

/** What only some may know: the virtual host, and what only tests use. */
function apart(from: string, to: string, specifier: string): string | undefined {
  if (to.startsWith("node/host/virtual/") && !mayUseVirtual(from)) {
    return `only the virtual runner, experiments and tests of hosts know the virtual host: ${specifier}`;
  }
  if (/^(?:node|orchestrator)\/testing\//.test(to) && !mayUseTesting(from)) {
    return `only tests import what is in testing/: ${specifier}`;
  }
  return undefined;
}

/** The first folder below the house; a file at its top is `main`. */
function roomOf(path: string): string {
  if (path.startsWith("node/wire/client/")) return "wire/client";
  if (/^node\/wire\/(?:arena|reader|result|writer)\.ts$/.test(path)) return "wire/bytes";
  const [, folder = "", ...rest] = path.split("/");
  return rest.length === 0 ? "main" : folder;
}

/** Tests may play with one election by name, and programs are offered some. */
const mayKnowElections = (path: string): boolean =>
  path.startsWith("node/recipe/") ||
  /^node\/election\/(?:group-|service-)?catalog\.ts$/.test(path) ||
  isTest(path) ||
  /^\w+\/testing\//.test(path);

function mayUseVirtual(path: string): boolean {
  return (
    path.startsWith("node/host/virtual/") ||
    path.startsWith("node/testing/") ||
    (path.startsWith("node/host/") && isTest(path)) ||
    path.startsWith("orchestrator/runner/virtual/") ||
    path.startsWith("orchestrator/experiments/")
  );
}

/** The swarm and the fuzzer are tests that run for hours. */
function mayUseTesting(path: string): boolean {
  return (
    isTest(path) ||
    path.endsWith(".suite.ts") ||
    /^(?:node|orchestrator)\/testing\/|^\.ci\//.test(path) ||
    path.startsWith("node/host/virtual/") ||
    path.startsWith("orchestrator/fuzz/") ||
    path.startsWith("orchestrator/torture/")
  );
}
