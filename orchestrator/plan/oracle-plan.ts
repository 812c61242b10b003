/** Which oracle judges, as one says it: a name of the catalog, or the path of a module of one's own. */

import { basename, resolve } from "node:path";
import type { ServerId } from "#node/core/identity.ts";
import { isModulePath, loadOracle } from "#node/host/oracle-module.ts";
import { type OracleName, oracles } from "#node/oracle/catalog.ts";
import type { Oracle } from "#node/oracle/oracle.ts";
import { suggestion } from "../terminal/problem.ts";
import type { OraclePlan } from "./plan.ts";

/** Or what is wrong with it. A module is only named here; `oracleOf` loads and tries it. */
export function oraclePlan(given: string, preference: readonly ServerId[]): OraclePlan | string {
  if (isModulePath(given)) return { name: nameOf(given), preference, module: resolve(given) };
  const valid = Object.keys(oracles) as OracleName[];
  const name = valid.find((one) => one === given);
  if (name === undefined) {
    return `there is no "${given}"${suggestion(given, valid)}, or the path of a module such as ./mine.ts`;
  }
  if (name === "preference" && preference.length === 0) {
    return "preference needs the list: --preference p3,p4";
  }
  return { name, preference, module: null };
}

/** A new one each time. Rejects with an `OracleModuleError` when a module of one's own is no oracle. */
export async function oracleOf({ name, preference, module }: OraclePlan): Promise<() => Oracle> {
  if (module === null) return () => oracles[name].create({ preference });
  const oracle = await loadOracle(module, process.cwd());
  return () => oracle;
}

/** Fit for the name of a folder. */
const nameOf = (path: string): string =>
  basename(path)
    .replace(/\.[a-z]+$/, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-");
