/**
 * A priority election in virtual time: members beside whole servers, whose work (taking over, giving up) goes
 * as the story wants it, and a fenced resource that leaders write to. Everything that happens is recorded.
 */

import { type MemberId, memberId, type ServerId } from "../../../core/identity.ts";
import { after, type Duration, type Instant, milliseconds, seconds } from "../../../core/time.ts";
import { idOf, layoutOf, printed, type Policy, NO_POLICY } from "../../../election/priority/layout.ts";
import { Priority, type PriorityOptions } from "../../../election/priority/priority.ts";
import type {
  PriorityMutant,
  PriorityOutput,
  PriorityProtocol,
} from "../../../election/priority/protocol.ts";
import { firstId } from "../../../election/priority/strategy.ts";
import { Question } from "../../../client/question.ts";
import { VirtualSession } from "../../../host/virtual/clients.ts";
import type { ClientRequest } from "../../../wire/client/request.ts";
import type { ServicePolicy } from "../../../host/service-life.ts";
import { VirtualMembers } from "../../../host/virtual/service-members.ts";
import { type ServiceWorld, VirtualService } from "../../host/virtual-service.ts";
import { type Step, stepsOf } from "./happenings.ts";
import { RecordingTree, type Told } from "./recording-tree.ts";

export const ROOT = "/cluster";
export const TAKEOVER = seconds(3);
export const RELEASE = seconds(2);
export const SESSION = seconds(4);

/** How a member's own work goes. */
export interface Diligence {
  readonly takesOver: Duration | "never" | "fails";
  readonly stops: Duration | "never";
}

const DILIGENT: Diligence = { takesOver: milliseconds(10), stops: milliseconds(5) };

/** What members did as leaders. */
type Act =
  | { readonly kind: "acts" | "rests"; readonly member: string; readonly term: number }
  | { readonly kind: "wrote"; readonly member: string; readonly term: number; readonly isTaken: boolean };

export type Recorded = { readonly at: number } & (Step | Act);

export interface Said {
  readonly member: MemberId;
  readonly output: PriorityOutput;
  readonly at: Instant;
}

export interface WorldShape extends ServiceWorld {
  readonly members: number;
  readonly options?: (member: MemberId) => Partial<PriorityOptions>;
  readonly policy?: (member: MemberId) => ServicePolicy;
  readonly mutant?: PriorityMutant | null;
  /** All at once instead of one after the other. */
  readonly atOnce?: boolean;
  /** Leaders write so often to what is fenced. */
  readonly pace?: Duration;
}

export const nameOf = (member: MemberId): string => `p${member}`;

export class PriorityWorld {
  readonly service: VirtualService;
  readonly members: VirtualMembers<PriorityProtocol>;
  readonly history: Recorded[] = [];
  readonly said: Said[] = [];
  readonly all: readonly MemberId[];
  readonly layout = layoutOf(ROOT);
  /** Transactions of the service. */
  writes = 0;
  readonly #shape: WorldShape;
  readonly #diligence = new Map<MemberId, Diligence>();
  readonly #acting = new Map<MemberId, { readonly member: string; readonly term: number }>();
  /** By their ids, the znodes of those who stand or stood last. */
  readonly #standing = new Map<string, string>();
  /** Begun and not finished work is of one life. */
  readonly #lives = new Map<MemberId, number>();
  readonly #operator: VirtualSession<null>;
  #fence = 0;

