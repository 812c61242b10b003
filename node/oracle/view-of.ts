/** What another server sees, as far as this one was told: with it one oracle can judge all candidates. */

import type { ServerId } from "../core/identity.ts";
import { type Duration, microseconds } from "../core/time.ts";
import type { View } from "./oracle.ts";

/** Null when that server has told nothing of itself. */
export function viewOf(view: View, server: ServerId): View | null {
  if (server === view.self) return view;
  const report = view.reports.get(server);
  if (report === undefined) return null;
  const roundTrips = new Map<ServerId, Duration>();
  const requestRates = new Map<ServerId, number>();
  const unmeasured = [...view.unmeasured];
  for (const other of view.roundTrips.keys()) {
    const rtt = other === server ? microseconds(0) : report.roundTrips.get(other);
    if (rtt === undefined) unmeasured.push(other);
    else {
      roundTrips.set(other, rtt);
      requestRates.set(other, view.requestRates.get(other) ?? 0);
    }
  }
  const { lastZxid } = report;
  return { ...view, self: server, roundTrips, requestRates, unmeasured, lastZxid };
}

/** All who could lead, this server among them, each with what it sees. */
export function candidates(view: View): ReadonlyMap<ServerId, View> {
  const found = new Map<ServerId, View>();
  for (const server of view.roundTrips.keys()) {
    const theirs = viewOf(view, server);
    if (theirs !== null) found.set(server, theirs);
  }
  return found;
}

/** All who are there have told of themselves. */
export const allReported = (view: View): boolean =>
  [...view.roundTrips.keys()].every((server) => view.reports.has(server));
