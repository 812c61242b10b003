/** One trial of a sweep, named by all that decides what comes of it, the code included. */

import { createHash } from "node:crypto";
import type { ElectionName } from "#node/election/catalog.ts";
import type { OracleName } from "#node/oracle/catalog.ts";
import { planTrial } from "../plan/flags.ts";
import { type ServicePlan, withService } from "../plan/plan.ts";
import { parseTopology, type Topology } from "../topology/topology.ts";
import { drawMap } from "./maps.ts";

/** What all cells of a sweep have. */
export interface Conditions {
  readonly servers: number;
  readonly rate: string;
  readonly duration: string;
}

/** A map that is drawn from its number, or what stands in a topology's file: a cell needs no file. */
export type MapSource =
  | { readonly kind: "drawn"; readonly map: number }
  | { readonly kind: "written"; readonly name: string; readonly text: string };

export interface Cell {
  readonly place: MapSource;
  readonly oracle: OracleName;
  readonly election: ElectionName;
  readonly seed: number;
  readonly conditions: Conditions;
}

export interface SweepAsked {
  readonly places: readonly MapSource[];
  readonly oracles: readonly OracleName[];
  readonly elections: readonly ElectionName[];
  readonly seeds: number;
  readonly conditions: Conditions;
}

export const countOf = ({ places, oracles, elections, seeds }: SweepAsked): number =>
  places.length * oracles.length * elections.length * seeds;

/** One map after the other, so that a sweep that was stopped has compared what it has. */
export function* cellsOf({ places, oracles, elections, seeds, conditions }: SweepAsked): Generator<Cell> {
  for (const place of places)
    for (let seed = 1; seed <= seeds; seed++)
      for (const election of elections)
        for (const oracle of oracles) yield { place, oracle, election, seed, conditions };
}

/** `sources` are those of the code that runs it. */
export const idOf = (cell: Cell, sources: string): string =>
  createHash("sha256").update(JSON.stringify(cell)).update(sources).digest("hex").slice(0, 20);

export interface Planned {
  readonly kind: string;
  readonly plan: ServicePlan;
}

/** The leader dies when two fifths are over. */
export function planned({ place, oracle, election, seed, conditions }: Cell): Planned {
  const { topology, kind } = placeOf(place, conditions);
  const { rate, duration } = conditions;
  const base = planTrial(
    { rate, duration, payload: PAYLOAD, warmUp: "2s", settle: "5s", killAt: killAt(duration), election },
    "sim",
  );
  const servers = [...topology.servers.keys()];
  const firstLeader = servers[seed % servers.length] ?? base.subject.firstLeader;
  return {
    kind,
    plan: withService(
      { ...base, topology, seed },
      { oracle: { name: oracle, preference: [], module: null }, firstLeader },
    ),
  };
}

function placeOf(
  place: MapSource,
  { servers }: Conditions,
): { readonly topology: Topology; readonly kind: string } {
  if (place.kind === "drawn") return drawMap(place.map, servers);
  const topology = parseTopology(place.text, place.name);
  return { topology, kind: topology.name };
}

const killAt = (duration: string): string => `${0.4 * Number.parseFloat(duration)}s`;
/** In bytes. What a write carries tells nothing here, and takes time. */
const PAYLOAD = "100";