  constructor(shape: WorldShape) {
    this.#shape = shape;
    const told: Told = { zxid: 0 };
    this.service = new VirtualService({
      ...shape,
      tree: () =>
        new RecordingTree(this.layout, told, (written) => {
          this.writes += 1;
          for (const step of stepsOf(written, this.layout)) this.#note(step);
        }),
    });
    const { clients, followers, leader } = this.service;
    this.members = new VirtualMembers({
      clients,
      servers: [...followers, leader],
      create: (member) => this.#create(member),
      place: nameOf,
      policy: (member) => ({ timeout: SESSION, first: member, ...shape.policy?.(member) }),
      seed: shape.seed ?? 1,
      observer: { output: (member, output, at) => this.#heard(member, output, at) },
    });
    this.#operator = new VirtualSession<null>(clients, {
      servers: [leader, ...followers],
      place: "operator",
      heard: () => {},
    });
    this.#operator.connect();
    this.all = Array.from({ length: shape.members }, (_, index) => memberId(index + 1));
    for (const member of this.all) {
      this.start(member);
      if (shape.atOnce !== true) this.pass(milliseconds(200));
    }
    this.pass(milliseconds(500));
  }

  start(member: MemberId): void {
    this.#lives.set(member, (this.#lives.get(member) ?? 0) + 1);
    this.members.start(member);
  }

  kill(member: MemberId): void {
    this.#rest(member);
    this.#lives.set(member, (this.#lives.get(member) ?? 0) + 1);
    this.members.kill(member);
  }

  /** Its work goes so from now on. */
  works(member: MemberId, diligence: Partial<Diligence>): void {
    this.#diligence.set(member, { ...this.#workOf(member), ...diligence });
  }

  resign(member: MemberId): void {
    this.members.request(member, { kind: "resign" });
  }

  pass(time: Duration): void {
    this.service.pass(time);
  }

  get now(): Instant {
    return this.service.ensemble.now;
  }

  /** The version of `elected`. */
  get term(): number {
    const last = this.history.findLast((each) => each.kind === "elected");
    return last?.kind === "elected" ? last.term : 0;
  }

  /** Who acts as leader just now. */
  get acting(): readonly string[] {
    return [...this.#acting.keys()].map(nameOf);
  }

  /** The facts that a member has told. */
  factsOf(member: MemberId): readonly string[] {
    return this.said.flatMap(({ member: who, output }) =>
      who === member && output.kind === "observed" ? [JSON.stringify(output.facts)] : [],
    );
  }

  /** Somebody's wishes, from a session of its own. */
  wish(policy: Partial<Policy>): void {
    this.operate({
      kind: "setData",
      path: this.layout.policy,
      data: printed({ ...NO_POLICY, ...policy }),
      version: -1,
    });
  }

  /** Somebody else asks this of the service. */
  operate(request: ClientRequest): void {
    this.#operator.ask(new Question(request), null);
    this.#operator.flush();
  }

  serverOf(member: MemberId): ServerId | null {
    return this.members.serverOf(member);
  }

  #create(member: MemberId): Priority {
    const options: PriorityOptions = {
      strategy: firstId,
      takeover: TAKEOVER,
      release: RELEASE,
      site: `site-${member}`,
      score: 0,
      watching: "lean",
      pause: seconds(1),
      review: null,
      ...this.#shape.options?.(member),
    };
    return new Priority({ self: nameOf(member), root: ROOT }, options, this.#shape.mutant ?? null);
  }

  #heard(member: MemberId, output: PriorityOutput, at: Instant): void {
    this.said.push({ member, output, at });
    if (output.kind === "elected" && output.leader === nameOf(member)) return this.#act(member, output.claim);
    const work = this.#workOf(member);
    if (output.kind === "take over") {
      const { term } = output;
      if (work.takesOver === "never") return;
      const { takesOver } = work;
      const isUnable = takesOver === "fails";
      const takes = isUnable ? milliseconds(1) : takesOver;
      this.#later(member, takes, () => {
        this.members.request(member, { kind: isUnable ? "failed" : "ready", term });
      });
    }
    if (output.kind !== "deposed" && output.kind !== "abandon") return;
    if (work.stops === "never") return;
    this.#later(member, work.stops, () => {
      this.#rest(member);
      this.members.request(member, { kind: "stopped" });
    });
  }

  #act(id: MemberId, term: number): void {
    const act = { member: this.#standing.get(nameOf(id)) ?? nameOf(id), term };
    this.#acting.set(id, act);
    this.#note({ kind: "acts", ...act });
    this.#writeOn(id, act);
  }

  #writeOn(id: MemberId, act: { readonly member: string; readonly term: number }): void {
    if (this.#acting.get(id) !== act) return;
    const { pace } = this.#shape;
    const isTaken = act.term >= this.#fence;
    if (isTaken) this.#fence = act.term;
    this.#note({ kind: "wrote", ...act, isTaken });
    if (pace !== undefined) this.#later(id, pace, () => this.#writeOn(id, act));
  }

  #rest(id: MemberId): void {
    const act = this.#acting.get(id);
    if (act === undefined) return;
    this.#acting.delete(id);
    this.#note({ kind: "rests", ...act });
  }

  #later(member: MemberId, wait: Duration, action: () => void): void {
    const life = this.#lives.get(member);
    this.service.ensemble.at(after(this.now, wait), () => {
      if (this.#lives.get(member) === life) action();
    });
  }

  #workOf(member: MemberId): Diligence {
    return this.#diligence.get(member) ?? DILIGENT;
  }

  #note(step: Step | Act): void {
    if (step.kind === "stands") this.#standing.set(idOf(step.member), step.member);
    this.history.push({ at: this.now / 1e3, ...step });
  }
}
