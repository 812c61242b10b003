/**
 * Every medium there is: how an election's processes reach each other, and what kind of process has it. One
 * that is computed over a server's connections, as the ring is, is a file in this folder and a line here; one
 * of another kind of process is a host as well, in `host/`, with a contract that its hosts pass.
 */

type Process = "server" | "member of a group" | "client of a service";

export const MEDIA = {
  /** Connections between known servers. */
  peers: "server",
  /** A successor, computed over these. */
  ring: "server",
  /** Announcements to whoever listens. */
  group: "member of a group",
  /** Questions to a coordination service, its answers and watch events. */
  service: "client of a service",
} as const satisfies Record<string, Process>;

export type Medium = keyof typeof MEDIA;

export const mediaOf = (process: Process): readonly Medium[] =>
  (Object.keys(MEDIA) as Medium[]).filter((medium) => MEDIA[medium] === process);
