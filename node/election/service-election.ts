/**
 * Who leads, among clients of a coordination service? What every election of the catalog of the medium
 * `service` is, seen from outside.
 *
 * A member stands for election from its first session on, without being asked. What it knows of the others is
 * what the service shows: that one is there, in which order they came, and that one is gone.
 */

import type { Round } from "../core/score.ts";
import type { ServiceMember } from "../core/service.ts";
import type { Facts } from "../telemetry/facts.ts";
import type { Acl } from "../wire/client/acl.ts";
import type { Coordination } from "../wire/client/coordination.ts";
import type { Assumptions } from "./assumptions.ts";
import type { Schema, Values } from "./options.ts";

/** Give up what it leads, and its session with it. */
export interface ServiceElectionRequest {
  readonly kind: "resign";
}

export type ServiceElectionOutput =
  /**
   * Who led when this member last looked; a round is one standing of its own. Where that is itself, it leads
   * until it is deposed, and `claim` is greater than that of every leader before.
   */
  | {
      readonly kind: "elected";
      readonly leader: string;
      readonly round: Round;
      readonly claim: number;
    }
  /** It leads no more. */
  | { readonly kind: "deposed"; readonly reason: string }
  /** For the story of an election. */
  | { readonly kind: "observed"; readonly facts: Facts };

export interface ServiceElectionProtocol extends Coordination {
  readonly timer: string;
  readonly request: ServiceElectionRequest;
  readonly output: ServiceElectionOutput;
}

/**
 * Who stands, by a name without `/`, and below which znode; all who stand there stand in one election.
 */
export interface Candidacy {
  readonly self: string;
  readonly root: string;
  /** Of all znodes that it makes; everybody may do everything when not given. */
  readonly acl?: readonly Acl[] | undefined;
  /** Right before the number of its znode, where other programs stand that look for it: `latch-`. */
  readonly word?: string | undefined;
}

export interface ServiceElectionEntry<S extends Schema = Schema> {
  create(candidacy: Candidacy, options: Values<S>): ServiceMember<ServiceElectionProtocol>;
  readonly options: S;
  /** Outside of these its results compare nothing. */
  readonly assumes: Assumptions & { readonly medium: "service" };
  readonly source: string;
  readonly summary: string;
}
