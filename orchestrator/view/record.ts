/**
 * The stream: a trial as small records, in the order in which they became known. Whoever looks at a trial
 * reads it: the page while the trial runs, the same page long after, and programs, a JSON document a line.
 *
 * Times are microseconds since the load began; what happened before is negative. Nothing here belongs to any
 * host: the page reads these types too.
 */

export type StreamRecord =
  | Opening
  | Phase
  | Certified
  | Told
  | Struck
  | Writes
  | Served
  | Traffic
  | Until
  | Closing;

/** What is tried, and where: the first record of every trial. */
export interface Opening {
  readonly kind: "plan";
  readonly format: "polebench stream 1";
  /** In a line, for people. */
  readonly title: string;
  readonly runtime: string;
  /** Servers that clients write to, or members of a group that elect and nothing else. */
  readonly subject: "service" | "members";
  /** Faults by hand are taken. */
  readonly handsOn: boolean;
  readonly servers: readonly { readonly id: number; readonly name: string; readonly site: string }[];
  /** Who begin at once; others when a fault lets them. */
  readonly initiators: readonly number[];
  readonly map: SiteMap;
  readonly links: readonly Distance[];
  readonly load: { readonly warmUp: number; readonly duration: number };
  /** Width of a bin of writes. */
  readonly bin: number;
  /** As they were planned, in words. */
  readonly faults: readonly string[];
  readonly limits: readonly Limit[];
  /** What physics offers under each leader while all live. */
  readonly prospects: readonly Prospect[];
  /** The plan as `trial.json` has it. */
  readonly plan: unknown;
}

/** Sites on a map, or on a circle where nobody said where they are. */
export interface SiteMap {
  readonly width: number;
  readonly height: number;
  /** The coast as the path of an SVG; empty where there is none. */
  readonly land: string;
  readonly sites: readonly {
    readonly name: string;
    readonly x: number;
    readonly y: number;
    /** Its share of all writes. */
    readonly load: number;
  }[];
}

/** A mean round trip between two sites. */
export interface Distance {
  readonly a: string;
  readonly b: string;
  readonly ms: number;
}

/** What the run was asked to keep: a line on a chart where it is about what the chart shows. */
export interface Limit {
  readonly text: string;
  readonly of: "outage" | "latency" | "stall";
  /** Null for all sites. */
  readonly site: string | null;
  /** Null: as physics allows, known when the outage is. */
  readonly ms: number | null;
}

export interface Prospect {
  readonly leader: number;
  readonly meanMs: number;
  readonly worstMs: number;
}

/** What is being done, before the load, during it and after it. */
export interface Phase {
  readonly kind: "phase";
  readonly name: string;
}

/** Round trips as they were measured. */
export interface Certified {
  readonly kind: "certified";
  readonly when: "idle" | "loaded";
  readonly verdict: string;
  readonly roundTrips: readonly Distance[];
}

/** A server told something of itself. */
export interface Told {
  readonly kind: "event";
  readonly at: number;
  readonly server: number;
  readonly event: { readonly kind: string; readonly [field: string]: unknown };
  /** As a sentence, where people want to read it. */
  readonly says: string | null;
}

/** A fault was carried out. */
export interface Struck {
  readonly kind: "fault";
  readonly at: number;
  readonly fault: string;
  readonly servers: readonly number[];
  readonly byHand: boolean;
  /** The least that physics allows each server that could lead next, from here on. */
  readonly floors: readonly Floor[];
}

export interface Floor {
  readonly leader: number;
  readonly establishedMs: number;
  /** The first write of any client. */
  readonly servedMs: number;
}

/**
 * What became of the writes of a site's clients that ended within a bin. What comes later is another record
 * of the same bin: they add up.
 */
export interface Writes {
  readonly kind: "writes";
  /** Where the bin begins. */
  readonly at: number;
  readonly site: string;
  readonly ok: number;
  readonly failed: number;
  readonly unknown: number;
  /** Sum and greatest of the latencies of those that are ok. */
  readonly sumMs: number;
  readonly maxMs: number;
}

/** The first write of an epoch that a client of the site was told of. */
export interface Served {
  readonly kind: "served";
  readonly at: number;
  readonly site: string;
  readonly server: number;
  readonly epoch: number;
}

/** What a server has sent to others since it last said so: messages, by what they were for. */
export interface Traffic {
  readonly kind: "traffic";
  readonly at: number;
  readonly server: number;
  readonly over: number;
  readonly sent: Readonly<Record<string, number>>;
}

/** The trial has come so far; all before it has been told. */
export interface Until {
  readonly kind: "until";
  readonly at: number;
}

/** What came of it, as the summary has it. */
export interface Closing {
  readonly kind: "end";
  readonly judgement: string;
  readonly reasons: readonly string[];
  readonly headline: string;
  readonly interrupted: boolean;
  readonly leaders: { readonly before: number | null; readonly after: number | null };
  readonly outageMs: number | null;
  readonly boundMs: number | null;
  readonly expectedLeaders: readonly number[];
  readonly limits: readonly { readonly text: string; readonly passed: boolean }[];
}
