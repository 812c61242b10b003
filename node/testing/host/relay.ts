/**
 * What lies between one client and the servers: it passes on what they say, holds it back, or breaks.
 */

import { once } from "node:events";
import net, { type AddressInfo, type Server, type Socket } from "node:net";
import type { ServerAddress } from "../../host/tcp/live-session.ts";

const HOST = "127.0.0.1";

/** One connection, and what is held back of either direction. */
interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  readonly questions: Buffer[];
  readonly answers: Buffer[];
}

export class Relay {
  /** Where the client finds the servers, in their order. */
  readonly places: readonly ServerAddress[];
  readonly #listeners: readonly Server[];
  readonly #pairs = new Set<Pair>();
  #holds: "nothing" | "answers" | "all" = "nothing";

  private constructor(listeners: readonly Server[]) {
    this.#listeners = listeners;
    this.places = listeners.map((each) => ({ host: HOST, port: (each.address() as AddressInfo).port }));
  }

  static async open(servers: readonly ServerAddress[]): Promise<Relay> {
    const listeners: Server[] = [];
    for (const _ of servers) {
      const listener = net.createServer();
      await once(listener.listen(0, HOST), "listening");
      listeners.push(listener);
    }
    const relay = new Relay(listeners);
    for (const [index, server] of servers.entries()) {
      listeners[index]?.on("connection", (client) => relay.#pass(client, server));
    }
    return relay;
  }

  /** Of what comes from now on. */
  hold(what: "answers" | "all"): void {
    this.#holds = what;
  }

  /** Answers that were held back. */
  get heldAnswers(): number {
    return [...this.#pairs].reduce((sum, { answers }) => sum + answers.length, 0);
  }

  release(): void {
    this.#holds = "nothing";
    for (const { client, server, questions, answers } of this.#pairs) {
      for (const bytes of questions.splice(0)) server.write(bytes);
      for (const bytes of answers.splice(0)) client.write(bytes);
    }
  }

  /** Every connection ends, on both sides. */
  sever(): void {
    for (const { client, server } of this.#pairs) {
      client.destroy();
      server.destroy();
    }
    this.#pairs.clear();
  }

  close(): void {
    this.sever();
    for (const listener of this.#listeners) listener.close();
  }

  #pass(client: Socket, { host, port }: ServerAddress): void {
    const server = net.connect({ host, port, noDelay: true });
    client.setNoDelay(true);
    const pair: Pair = { client, server, questions: [], answers: [] };
    this.#pairs.add(pair);
    client.on("data", (bytes) => {
      if (this.#holds === "all") pair.questions.push(bytes);
      else server.write(bytes);
    });
    server.on("data", (bytes) => {
      if (this.#holds === "nothing") client.write(bytes);
      else pair.answers.push(bytes);
    });
    for (const [end, other] of [
      [client, server],
      [server, client],
    ] as const) {
      end.on("error", () => end.destroy());
      end.on("close", () => {
        other.destroy();
        this.#pairs.delete(pair);
      });
    }
  }
}
