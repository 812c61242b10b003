/** How near the network came to its topology, before the load and under it. */

import type { AchievedRoundTrip, Recording } from "../../recording/recording.ts";
import { printMs } from "../chart/style.ts";
import { type Markup, table } from "./markup.ts";
import { paragraph, type Section } from "./page.ts";

export function fidelity(recording: Recording): Section {
  const { plan, environment } = recording;
  const measured = plan.runtime === "sim" ? [paragraph(VIRTUAL)] : measuredOf(recording);
  return {
    title: "Was the network what it was said to be?",
    content: [...measured, paragraph(`Network by: ${environment.engine}.`)],
  };
}

function measuredOf({ plan, roundTrips, underLoad }: Recording): readonly Markup[] {
  const wanted = (from: string, to: string): number =>
    (plan.topology.link(from, to).delay + plan.topology.link(to, from).delay) / 1e3;
  const cells = (one: AchievedRoundTrip | undefined): readonly (string | number)[] =>
    one === undefined ? ["", "", ""] : [printMs(one.meanMs), printMs(one.sdMs), one.samples];
  // A round trip is the same from either end.
  const once = roundTrips.filter(
    ({ from, to }, index) => roundTrips.findIndex((one) => one.from === to && one.to === from) >= index,
  );
  const rows = once.map((before) => {
    const { from, to } = before;
    const loaded = underLoad?.roundTrips.find((one) => one.from === from && one.to === to);
    const during = underLoad === null ? [] : cells(loaded);
    return [`${from} and ${to}`, printMs(wanted(from, to)), ...cells(before), ...during];
  });
  const during = underLoad === null ? [] : ["under load", "sd", "samples"];
  return [
    table(["round trip", "wanted", "before the load", "sd", "samples", ...during], rows),
    ...(underLoad === null ? [paragraph("Under load nothing was measured.")] : lateness(underLoad)),
  ];
}

function lateness({ late, remarks }: NonNullable<Recording["underLoad"]>): readonly Markup[] {
  const told =
    late === null
      ? []
      : [paragraph(`${(100 * late).toFixed(2)} % of all packets were more than a millisecond late.`)];
  if (remarks.length === 0) return told;
  return [...told, paragraph(`Judged packet by packet, not by means, under load: ${remarks.join("; ")}.`)];
}

const VIRTUAL =
  "Virtual time: delays are drawn from the topology, so there is nothing to measure. Packets are never " +
  "lost; what machines add is a few numbers:";
