/**
 * Hosts on loopback for the tests beside this file: they do what they are asked, and remember what happened.
 */

import type { TestContext } from "node:test";
import type { Automaton, Input } from "../../core/automaton.ts";
import { type ServerId, serverId } from "../../core/identity.ts";
import { type ProbeProtocol, probeCodec } from "./contract-probe.ts";
import type { Address } from "../../host/tcp/link.ts";
import { MemoryDisk } from "../store/memory-disk.ts";
import { type HostEvent, TcpHost, type TcpHostOptions } from "../../host/tcp/tcp-host.ts";

export const [one, two, three] = [serverId(1), serverId(2), serverId(3)] as const;
export const anyPort: Address = { host: "127.0.0.1", port: 0 };

/** A host whose automaton does what it is asked, with everything that it and the host tell. */
export class Subject {
  readonly inputs: Input<ProbeProtocol>[] = [];
  readonly events: HostEvent[] = [];
  readonly failures: string[] = [];
  host!: TcpHost<ProbeProtocol>;
  #changed = Promise.withResolvers<void>();

  static async start(
    t: TestContext,
    self: ServerId,
    servers: ReadonlyMap<ServerId, Address>,
    options: Partial<TcpHostOptions<ProbeProtocol>> = {},
  ): Promise<Subject> {
    const subject = new Subject();
    const automaton: Automaton<ProbeProtocol> = {
      step(input) {
        subject.inputs.push(input);
        subject.#change();
        return input.kind === "request" ? input.request : [];
      },
    };
    subject.host = await TcpHost.start({
      self,
      servers,
      cluster: "test",
      automaton,
      codec: probeCodec,
      disk: new MemoryDisk(),
      output: () => {},
      tell(event) {
        subject.events.push(event);
        subject.#change();
      },
      failed(reason) {
        subject.failures.push(reason);
        subject.#change();
      },
      ...options,
    });
    t.after(() => subject.host.stop(true));
    return subject;
  }

  get address(): Address {
    return { ...anyPort, port: this.host.port };
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await this.#changed.promise;
  }

  reasons(kind: "refused" | "failing" | "unreachable"): string[] {
    return this.events.flatMap((event) => (event.kind === kind ? [event.reason] : []));
  }

  isConnected(): boolean {
    return this.inputs.some(({ kind }) => kind === "connected");
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
