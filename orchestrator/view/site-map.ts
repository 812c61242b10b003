/**
 * Where the sites are drawn: on the coasts of their part of the world, or on a circle where no place is
 * known.
 */

import { geoPath } from "d3-geo";
import { coast, projected } from "../report/page/projection.ts";
import type { Topology } from "../topology/topology.ts";
import type { SiteMap } from "./record.ts";

const WIDTH = 940;
const HEIGHT = 460;

export function siteMap(topology: Topology): SiteMap {
  const found = projected(topology, { width: WIDTH, height: HEIGHT, margin: 90 });
  const names = [...topology.sites.keys()];
  const at = (name: string, index: number): readonly [number, number] =>
    found?.on.get(name) ?? onCircle(index, names.length);
  return {
    width: WIDTH,
    height: HEIGHT,
    land: found === null ? "" : (geoPath(found.projection).digits(0)(coast()) ?? ""),
    sites: names.map((name, index) => {
      const [x, y] = at(name, index);
      return { name, x: Math.round(x), y: Math.round(y), load: topology.sites.get(name)?.load ?? 0 };
    }),
  };
}

function onCircle(index: number, count: number): readonly [number, number] {
  if (count === 1) return [WIDTH / 2, HEIGHT / 2];
  const angle = (2 * Math.PI * index) / count - Math.PI / 2;
  return [WIDTH / 2 + 0.34 * WIDTH * Math.cos(angle), HEIGHT / 2 + 0.32 * HEIGHT * Math.sin(angle)];
}
