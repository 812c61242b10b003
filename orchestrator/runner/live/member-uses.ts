/** What members of a group take of the machine: looked at before they begin and in the end, not between. */

import type { ResourceUse } from "../../recording/recording.ts";
import { memoryOf, usageOf } from "../../testbed/infrastructure/host-process.ts";
import type { Running } from "../../testbed/infrastructure/infrastructure.ts";

type Members = ReadonlyMap<number, Pick<Running, "pid">>;

export class MemberUses {
  readonly #since: number;
  /** Processor time by then, in microseconds, of each process. */
  readonly #before: ReadonlyMap<number, number>;

  /** Counts from now on, in microseconds. */
  constructor(members: Members, now: number) {
    this.#since = now;
    this.#before = new Map(
      [...members.values()].flatMap(({ pid }): [number, number][] => {
        const usage = pid === null ? null : usageOf(pid);
        return pid === null || usage === null ? [] : [[pid, usage.processor]];
      }),
    );
  }

  /** Of those that have lived all the time, as the same process. */
  until(members: Members, now: number): readonly ResourceUse[] {
    return [...members].flatMap(([member, { pid }]) => {
      const before = pid === null ? undefined : this.#before.get(pid);
      if (pid === null || before === undefined) return [];
      const [usage, memory] = [usageOf(pid), memoryOf(pid)];
      if (usage === null || memory === null) return [];
      return [
        {
          who: `m${member}`,
          cpuSeconds: (usage.processor - before) / 1e6,
          overSeconds: (now - this.#since) / 1e6,
          peakBytes: memory.peak,
          proportionalBytes: memory.proportional,
        },
      ];
    });
  }
}
