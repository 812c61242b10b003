/**
 * Docker daemons that are machines of their own to each other: each in a network namespace, with cables
 * between them, addresses that nobody else has, and a name. Of one that is switched off everything ends at
 * once.
 */

import { readdirSync, readlinkSync, statSync } from "node:fs";
import type Docker from "dockerode";
import { feed } from "../testbed/command-feed.ts";
import { type Daemon, startDaemon } from "../testbed/infrastructure/daemon.ts";
import type { Machine } from "../testbed/infrastructure/infrastructure.ts";
import { createNetns } from "../testbed/infrastructure/netns.ts";
import { newLabel } from "../testbed/label.ts";
import { socketOf } from "./suite-fixtures.ts";

export interface DockerMachine {
  readonly name: string;
  readonly address: string;
  readonly docker: Docker;
  /** As `DOCKER_HOST` has it. */
  readonly host: string;
  /** A command prefix: what follows runs in its network. */
  readonly enter: readonly string[];
  /** Ends the daemon alone. */
  endDaemon(): void;
  /** Without a farewell: its processes end at once, by their ids. */
  switchOff(): void;
}

export interface DockerMachines extends AsyncDisposable {
  readonly machines: readonly DockerMachine[];
}

export async function openDockerMachines(count: number): Promise<DockerMachines> {
  await using stack = new AsyncDisposableStack();
  const label = newLabel();
  const machines = Array.from({ length: count + 1 }, (_, index) => ({
    name: `node-${index + 1}`,
    site: "here",
    index,
    address: `10.213.7.${index + 1}`,
  }));
  const infrastructure = stack.use(
    // Who keeps the namespaces is itself in the last one, so that belongs to nobody else.
    await createNetns({ label, machines, congestionControl: null, socketBuffers: null, rootless: false }),
  );
  const used = machines.slice(0, count);
  const ip = (machine: Machine, lines: readonly string[]): Promise<string> =>
    feed([...infrastructure.enter(machine), "ip", "-batch", "-"], `${lines.join("\n")}\n`);
  for (const machine of used) {
    const cables = used.slice(machine.index + 1).map((other) => {
      const there = infrastructure.namespace(other);
      return `link add name to-${other.index} type veth peer name to-${machine.index} netns ${there}`;
    });
    await ip(machine, [`address add ${machine.address}/32 dev lo`, ...cables]);
  }
  for (const machine of used)
    await ip(
      machine,
      used
        .filter((other) => other !== machine)
        .flatMap(({ index, address }) => [
          `link set dev to-${index} up`,
          `route add ${address}/32 dev to-${index} src ${machine.address}`,
        ]),
    );
  const opened = await Promise.all(
    used.map(async (machine) => {
      const enter = infrastructure.enter(machine);
      const daemon = stack.use(await startDaemon(newLabel(), { enter, hostname: machine.name }));
      return {
        ...machine,
        ...namesOf(daemon),
        enter,
        endDaemon: () => void (daemon.pid === null || process.kill(daemon.pid, "SIGKILL")),
        switchOff: () => endAll(infrastructure.namespace(machine)),
      };
    }),
  );
  const owned = stack.move();
  return { machines: opened, [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose]() };
}

const namesOf = ({ docker }: Daemon): Pick<DockerMachine, "docker" | "host"> => ({
  docker,
  host: `unix://${socketOf({ docker })}`,
});

function endAll(namespace: string): void {
  const inside = `net:[${statSync(namespace).ino}]`;
  for (const pid of readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name)))
    try {
      if (readlinkSync(`/proc/${pid}/ns/net`) === inside) process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has ended by itself.
    }
}

/** The first leads, the others join it as workers. */
export async function formSwarm([manager, ...workers]: readonly DockerMachine[]): Promise<void> {
  if (manager === undefined) return;
  const listening = (machine: DockerMachine) => ({
    ListenAddr: `${machine.address}:2377`,
    AdvertiseAddr: machine.address,
  });
  const { Swarm } = (await manager.docker.info()) as { Swarm: { LocalNodeState: string } };
  if (Swarm.LocalNodeState !== "active")
    await manager.docker.swarmInit({ ...listening(manager), ForceNewCluster: false });
  const { JoinTokens } = (await manager.docker.swarmInspect()) as { JoinTokens: { Worker: string } };
  for (const worker of workers)
    await worker.docker.swarmJoin({
      ...listening(worker),
      RemoteAddrs: [`${manager.address}:2377`],
      JoinToken: JoinTokens.Worker,
    });
}
