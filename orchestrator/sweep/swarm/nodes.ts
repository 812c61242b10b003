/** Whether a Docker daemon leads a swarm that can take a sweep, and which of its nodes would. */

import type Docker from "dockerode";
import { connect, type Socket } from "node:net";
import { CannotRunHere } from "../../testbed/environment.ts";

export interface SwarmNode {
  readonly id: string;
  readonly name: string;
}

interface Node {
  readonly ID: string;
  readonly Spec: { readonly Role: string; readonly Availability: string };
  readonly Description?: {
    readonly Hostname?: string;
    readonly Engine?: { readonly EngineVersion?: string };
  };
  readonly Status: { readonly State: string };
}

interface SwarmInfo {
  readonly LocalNodeState?: string;
  readonly NodeAddr?: string;
  readonly ControlAvailable?: boolean;
  readonly Error?: string;
  readonly RemoteManagers?: readonly { readonly Addr: string }[] | null;
}

/** Jobs came with it. */
const LEAST_API = 1.41;
const LEAST_ENGINE = [20, 10] as const;
const LEAST = "20.10";

/** Those that would be given tasks; or a sentence why there cannot be any. */
export async function workersOf(docker: Docker, onManagers: boolean): Promise<readonly SwarmNode[]> {
  await demandManager(docker);
  const all = (await asked(docker.listNodes())) as readonly Node[];
  const able = all.filter(({ Spec, Status }) => Status.State === "ready" && Spec.Availability === "active");
  const taken = onManagers ? able : able.filter(({ Spec }) => Spec.Role === "worker");
  if (taken.length === 0) throw new CannotRunHere(withoutWorkers(all, able));
  const old = taken.filter(({ Description }) => isOld(Description?.Engine?.EngineVersion ?? ""));
  if (old.length > 0) {
    const which = old
      .map((node) => `${nameOf(node)} (${node.Description?.Engine?.EngineVersion ?? "?"})`)
      .join(", ");
    throw new CannotRunHere(
      `a swarm's jobs need Docker ${LEAST} on every node; older are ${which}: upgrade or drain them`,
    );
  }
  return taken.map((node) => ({ id: node.ID, name: nameOf(node) }));
}

/** Where the swarm's nodes reach this machine, as far as the daemon tells. */
export async function ownAddress(docker: Docker): Promise<string> {
  const { host, port, socketPath } = docker.modem as {
    readonly host?: string;
    readonly port?: number | string;
    readonly socketPath?: string;
  };
  if (socketPath === undefined && host !== undefined) return localAddress(host, Number(port ?? 2375));
  const { NodeAddr = "" } = await swarmOf(docker);
  return NodeAddr === "" ? "127.0.0.1" : NodeAddr;
}

async function demandManager(docker: Docker): Promise<void> {
  const { ApiVersion, Version } = await asked(docker.version());
  if (Number(ApiVersion) < LEAST_API)
    throw new CannotRunHere(`Docker ${Version} knows no jobs of a swarm; ${LEAST} is the first that does`);
  const {
    LocalNodeState = "inactive",
    ControlAvailable = false,
    Error = "",
    RemoteManagers,
  } = await swarmOf(docker);
  if (LocalNodeState === "locked")
    throw new CannotRunHere("the swarm is locked since its manager started again: docker swarm unlock");
  if (LocalNodeState === "error" || LocalNodeState === "pending")
    throw new CannotRunHere(`this Docker daemon's swarm does not work: ${Error || LocalNodeState}`);
  if (LocalNodeState !== "active")
    throw new CannotRunHere(
      "this Docker daemon is in no swarm: docker swarm init, or set DOCKER_HOST to a manager of yours",
    );
  if (ControlAvailable) return;
  const managers = (RemoteManagers ?? []).map(({ Addr }) => Addr).join(", ") || "none is known";
  throw new CannotRunHere(
    `this Docker daemon is a worker of its swarm; set DOCKER_HOST to a manager (${managers})`,
  );
}

async function swarmOf(docker: Docker): Promise<SwarmInfo> {
  const { Swarm } = (await asked(docker.info())) as { readonly Swarm?: SwarmInfo };
  return Swarm ?? {};
}

/** What comes of asking, or a sentence. */
async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const { code = "", message } = error as Error & { readonly code?: string };
    if (/does not have a leader|no.*quorum/i.test(message))
      throw new CannotRunHere(`the swarm has lost its managers: ${message}`);
    if (["ENOENT", "ECONNREFUSED", "EACCES", "ETIMEDOUT", "EHOSTUNREACH"].includes(code))
      throw new CannotRunHere(
        `no Docker daemon answers (${message}): start it, or set DOCKER_HOST to a manager of the swarm`,
      );
    throw new CannotRunHere(`Docker: ${message}`);
  }
}

function withoutWorkers(all: readonly Node[], able: readonly Node[]): string {
  const states = all.map(
    (node) => `${nameOf(node)} (${node.Spec.Role}, ${node.Status.State}, ${node.Spec.Availability})`,
  );
  const remedy =
    able.length > 0
      ? "join one, or let managers work as well: --on-managers"
      : "join one: docker swarm join-token worker";
  return `the swarm has no worker that takes tasks, only ${states.join(", ")}: ${remedy}`;
}

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number.parseFloat);
  return major < LEAST_ENGINE[0] || (major === LEAST_ENGINE[0] && minor < LEAST_ENGINE[1]);
}

const nameOf = ({ ID, Description }: Node): string => Description?.Hostname ?? ID;

function localAddress(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, host, () => {
      resolve(socket.localAddress ?? host);
      socket.destroy();
    });
    socket.once("error", (error) => reject(new CannotRunHere(`no Docker daemon answers: ${error.message}`)));
  });
}
