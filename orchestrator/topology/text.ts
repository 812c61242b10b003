/**
 * A topology as the text of a topology file, so that a run remembers the network it was meant to have,
 * changes of load and links included. It is JSON, which every YAML reader reads.
 */

import { toMilliseconds } from "#node/core/time.ts";
import { parseTopology, type Topology } from "./topology.ts";
import type { Jitter, Link, MulticastLoss } from "./link.ts";
import { printRate } from "./quantity.ts";

export function printTopology(topology: Topology): string {
  const names = [...topology.sites.keys()];
  const [first] = names;
  const lan = first === undefined ? null : topology.link(first, first);
  const sites = [...topology.sites.values()].map(({ name, latitude, longitude, servers, load }) => [
    name,
    {
      ...(latitude === null ? {} : { latitude }),
      ...(longitude === null ? {} : { longitude }),
      servers: servers.map((server) => `p${server}`),
      load,
    },
  ]);
  const links = names.flatMap((from) =>
    names
      .filter((to) => to !== from)
      .map((to) => ({
        from,
        to,
        ...printLink(topology.link(from, to)),
        ...sourceOf(topology.link(from, to)),
      })),
  );
  return JSON.stringify(
    {
      description: topology.description,
      sites: Object.fromEntries(sites) as unknown,
      ...(lan === null
        ? {}
        : { lan: { rtt: `${2 * lan.delay}us`, jitter: printJitter(lan.jitter), ...printLoss(lan) } }),
      order: topology.ordered ? "kept" : "free",
      multicastLoss: printMulticastLoss(topology.multicastLoss),
      links,
    },
    null,
    1,
  );
}

/** The topology back, under the name it had. */
export const readTopologyText = (text: string, name: string): Topology => ({
  ...parseTopology(text, "topology.json"),
  name,
});

const printLink = ({ delay, jitter, loss, rate }: Link) => ({
  delay: `${delay}us`,
  jitter: printJitter(jitter),
  ...printLoss({ loss }),
  ...(Number.isFinite(rate) ? { rate: printRate(rate) } : {}),
});

const printLoss = ({ loss }: Pick<Link, "loss">) => (loss === 0 ? {} : { loss: printShare(loss) });

const printMulticastLoss = (loss: MulticastLoss): string =>
  typeof loss === "number" ? printShare(loss) : loss;

/** As short as it can be: 0.07 is 7%, and not 7.000000000000001%. */
const printShare = (share: number): string => `${Number((share * 100).toPrecision(12))}%`;

const printJitter = (jitter: Jitter | null) =>
  jitter === null
    ? "none"
    : {
        distribution: jitter.distribution,
        scale: `${jitter.scale}us`,
        halfLife: `${toMilliseconds(jitter.halfLife)}ms`,
      };

const sourceOf = ({ source }: Link) => (source === null ? {} : { source });
