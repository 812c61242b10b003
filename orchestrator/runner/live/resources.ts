/**
 * What the processes of a trial use while the load lasts, looked up once a second: so that a report can show
 * that neither the clients nor the orchestrator were what it measured.
 */

import type { ResourceUse } from "../../recording/recording.ts";
import type { Running } from "../../testbed/infrastructure/infrastructure.ts";
import type { Network } from "../../testbed/network/network.ts";

const PERIOD_MS = 1000;

interface Use {
  readonly who: string;
  readonly before: number;
  now: number;
  peakBytes: number;
}

export class LiveResources implements Disposable {
  readonly #lives: () => readonly (readonly [who: string, running: Running])[];
  readonly #uses = new Map<Running, Use>();
  /** What had begun before, and is counted from where it was. */
  readonly #early: ReadonlySet<Running>;
  readonly #own = process.cpuUsage();
  readonly #network: Pick<Network, "report">;
  readonly #openedAt: number;
  readonly #networkBefore: Promise<NetworkUse>;
  readonly #timer: NodeJS.Timeout;

  /** Counts from now on. `openedAt` is when the network was made, on `performance.now()`. */
  constructor(
    lives: () => readonly (readonly [who: string, running: Running])[],
    network: Pick<Network, "report">,
    openedAt: number,
  ) {
    this.#lives = lives;
    this.#early = new Set(lives().map(([, running]) => running));
    this.#network = network;
    this.#openedAt = openedAt;
    this.#networkBefore = this.#networkUse();
    this.#timer = setInterval(() => void this.#look(), PERIOD_MS);
    void this.#look();
  }

  async total(): Promise<readonly ResourceUse[]> {
    const [before, now] = [await this.#networkBefore, await this.#networkUse()];
    const { user, system } = process.cpuUsage(this.#own);
    const processes = Map.groupBy(this.#uses.values(), ({ who }) => who);
    return [
      ...[...processes].map(([who, uses]) => ({
        who,
        cpuSeconds: uses.reduce((sum, use) => sum + use.now - use.before, 0),
        peakBytes: Math.max(...uses.map(({ peakBytes }) => peakBytes)),
      })),
      ...networkRow(before, now),
      { who: "orchestrator", cpuSeconds: (user + system) / 1e6, peakBytes: process.memoryUsage().rss },
    ];
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    for (const [who, running] of this.#lives()) {
      const usage = await running.usage();
      if (usage === null) continue;
      const seconds = usage.processor / 1e6;
      const use = this.#uses.get(running) ?? {
        who,
        before: this.#early.has(running) ? seconds : 0,
        now: seconds,
        peakBytes: 0,
      };
      this.#uses.set(running, use);
      // A process that has ended is told of with nothing.
      use.now = Math.max(use.now, seconds);
      use.peakBytes = Math.max(use.peakBytes, usage.residentBytes);
    }
  }

  async #networkUse(): Promise<NetworkUse> {
    const { processor, ways } = await this.#network.report();
    const cpuSeconds = processor === null ? 0 : (processor * (performance.now() - this.#openedAt)) / 1e3;
    const between = ways.filter(({ from, to }) => SERVER.test(from) && SERVER.test(to));
    return { cpuSeconds, packets: between.reduce((sum, { delivered }) => sum + delivered, 0) };
  }
}

interface NetworkUse {
  readonly cpuSeconds: number;
  readonly packets: number;
}

/** How machines of servers are called. */
const SERVER = /^p[0-9]+$/;

/** Nothing where nothing was carried. */
function networkRow(before: NetworkUse, now: NetworkUse): readonly ResourceUse[] {
  if (now.cpuSeconds === 0 && now.packets === 0) return [];
  return [
    {
      who: "network",
      cpuSeconds: now.cpuSeconds - before.cpuSeconds,
      peakBytes: 0,
      packets: now.packets - before.packets,
    },
  ];
}
