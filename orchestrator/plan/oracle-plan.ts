/** Which oracle judges, as one says it: a name of the catalog, or the path of a module of one's own. */

import { basename, resolve } from "node:path";
import type { ServerId } from "#node/core/identity.ts";
import { isModulePath, loadOracle } from "#node/host/oracle-module.ts";
import { assert } from "#node/core/assert.ts";
import { createOracle, needsOf, oracleNames } from "#node/oracle/catalog.ts";
import { type OracleOptions, type OracleTexts, readOptions } from "#node/oracle/options.ts";
import type { Oracle } from "#node/oracle/oracle.ts";
import { readResign, type ResignTerms } from "#node/oracle/resignation.ts";
import { suggestion } from "../terminal/problem.ts";
import type { Topology } from "../topology/topology.ts";
import type { OraclePlan, ServiceSubject } from "./plan.ts";

/** Or what is wrong with it. A module is only named here; `oracleOf` loads and tries it. */
export function oraclePlan(
  given: string,
  preference: readonly ServerId[],
  options: OracleTexts = {},
): OraclePlan | string {
  if (isModulePath(given)) return { name: nameOf(given), preference, module: resolve(given) };
  const name = oracleNames.find((one) => one === given);
  if (name === undefined) {
    const meant = suggestion(given, oracleNames);
    return `there is no "${given}"${meant}, or the path of a module such as ./mine.ts`;
  }
  const needs = needsOf(name);
  if (needs === "preference" && preference.length === 0) return `${name} needs the list: --preference p3,p4`;
  if (needs === "sites" && !options.sites) return `${name} needs the list: --sites cern,tud`;
  const read = readOptions(preference, options);
  if (typeof read === "string") return read;
  return { name, preference, module: null, ...(Object.keys(options).length > 0 && { options }) };
}

/** A new one each time. Rejects with an `OracleModuleError` when a module of one's own is no oracle. */
export async function oracleOf(plan: OraclePlan): Promise<() => Oracle> {
  if (plan.module === null) return () => catalogued(plan);
  const oracle = await loadOracle(plan.module, process.cwd());
  return () => oracle;
}

/** One of the catalog. */
export function catalogued(plan: OraclePlan): Oracle {
  assert(plan.module === null, () => `the oracle of ${plan.module} was not loaded`);
  return createOracle(plan.name, optionsOfOracle(plan));
}

export function optionsOfOracle(plan: OraclePlan): OracleOptions {
  const options = readOptions(plan.preference, (plan.module === null ? plan.options : undefined) ?? {});
  assert(typeof options !== "string", () => `not refused before: ${options as string}`);
  return options;
}

/** Null where leaders do not resign. */
export function resignOf({ resign = "" }: Pick<ServiceSubject, "resign">): ResignTerms | null {
  const terms = readResign(resign);
  assert(typeof terms !== "string", () => `not refused before: ${terms as string}`);
  return terms;
}

/**
 * As people write them in a trial, sites and servers by their names, to what servers take; or what is wrong.
 */
export function oracleTexts(said: OracleTexts, topology: Topology): OracleTexts | string {
  const { criteria, hysteresis, requests } = said;
  const idsOf = (name: string): readonly ServerId[] | null => {
    const server = [...topology.servers.keys()].find((id) => `p${id}` === name);
    return server === undefined ? (topology.sites.get(name)?.servers ?? null) : [server];
  };
  const texts: { -readonly [Name in keyof OracleTexts]: OracleTexts[Name] } = {
    ...(criteria && { criteria }),
    ...(hysteresis && { hysteresis }),
    ...(requests && { requests }),
  };
  const names = (list: string): readonly string[] => list.split(",").map((name) => name.trim());
  if (said.sites) {
    const unknown = names(said.sites).find((name) => !topology.sites.has(name));
    if (unknown !== undefined)
      return `sites: there is no "${unknown}"${suggestion(unknown, [...topology.sites.keys()])}`;
    // Who has no server there cannot lead there.
    const inhabited = names(said.sites).filter((name) => idsOf(name)?.length !== 0);
    texts.sites = inhabited.map((name) => `${name}=${idsOf(name)?.join("+")}`).join(",");
  }
  if (said.struck) {
    const unknown = names(said.struck).find((name) => idsOf(name) === null);
    if (unknown !== undefined) return `struck: "${unknown}" is neither a server such as p2 nor a site`;
    texts.struck = names(said.struck)
      .flatMap((name) => idsOf(name) ?? [])
      .join(",");
  }
  return texts;
}

/** Fit for the name of a folder. */
const nameOf = (path: string): string =>
  basename(path)
    .replace(/\.[a-z]+$/, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-");
