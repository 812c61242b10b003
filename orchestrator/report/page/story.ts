/** The fault and what followed, told from the events of the replicas. */

import { tell as tellFacts } from "#node/election/tell.ts";
import type { ReplicaEvent } from "#node/telemetry/event.ts";
import { printZxid } from "#node/core/zxid.ts";
import type { Election } from "../../measure/election.ts";
import type { ServiceRecording } from "../../recording/recording.ts";
import { faultAt } from "../../plan/plan.ts";
import { html, type Markup, table } from "./markup.ts";

/** From just before the first fault until every follower was level again, or 10 s. */
export function story({ plan, events, marks }: ServiceRecording): Markup | null {
  if (plan.faults.length === 0) return null;
  const from = faultAt(plan);
  const told = [
    ...events
      .filter(({ at }) => at >= from - 1000 && at < from + STORY)
      .flatMap(({ at, server, event }) =>
        isTelling(event) ? [{ at, who: `p${server}`, what: tell(event) }] : [],
      ),
    ...marks
      .filter(({ at }) => at >= from && at < from + STORY)
      .map(({ at, fault, servers }) => ({
        at,
        who: "fault",
        what: `${fault}: ${servers.map((server) => `p${server}`).join(", ")}`,
      })),
  ].sort((a, b) => a.at - b.at);
  if (told.length === 0) return null;
  const rows = told.map(({ at, who, what }) => [`${((at - from) / 1e3).toFixed(1)} ms`, who, what]);
  return table(["since the fault", "who", "what"], rows, "text");
}

/** What every server thought of itself in the round that found the next leader. */
export function scoreTable({ round, leader, candidates }: Election): Markup | null {
  const names = [...new Set(candidates.flatMap(({ why }) => Object.keys(why)))];
  const rows = candidates.map(({ server, score, why }) => [
    server === leader ? html`<strong>p${server}, elected</strong>` : `p${server}`,
    score.map((part) => String(part)).join(" "),
    ...names.map((name) => (why[name] === undefined ? "" : Number(why[name].toFixed(3)))),
  ]);
  return rows.length === 0 ? null : table(["server", `score in round ${round}`, ...names], rows);
}

const STORY = 10e6;

/** What was sent is in a table of its own. */
const SILENT = ["checkpoint", "traffic"] as const;
type Telling = Exclude<ReplicaEvent, { kind: (typeof SILENT)[number] }>;
const isTelling = (event: ReplicaEvent): event is Telling =>
  !SILENT.some((kind) => kind === event.kind) &&
  // What others proposed is in the scores.
  !(event.kind === "observed" && tellFacts(event.election, event.facts).level === "debug");

/** Null for what is no part of a story. */
export const tellEvent = (event: ReplicaEvent): string | null => (isTelling(event) ? tell(event) : null);

function tell(event: Telling): string {
  switch (event.kind) {
    case "looking":
      return `knows no leader: ${event.reason}`;
    case "observed":
      return tellFacts(event.election, event.facts).sentence;
    case "elected":
      return `elects p${event.leader} in round ${event.round}`;
    case "serving":
      return `serves under p${event.leader}, epoch ${event.epoch}`;
    case "lost":
      return `follows p${event.leader} no more: ${event.reason}`;
    case "down":
      return `takes p${event.server} for down: ${event.reason}`;
    case "up":
      return `hears p${event.server} again`;
    case "joining":
      return `asks p${event.leader} to lead it`;
    case "founding":
      return `has a new disk; ${event.servers} servers know no epoch`;
    case "returning":
      return `has a new disk, and returns in epoch ${event.epoch} or a later one`;
    case "discovered":
      return `begins epoch ${event.epoch}; the newest history is p${event.newest}'s`;
    case "pulling":
      return `pulls from p${event.from} what came after ${printZxid(event.since)}`;
    case "pulled":
      return `has pulled ${event.bytes} bytes from p${event.from} as a ${event.how}`;
    case "synchronizing":
      return `brings p${event.follower} level by ${event.how} from ${printZxid(event.from)}`;
    case "synchronized":
      return `p${event.follower} is level after ${event.bytes} bytes`;
    case "parted":
      return `p${event.follower} is led here no longer`;
    case "handing":
      return `gives its place to p${event.to}, and keeps writes back until that is level`;
    case "kept":
      return `goes on to lead instead of p${event.to}: ${event.reason}`;
    case "resigning":
      return `finds p${event.to} better by ${(100 * event.advantage).toFixed(0)} %, and gives it its place`;
    case "resigned":
      return (
        `finds writes to take ${event.afterMs.toFixed(1)} ms under p${event.to}, ` +
        `${event.beforeMs.toFixed(1)} before`
      );
    case "staying":
      return `finds p${event.to} better, and stays: the leader changed ${event.changes} times in an hour`;
    case "established":
      return `epoch ${event.epoch} is established: it leads`;
    case "committed":
      return `has executed the first write of epoch ${event.epoch}`;
  }
}
