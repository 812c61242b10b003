/**
 * Messages on their way, as dots: how many there are and where each of them is follows from the moment alone,
 * so that time may stand, run backwards or crawl. Servers tell how many messages they have sent and what for,
 * not to whom: that follows from what they are to each other. A dot stands for as many messages as it must
 * for few of them to be under way at a time.
 */

import type { Traffic } from "../record.ts";
import type { Scene } from "./scene.ts";

export interface Dot {
  readonly from: number;
  readonly to: number;
  readonly purpose: string;
  /** 0 where it was sent, 1 where it arrives. */
  readonly way: number;
}

/** Of those between two servers at a time. */
const MOST_ON_A_WAY = 3;

/** `wayUs`: how long a message is shown on its way between two sites. */
export function dotsAt(
  scene: Scene,
  at: number,
  wayUs: (from: string, to: string) => number,
): readonly Dot[] {
  const dots: Dot[] = [];
  for (const told of scene.traffic.values()) {
    // What was counted some time ago says nothing of now.
    if (at - told.at > Math.max(2 * told.over, 50_000)) continue;
    for (const [purpose, messages] of Object.entries(told.sent)) {
      const receivers = messages > 0 ? receiversOf(scene, told, purpose) : [];
      for (const to of receivers) {
        const way = wayUs(siteOf(scene, told.server), siteOf(scene, to));
        const every = Math.max((told.over * receivers.length) / messages, way / MOST_ON_A_WAY);
        // Whoever sends at the same pace does not send at the same instant.
        const offset = every * (((told.server * 7 + to * 3) % 11) / 11);
        const last = Math.floor((at - offset) / every) * every + offset;
        for (let sent = last; sent > at - way; sent -= every)
          dots.push({ from: told.server, to, purpose, way: (at - sent) / way });
      }
    }
  }
  return dots;
}

function receiversOf(scene: Scene, { server }: Traffic, purpose: string): readonly number[] {
  const own = scene.servers.get(server);
  const others = [...scene.servers.values()].filter(({ id, role }) => id !== server && role !== "down");
  if (own === undefined || own.role === "down" || own.role === "paused") return [];
  if (purpose === "heartbeat" || purpose === "election") return others.map(({ id }) => id);
  if (own.role === "leading") return others.filter(({ leader }) => leader === server).map(({ id }) => id);
  if (own.role === "following" && own.leader !== null) return [own.leader];
  const elected = scene.elected?.leader ?? null;
  if (elected === server) return others.map(({ id }) => id);
  return elected === null ? [] : [elected];
}

const siteOf = (scene: Scene, server: number): string => scene.servers.get(server)?.site ?? "";
