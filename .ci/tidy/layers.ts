// Who may import whom. Dependencies point one way:
//   core <- oracle, election, broadcast, tree <- replica <- wire <- host <- main
// The clients' protocol is what the tree executes, so node/wire/client/ is a layer below it.
import { posix } from "node:path";
import { type Finding, imports, isTest, type Source } from "./source.ts";

const roles = ["core", "telemetry", "oracle", "election", "broadcast", "tree", "wire/client"];
const replica = [...roles, "replica"];

const mayImport: Record<string, string[]> = {
  core: [],
  telemetry: ["core"],
  oracle: ["core", "telemetry"],
  election: ["core", "telemetry"],
  broadcast: ["core", "telemetry"],
  "wire/client": ["core"],
  tree: ["core", "telemetry", "wire/client"],
  replica: roles,
  wire: replica,
  client: ["core", "telemetry", "tree", "wire", "wire/client"],
  host: [...replica, "wire", "client"],
  main: [...replica, "wire", "client", "host"],
};

/** The folders of `node/` that are compiled without ambient types. */
export const pure = Object.keys(mayImport).filter((layer) => layer !== "host" && layer !== "main");

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

  if (from.startsWith("node/")) {
    if (specifier.startsWith("#")) return `inside node/ imports are relative: ${specifier}`;
    if (!to.startsWith("node/")) return `node/ imports nothing outside node/: ${specifier}`;
    const [here, there] = [layer(from), layer(to)];
    if (here !== there && !mayImport[here]?.includes(there))
      return `${here} may not import ${there}: ${specifier}`;
  } else if (to.startsWith("node/") && !specifier.startsWith("#")) {
    return `node/ is reached through #node/ only: ${specifier}`;
  }
  if (to.startsWith("node/host/virtual/") && !mayUseVirtual(from)) {
    return `only the simulated testbed, experiments and tests of hosts know the virtual host: ${specifier}`;
  }
  return undefined;
}

function layer(path: string): string {
  if (path.startsWith("node/wire/client/")) return "wire/client";
  const [, folder = "", ...rest] = path.split("/");
  return rest.length === 0 ? "main" : folder;
}

function mayUseVirtual(path: string): boolean {
  return (
    path.startsWith("node/host/virtual/") ||
    (path.startsWith("node/host/") && isTest(path)) ||
    path.startsWith("orchestrator/testbed/simulated") ||
    path.startsWith("orchestrator/experiments/")
  );
}
