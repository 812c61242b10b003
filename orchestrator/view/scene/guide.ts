/** A trial for whoever sees one for the first time: a few moments, each with what there is to see and why. */

import type { StreamRecord } from "../record.ts";
import { Scene } from "./scene.ts";

export interface GuideStep {
  readonly at: number;
  readonly title: string;
  readonly text: string;
}

export function guideOf(records: readonly StreamRecord[]): readonly GuideStep[] {
  const whole = Scene.of(records, Number.POSITIVE_INFINITY);
  const { plan, outage, end } = whole;
  if (plan === null) return [];
  if (plan.subject === "members") return membersGuide(whole);
  const name = (server: number | null): string => whole.servers.get(server ?? 0)?.name ?? "nobody";
  const before = Scene.of(records, (outage?.from ?? 1_000_001) - 1);
  const warm: GuideStep = {
    at: Math.min(plan.load.warmUp, outage?.from ?? plan.load.warmUp),
    title: `${name(before.leader)} leads`,
    text:
      `Clients at each site write. A write goes to a server of the site, from there to the leader, ` +
      `which waits for a majority of ${plan.servers.length} servers; the lines below show how long that ` +
      `takes for each site, and the dots are the messages.`,
  };
  if (outage === null) return [warm];
  return [
    warm,
    {
      at: outage.from,
      title: `${name(outage.lost)} is lost`,
      text:
        `"${outage.fault}". From here on no write can be answered, and the stopwatch runs: ` +
        "it is the clients' own.",
    },
    ...afterLoss(whole, outage, name),
    ...(outage.until === null ? [] : [lastStep(outage, end?.boundMs ?? null, name)]),
  ];
}

function membersGuide({ partings, servers }: Scene): readonly GuideStep[] {
  const name = (member: number | null): string => servers.get(member ?? 0)?.name ?? "nobody";
  return partings.flatMap(({ from, until, on }, index) => {
    const why = index === 0 ? "They begin" : "They part";
    const apart = {
      at: from,
      title: why,
      text:
        "Each that lives says whom it takes for the leader; until all say the same of one that lives, " +
        "nobody leads.",
    };
    if (until === null) return [apart];
    const took = ((until - from) / 1e3).toFixed(0);
    return [
      apart,
      { at: until, title: `All follow ${name(on)}`, text: `${took} ms later all that live follow one.` },
    ];
  });
}

function afterLoss(
  whole: Scene,
  outage: NonNullable<Scene["outage"]>,
  name: (server: number | null) => string,
): readonly GuideStep[] {
  const { steps } = outage;
  const noticed = steps.filter((step) => step.name === "noticed").at(-1);
  const established = steps.findLast((step) => step.name === "established");
  const elected = steps.findLast(
    (step) => step.name === "elected" && step.server === established?.server && step.at <= established.at,
  );
  const since = (at: number): string => `${((at - outage.from) / 1e3).toFixed(0)} ms after the fault`;
  return [
    ...(noticed === undefined
      ? []
      : [
          {
            at: noticed.at,
            title: "Everybody knows",
            text:
              `The last server noticed ${since(noticed.at)}. News travels no faster than the way; ` +
              "silence is noticed by waiting.",
          },
        ]),
    ...(elected === undefined
      ? []
      : [
          {
            at: elected.at,
            title: `${name(elected.server)} is elected`,
            text:
              `${since(elected.at)}. Each server says how good a leader it would be; "Why this leader" ` +
              `has the ${whole.standing.length} scores and the numbers behind them.`,
          },
        ]),
    ...(established === undefined
      ? []
      : [
          {
            at: established.at,
            title: "A new epoch stands",
            text:
              `${since(established.at)} a majority has the same history, ` +
              "so nothing that was acknowledged is lost.",
          },
        ]),
  ];
}

function lastStep(
  { from, until, by }: NonNullable<Scene["outage"]>,
  boundMs: number | null,
  name: (server: number | null) => string,
): GuideStep {
  const at = until ?? from;
  const bound =
    boundMs === null ? "" : ` Physics and an allowance for machines explain ${boundMs.toFixed(0)} ms.`;
  return {
    at,
    title: `Served again, ${((at - from) / 1e3).toFixed(0)} ms later`,
    text:
      `The first client is answered, by ${name(by)}.${bound} ` +
      "What the sites pay from now on is how good this leader is.",
  };
}
