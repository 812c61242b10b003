/** What is so at the moment, in tables: the outage and its stages, the candidates, the sites, the ways. */

import type { StreamRecord } from "../record.ts";
import type { Outage, Scene } from "../scene/scene.ts";
import { pairOf } from "../scene/scene.ts";
import { stagesOf } from "../scene/stages.ts";
import { make, table } from "./dom.ts";
import { printAt, printMs, SIGN } from "./words.ts";

const named = (scene: Scene, server: number | null): string =>
  server === null ? "nobody" : (scene.servers.get(server)?.name ?? `p${server}`);

/** The stopwatch is the clients': from the fault to the first write that a later leader had acknowledged. */
export function outageView(scene: Scene, at: number): HTMLElement {
  const { outage } = scene;
  if (outage === null) return make("p", {}, "No fault has taken a leader away.");
  const ms = ((outage.until ?? at) - outage.from) / 1e3;
  const state = outage.until === null ? "running" : "over";
  return make(
    "div",
    {},
    make(
      "p",
      { class: `stopwatch ${state}` },
      make("strong", { "data-outage": state }, printMs(ms)),
      state === "running"
        ? " without service, and counting"
        : ` without service; then ${named(scene, outage.by)} answered`,
    ),
    make("p", { class: "faint" }, `Since "${outage.fault}" at ${printAt(outage.from)}, as clients saw it.`),
    ...limitsOf(scene, ms, state === "running"),
    stages(scene, outage),
    ...siteWaits(outage),
  );
}

function limitsOf(scene: Scene, ms: number, isRunning: boolean): readonly HTMLElement[] {
  const limits = scene.plan?.limits.filter(({ of }) => of === "outage") ?? [];
  return limits.map(({ text, ms: limit }) => {
    const most = limit ?? scene.end?.boundMs ?? null;
    const kept = most === null ? "not known yet" : ms > most ? "missed" : isRunning ? "kept so far" : "kept";
    return make("p", {}, `Asked: ${text}: ${kept}.`);
  });
}

function stages(scene: Scene, outage: Outage): HTMLElement {
  const rows = stagesOf(outage).map(({ name, server, ms, floorMs }) => [
    name,
    server === null ? "" : named(scene, server),
    ms === null ? "" : printMs(ms),
    floorMs === null ? "" : printMs(floorMs),
  ]);
  return table("Stages, since the fault", ["stage", "who", "took", "physics allows"], rows);
}

function siteWaits({ from, sites }: Outage): readonly HTMLElement[] {
  if (sites.size === 0) return [];
  const rows = [...sites].map(([site, at]) => [site, printMs((at - from) / 1e3)]);
  return [table("Served again", ["site", "after"], rows)];
}

/** What every candidate said of itself in the last round, and the numbers behind it. */
export function candidatesView(scene: Scene): HTMLElement {
  const { standing, elected, round, plan } = scene;
  if (standing.length === 0 || round === null) return make("p", {}, "No server has told a score yet.");
  const names = [...new Set(standing.flatMap(({ why }) => Object.keys(why)))];
  const physics = new Map(plan?.prospects.map(({ leader, meanMs }) => [leader, meanMs]));
  const rows = standing.map(({ server, score, why }) => [
    named(scene, server) +
      (elected?.round === round && elected.leader === server ? ` ${SIGN.leading} elected` : ""),
    score.map((part) => Number(part.toPrecision(6))).join(" "),
    ...names.map((name) => (why[name] === undefined ? "" : String(Number(why[name].toPrecision(5))))),
    printMs(physics.get(server) ?? Number.NaN),
  ]);
  const columns = ["candidate", "score", ...names, "mean by physics"];
  const is = elected?.round === round ? "decided" : "under way";
  return table(`Round ${round}, ${is}`, columns, rows);
}

/** `recent`: what came of writes in the last second. */
export function sitesView(
  scene: Scene,
  recent: ReadonlyMap<string, { ok: number; sumMs: number }>,
): HTMLElement {
  const mean = (sumMs: number, ok: number): string => (ok === 0 ? "" : printMs(sumMs / ok));
  const rows = [...scene.sites, ["all", scene.total] as const].map(
    ([site, { ok, failed, unknown, sumMs }]) => {
      const last = recent.get(site);
      return [
        site,
        ok,
        failed,
        unknown,
        mean(sumMs, ok),
        last?.ok ?? 0,
        mean(last?.sumMs ?? 0, last?.ok ?? 0),
      ];
    },
  );
  const columns = ["site", "ok", "failed", "unknown", "mean", "last second", "mean then"];
  return table("Writes so far", columns, rows);
}

export function waysView(scene: Scene): HTMLElement {
  const links = scene.plan?.links ?? [];
  if (links.length === 0) return make("p", {}, "There is one site only.");
  const rows = links.map(({ a, b }) => {
    const [ms = 0, measured] = [scene.asked.get(pairOf(a, b)), scene.measured.get(pairOf(a, b))];
    return [`${a} and ${b}`, printMs(ms), measured === undefined ? "not measured" : printMs(measured)];
  });
  return table("Round trips", ["between", "asked", "achieved"], rows);
}

/** Of members: for how long not all that live have followed one that lives, now and before. */
export function agreementView(scene: Scene, at: number): HTMLElement {
  const { partings } = scene;
  const latest = partings.at(-1);
  if (latest === undefined) return make("p", {}, "Nobody has begun yet.");
  const state = latest.until === null ? "running" : "over";
  const ms = ((latest.until ?? at) - latest.from) / 1e3;
  const said =
    latest.until === null
      ? " that not all that live follow one, and counting"
      : ` until all that live followed ${named(scene, latest.on)}`;
  const rows = partings.map(({ from, until, on }) => [
    printAt(from),
    until === null ? "not yet" : printMs((until - from) / 1e3),
    named(scene, on),
  ]);
  return make(
    "div",
    {},
    make("p", { class: `stopwatch ${state}` }, make("strong", { "data-parting": state }, printMs(ms)), said),
    table("Not agreed", ["since", "for", "then on"], rows),
  );
}

/** Whom each member follows; the first of many. */
export function membersView(scene: Scene): HTMLElement {
  const all = [...scene.servers.values()];
  const rows = all
    .slice(0, MOST_MEMBERS)
    .map(({ name, site, role, leader }) => [
      name,
      site,
      `${SIGN[role]} ${role}`,
      role === "following" ? named(scene, leader) : "",
    ]);
  const claims = all.filter(({ role }) => role === "leading").length;
  const living = all.filter(({ role }) => role !== "down" && role !== "unknown").length;
  const caption = `${living} of ${all.length} live, ${claims} take themselves for the leader`;
  return table(caption, ["member", "site", "is", "follows"], rows);
}

const MOST_MEMBERS = 100;

/** One line of the story; null for what is no story. */
export function lineOf(
  record: StreamRecord,
  nameOf: (server: number) => string,
): { at: number; who: string; what: string } | null {
  if (record.kind === "event")
    return record.says === null ? null : { at: record.at, who: nameOf(record.server), what: record.says };
  if (record.kind === "fault") {
    const hand = record.byHand ? ", by hand" : "";
    return { at: record.at, who: "fault", what: `${record.fault}${hand}` };
  }
  if (record.kind === "served") {
    const what = `${record.site} is served in epoch ${record.epoch}, by ${nameOf(record.server)}`;
    return { at: record.at, who: "clients", what };
  }
  return null;
}
