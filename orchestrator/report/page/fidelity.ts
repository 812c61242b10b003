/** How near the network came to its topology: the certificates before the load and under it. */

import type { ServiceRecording } from "../../recording/recording.ts";
import type { Certificate } from "../../testbed/network/certificate.ts";
import {
  certificateMulticast,
  certificateShares,
  certificateTable,
} from "../../testbed/network/certificate-text.ts";
import type { ServicePlan } from "../../plan/plan.ts";
import { printMs } from "../chart/style.ts";
import { html, type Markup, table } from "./markup.ts";
import { badge, paragraph, type Section } from "./page.ts";

export function fidelity({ plan, environment, certificates: { idle, loaded } }: ServiceRecording): Section {
  const measured =
    plan.runtime === "sim"
      ? [paragraph(VIRTUAL)]
      : [
          ...(idle === null ? [] : [roundTrips(plan, idle, loaded)]),
          ...told("Before the load", idle),
          ...told("Under load", loaded),
        ];
  return {
    title: "Was the network what it was said to be?",
    content: [...measured, paragraph(`Network by: ${environment.engine}.`)],
  };
}

/** The means that the verdict is about; a round trip is the same from either end. */
function roundTrips({ topology }: ServicePlan, idle: Certificate, loaded: Certificate | null): Markup {
  const rows = idle.ways
    .filter(({ from, to }) => from < to)
    .map(({ from, to, roundTrip }) => {
      const wanted = (topology.link(from, to).delay + topology.link(to, from).delay) / 1e3;
      const during = loaded?.ways.find((way) => way.from === from && way.to === to)?.roundTrip.udp;
      return [
        `${from} and ${to}`,
        printMs(wanted),
        printMs(roundTrip.udp / 1e3),
        during === undefined ? "" : printMs(during / 1e3),
      ];
    });
  return table(["mean round trip", "wanted", "before the load", "under load"], rows);
}

/** Each certificate judges way by way and packet by packet, which is stricter than the run's verdict. */
export function told(when: string, certificate: Certificate | null): readonly Markup[] {
  if (certificate === null) return [paragraph(`${when} nothing was measured.`)];
  const { verdict, reasons, congestionControl } = certificate;
  const { columns, rows } = certificateTable(certificate);
  const shares = [
    congestionControl,
    ...certificateMulticast(certificate),
    ...certificateShares(certificate),
  ].join("; ");
  return [
    html`<p>${when}, judged packet by packet and not by means: ${badge(verdict)} ${shares}.</p>`,
    ...(reasons.length === 0 ? [] : [html`<ul>${reasons.map((reason) => html`<li>${reason}</li>`)}</ul>`]),
    html`<details><summary>Every way, ${when.toLowerCase()}</summary>${table(columns, rows)}</details>`,
  ];
}

const VIRTUAL =
  "Virtual time: delays are drawn from the topology, so there is nothing to measure. Packets are never " +
  "lost; what machines add is a few numbers:";
