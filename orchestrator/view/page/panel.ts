/** One trial on the page: its map, its charts, its tables and its log, at a moment. */

import type { Opening, StreamRecord, Writes } from "../record.ts";
import { Scene } from "../scene/scene.ts";
import { type Painted, painted } from "../scene/spans.ts";
import { Chart, type Level, type Line } from "./chart.ts";
import { make, say } from "./dom.ts";
import { EventList } from "./event-list.ts";
import { SiteMapView } from "./map.ts";
import { Strip } from "./strip.ts";
import { agreementView, candidatesView, membersView, outageView, sitesView, waysView } from "./tables.ts";
import { printMs, printSpan } from "./words.ts";

/** Tables are made anew so often at most, charts more rarely. */
const TABLES_MS = 100;
const CHARTS_MS = 500;

export class Panel {
  readonly element: HTMLElement;
  readonly strip = new Strip();
  readonly #plan: Opening;
  readonly #records: StreamRecord[] = [];
  readonly #map: SiteMapView;
  readonly #latency: Chart;
  readonly #rate: Chart;
  readonly #events: EventList;
  readonly #state = make("p", { class: "state" });
  readonly #other = make("code");
  readonly #verdict = make("p", { class: "verdict" });
  readonly #slots = {
    outage: make("div"),
    candidates: make("div", { class: "scroll" }),
    sites: make("div", { class: "scroll" }),
    ways: make("div", { class: "scroll" }),
    members: make("div", { class: "scroll" }),
  };
  readonly #nameOf: (server: number) => string;
  #scene = new Scene();
  #taken = 0;
  #painted: Painted = { from: 0, to: 0, roles: [], outages: [], faults: [], stops: [] };
  #isStale = true;
  #tablesAt = Number.NEGATIVE_INFINITY;
  #chartsAt = Number.NEGATIVE_INFINITY;
  #tablesOf = Number.NaN;
  #physicsOf: number | null = null;

  constructor(plan: Opening, name: string, seek: (at: number) => void) {
    this.#plan = plan;
    this.#map = new SiteMapView(plan);
    this.#latency = new Chart("Latency of writes by site, ms", seek);
    this.#rate = new Chart("Writes acknowledged by site, a second", seek);
    const names = new Map(plan.servers.map(({ id, name: known }) => [id, known]));
    this.#nameOf = (server) => names.get(server) ?? `p${server}`;
    this.#events = new EventList(seek, this.#nameOf);
    const section = (title: string, ...content: readonly HTMLElement[]): HTMLElement =>
      make("section", {}, make("h3", {}, title), ...content);
    const { outage, candidates, sites, ways, members } = this.#slots;
    const [first, second] =
      plan.subject === "members"
        ? [[section("Agreement", outage)], [section("Members", members)]]
        : [
            [
              section("Without service", outage),
              section("Sites", sites, this.#latency.element, this.#rate.element),
            ],
            [section("Why this leader", candidates)],
          ];
    this.element = make(
      "article",
      { class: "panel" },
      make(
        "header",
        {},
        make("h2", {}, name),
        make("p", { class: "faint" }, plan.title),
        this.#verdict,
        this.#state,
        this.#other,
      ),
      make("div", { class: "map-frame" }, this.#map.element, legend()),
      make(
        "div",
        { class: "columns" },
        make("div", {}, ...first),
        make("div", {}, ...second, section("Ways", ways), section("The story", this.#events.element)),
      ),
    );
  }

  get painted(): Painted {
    return this.#painted;
  }

  get end(): Scene["end"] {
    return this.#records.at(-1)?.kind === "end" ? Scene.of(this.#records.slice(-1), 0).end : null;
  }

  add(records: readonly StreamRecord[]): void {
    for (const record of records) {
      let place = this.#records.length;
      while (place > 0 && isLater(this.#records[place - 1], record)) place -= 1;
      this.#records.splice(place, 0, record);
      if (place < this.#taken) this.#rewind();
      this.#events.add(record);
    }
    this.#isStale = true;
    this.#tablesOf = Number.NaN;
  }

  /** `now`: of who looks, in milliseconds. `stretch`: see the map. */
  show(at: number, now: number, stretch: number): void {
    this.#advance(at);
    this.#map.move(this.#scene, at, stretch);
    if (this.#isStale && now - this.#chartsAt > CHARTS_MS) this.#drawCharts(now);
    this.#latency.at(at);
    this.#rate.at(at);
    if (this.#tablesOf === at || now - this.#tablesAt < TABLES_MS) return;
    [this.#tablesAt, this.#tablesOf] = [now, at];
    if (this.#scene.leader !== this.#physicsOf) this.#isStale = true;
    this.#map.show(this.#scene);
    this.#events.show(at);
    if (this.#plan.subject === "members") {
      this.#slots.outage.replaceChildren(agreementView(this.#scene, at));
      this.#slots.members.replaceChildren(membersView(this.#scene));
    } else {
      this.#slots.outage.replaceChildren(outageView(this.#scene, at));
      this.#slots.candidates.replaceChildren(candidatesView(this.#scene));
      this.#slots.sites.replaceChildren(sitesView(this.#scene, this.#recent(at)));
    }
    this.#slots.ways.replaceChildren(waysView(this.#scene));
    this.#tell(at);
  }

  /** All that is known now is on the page at once, as when time stands. */
  settle(at: number): void {
    [this.#tablesAt, this.#chartsAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    this.show(at, 0, 0);
  }

  repaint(): Painted {
    this.#painted = painted(this.#records);
    this.strip.show(this.#plan, this.#painted);
    return this.#painted;
  }

  #rewind(): void {
    this.#scene = new Scene();
    this.#taken = 0;
  }

  #advance(at: number): void {
    if (at < this.#scene.at) this.#rewind();
    for (; this.#taken < this.#records.length; this.#taken++) {
      const record = this.#records[this.#taken];
      if (record === undefined || ("at" in record && record.at > at)) break;
      this.#scene.take(record);
    }
  }

  #tell(at: number): void {
    const { leader, epoch, phase } = this.#scene;
    const leads = this.#scene.servers.get(leader ?? 0)?.role === "leading";
    const isService = this.#plan.subject === "service";
    const reign = `${this.#nameOf(leader ?? 0)} leads${isService ? ` epoch ${epoch}` : ""}`;
    const led = leads ? reign : "nobody leads";
    const left = this.#plan.load.duration - at;
    const what = isService ? "load" : "run";
    const time = left > 0 ? `${printSpan(left)} of ${what} left` : `the ${what} is over`;
    const doing = phase === "" ? "" : `${phase}; `;
    say(this.#state, `${doing}${led}; ${time}`);
    if (this.#plan.runtime === "sim" && isService) say(this.#other, otherFuture(at, leads));
    const { end } = this;
    if (end === null) return;
    const kept = end.limits.map(({ text, passed }) => `${text}: ${passed ? "kept" : "missed"}`);
    say(this.#verdict, [end.headline, ...kept].join("; "));
  }

  #recent(at: number): ReadonlyMap<string, { ok: number; sumMs: number }> {
    const recent = new Map<string, { ok: number; sumMs: number }>();
    const from = at - 1e6;
    for (let index = this.#taken - 1; index >= 0; index--) {
      const record = this.#records[index];
      if (record !== undefined && "at" in record && record.at < from) break;
      if (record?.kind !== "writes") continue;
      for (const name of [record.site, "all"]) {
        const sum = recent.get(name) ?? { ok: 0, sumMs: 0 };
        recent.set(name, { ok: sum.ok + record.ok, sumMs: sum.sumMs + record.sumMs });
      }
    }
    return recent;
  }

  #drawCharts(now: number): void {
    this.#chartsAt = now;
    this.#isStale = false;
    const { outages, from, to } = this.repaint();
    if (this.#plan.subject === "members") return;
    const { bin, load, map, limits } = this.#plan;
    const span = { from: Math.max(0, from), to: Math.max(to, load.duration) };
    const last = Math.floor(to / bin) * bin;
    const bins = binned(this.#records);
    const lines = (value: (writes: Pick<Writes, "ok" | "sumMs"> | undefined) => number | null): Line[] =>
      map.sites.flatMap(({ name, load: share }) => {
        if (share === 0) return [];
        const points: [number, number | null][] = [];
        for (let at = 0; at < last; at += bin) points.push([at, value(bins.get(`${at} ${name}`))]);
        return [{ name, points }];
      });
    const asked = limits.flatMap(({ text, of, ms }): Level[] =>
      of === "latency" && ms !== null ? [{ text, value: ms }] : [],
    );
    const mean = (writes?: Pick<Writes, "ok" | "sumMs">): number | null =>
      writes === undefined || writes.ok === 0 ? null : writes.sumMs / writes.ok;
    this.#latency.show({ span, lines: lines(mean), levels: [...asked, ...this.#physics()], bands: outages });
    const rate = lines((writes) => (writes?.ok ?? 0) / (bin / 1e6));
    this.#rate.show({ span, lines: rate, levels: [], bands: outages });
  }

  /** The mean that the way alone takes under who leads. */
  #physics(): readonly Level[] {
    const { leader } = this.#scene;
    this.#physicsOf = leader;
    const offer = this.#plan.prospects.find((prospect) => prospect.leader === leader);
    if (offer === undefined) return [];
    return [
      { text: `physics under p${offer.leader}, all sites: ${printMs(offer.meanMs)}`, value: offer.meanMs },
    ];
  }
}

/** Only what has a time has a place. */
function isLater(known: StreamRecord | undefined, fresh: StreamRecord): boolean {
  return known !== undefined && "at" in known && "at" in fresh && known.at > fresh.at;
}

function binned(records: readonly StreamRecord[]): ReadonlyMap<string, { ok: number; sumMs: number }> {
  const bins = new Map<string, { ok: number; sumMs: number }>();
  for (const record of records) {
    if (record.kind !== "writes") continue;
    const key = `${record.at} ${record.site}`;
    const bin = bins.get(key);
    bins.set(key, { ok: record.ok + (bin?.ok ?? 0), sumMs: record.sumMs + (bin?.sumMs ?? 0) });
  }
  return bins;
}

/** What one would type to see what else could have come of this moment. */
const otherFuture = (at: number, isLed: boolean): string => {
  const change = isLed ? "FAULT='crash leader'" : "ORACLE=worst-case";
  return `make fork RUN=... AT=${Math.max(0, at / 1e6).toFixed(3)}s ${change}`;
};

const LEGEND =
  "★ leads, ● follows (the arrow says whom), ? looks for a leader, ‖ is paused, ✕ is down. Dots are " +
  "messages: small ones heartbeats and writes, diamonds an election, triangles and squares a recovery; one " +
  "stands for several where there are many, and none is shown faster than can be seen.";

const legend = (): HTMLElement => make("p", { class: "faint" }, LEGEND);
