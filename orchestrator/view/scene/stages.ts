/** What an outage was made of, stage by stage, beside the least that physics allows its leader. */

import type { Outage, Step } from "./scene.ts";

export interface StageLine {
  readonly name: string;
  readonly server: number | null;
  /** Since the fault; null while it has not come. */
  readonly ms: number | null;
  readonly floorMs: number | null;
}

/**
 * Of the leader that there is in the end. While there is none, what anybody told last; physics is then the
 * best that any server could have.
 */
export function stagesOf({ from, until, by, steps, floors }: Outage): readonly StageLine[] {
  const established = steps.findLast(({ name }) => name === "established");
  const leader = established?.server ?? null;
  const own = leader === null ? null : (floors.find((floor) => floor.leader === leader) ?? null);
  const least = (of: "establishedMs" | "servedMs"): number | null =>
    own === null ? (floors.length === 0 ? null : Math.min(...floors.map((floor) => floor[of]))) : own[of];
  const told = (name: string, of: (step: Step) => boolean = () => true): Step | undefined =>
    steps.findLast((step) => step.name === name && of(step));
  const before = ({ at, server }: Step): boolean =>
    established === undefined || (server === leader && at <= established.at);
  const line = (name: string, step: Step | undefined, floorMs: number | null = null): StageLine => ({
    name,
    server: step?.server ?? null,
    ms: step === undefined ? null : (step.at - from) / 1e3,
    floorMs,
  });
  return [
    line(
      "first to notice",
      steps.find(({ name }) => name === "noticed"),
    ),
    line("elected", told("elected", before)),
    line("discovered", told("discovered", before)),
    line("pulled", told("pulled", before)),
    line("established", established, least("establishedMs")),
    line(
      "first commit",
      steps.find(({ name, server }) => name === "first commit" && server === leader),
    ),
    {
      name: "first write served",
      server: by,
      ms: until === null ? null : (until - from) / 1e3,
      floorMs: least("servedMs"),
    },
  ];
}
