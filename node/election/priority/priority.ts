/**
 * Priority election (Petrescu, 2020) as one automaton: a member that stands, one of which is the elector, one
 * of which is elected, and one of which leads.
 *
 * Who came first is the elector and writes who shall lead, whomever its strategy names. Who is elected claims
 * `current`, takes over, and says READY; that happens outside of this automaton and can be abandoned at any
 * time. A leader without a connection is deposed at once; with it, it leads again when the service has
 * accepted its READY once more.
 */

import { round } from "../../core/score.ts";
import type { Answer, ServiceInput, ServiceMember } from "../../core/service.ts";
import { between, type Duration, type Instant } from "../../core/time.ts";
import type { Facts } from "../../telemetry/facts.ts";
import { ERRORS } from "../../wire/client/error.ts";
import { refusal } from "../medium/refusal.ts";
import { namesake, prefixOf, standingsOf } from "../medium/standing.ts";
import { below, nameOf } from "../medium/way.ts";
import type { Candidacy } from "../service-election.ts";
import type { Rules } from "./decide.ts";
import { Elector } from "./elector.ts";
import { type Description, describedAs, idOf, layoutOf, printed } from "./layout.ts";
import type { PriorityMutant, PriorityProtocol } from "./protocol.ts";
import { errorOf, foundation, refusedAt, standing } from "./stand.ts";
import { FIRST_FREE, View, type Watching } from "./view.ts";
import { type Deed, Work } from "./work.ts";

export interface PriorityOptions extends Rules {
  /** Where the member is. */
  readonly site: string;
  readonly score: number;
  readonly watching: Watching;
  /** Whom the service refuses tries again after so long. */
  readonly pause: Duration;
  /** The elector reads scores again so often; null: when members come or go. */
  readonly review: Duration | null;
}

type Input = ServiceInput<PriorityProtocol>;
type Effect = ReturnType<ServiceMember<PriorityProtocol>["step"]>[number];
type Effects = readonly Effect[];
type Reply = Answer<PriorityProtocol>;

const OWN = [
  "stand",
  "find",
  "way",
  "clock",
  "score",
  "elect",
  "claim",
  "ready",
  "failed",
  "drop",
  "again",
  "sync",
] as const;
type Own = (typeof OWN)[number];

const NONE: Effects = [];

export class Priority implements ServiceMember<PriorityProtocol> {
  readonly #self: string;
  readonly #root: string;
  readonly #options: PriorityOptions;
  readonly #mutant: PriorityMutant | null;
  readonly #view: View;
  readonly #work: Work;
  readonly #elector: Elector;
  #life = 0;
  #sessions = 0;
  #score: number;
  /** Of its znode below `election`, while it stands. */
  #name: string | null = null;
  #isConnected = false;
  #isElecting = false;
  #isAskingTime = false;
  #isResigning = false;
  #madeWay = false;
  /** The service's clock minus its own, in milliseconds. */
  #offset: number | null = null;
  /** Whom it has told to lead. */
  #leader: string | null = null;
  /** What it told last, so that it is told once. */
  #told = "";

  constructor(candidacy: Candidacy, options: PriorityOptions, mutant: PriorityMutant | null = null) {
    const { self, root, acl } = candidacy;
    this.#self = self;
    this.#root = root;
    this.#options = options;
    this.#mutant = mutant;
    this.#score = options.score;
    const layout = layoutOf(root, acl);
    this.#view = new View(layout, options.watching);
    this.#work = new Work(layout, this.#view, mutant);
    this.#elector = new Elector(this.#view, options, mutant);
  }

  step(input: Input, now: Instant): Effects {
    switch (input.kind) {
      case "start":
        this.#life = input.life;
        return NONE;
      case "connected":
        this.#isConnected = true;
        return input.isNew ? this.#begin() : this.#resume();
      case "suspended":
        return this.#suspend();
      case "expired":
        this.#name = null;
        return [observed({ name: "its session has expired" })];
      case "not believed":
        return [...this.#suspend(), observed({ name: "is not believed" })];
      case "answered":
        return this.#answered(input.id, input.answer, now);
      case "watched":
        this.#view.told(input.event);
        return this.#settle(now);
      case "timeout":
        return this.#timedOut(input.timer, now);
      case "request":
        return this.#requested(input.request, now);
    }
  }

  #begin(): Effects {
    this.#sessions += 1;
    const again = this.#mutant === "deletes-again" && this.#sessions > 1;
    const path = this.#view.layout.current;
    return [...(again ? [ask("again", { kind: "delete", path, version: -1 })] : []), this.#stand()];
  }

  #resume(): Effects {
    // What was asked last may have been done, and is to be seen.
    const sync = ask("sync", { kind: "sync", path: this.#root });
    if (this.#name === null) return [sync, this.#find()];
    this.#view.begin(this.#name);
    return [sync, ...this.#asks()];
  }

  #suspend(): Effects {
    this.#isConnected = false;
    this.#isElecting = this.#isAskingTime = false;
    this.#leader = null;
    this.#offset = null;
    this.#view.forget();
    const deeds = this.#work.suspended("its connection to the service is lost");
    return [...this.#done(deeds), ...DISARM];
  }

  #timedOut(timer: PriorityProtocol["timer"], now: Instant): Effects {
    if (!this.#isConnected) return NONE;
    if (timer === "again") {
      this.#madeWay = false;
      this.#told = "";
      return this.#resume();
    }
    if (timer === "review") this.#view.review();
    return this.#settle(now);
  }

  #requested(request: PriorityProtocol["request"], now: Instant): Effects {
    const own = this.#name ?? "";
    switch (request.kind) {
      case "ready":
        return this.#done(this.#work.ready(request.term, own, this.#options.site));
      case "failed":
        return this.#done(this.#work.failed(request.term, own));
      case "stopped":
        this.#work.stopped();
        return this.#isResigning ? [{ kind: "leave" }] : this.#settle(now);
      case "score":
        this.#score = request.score;
        return this.#name === null || !this.#isConnected ? NONE : [this.#describe("score")];
      case "resign": {
        this.#isResigning = true;
        if (this.#work.isIdle) return [{ kind: "leave" }];
        return this.#done(this.#work.stop("it resigns"));
      }
    }
  }

  #answered(id: number, answer: Reply, now: Instant): Effects {
    // The connection is lost, of which the next input tells: what is known is no longer so.
    if (answer.kind === "unknown") return NONE;
    if (id < FIRST_FREE) {
      const trouble = this.#view.answered(id, answer, now);
      return [...(trouble === null ? [] : this.#refused(trouble)), ...this.#settle(now)];
    }
    const own = OWN[id - FIRST_FREE] as Own;
    if (own === "clock") this.#isAskingTime = false;
    if (own === "elect") this.#isElecting = false;
    const error = errorOf(answer);
    switch (own) {
      case "stand":
        return error === ERRORS.ok ? this.#stood(answer) : this.#stoodNot(error, answer);
      case "find":
        return error === ERRORS.ok ? this.#found(answer) : this.#stoodNot(error, answer);
      case "clock":
        if (error !== ERRORS.ok) return this.#refusal(error, this.#view.layout.nodes, true);
        if (answer.kind === "done" && answer.reply.kind === "setData")
          this.#offset = answer.reply.stat.mtime - now / 1e3;
        return this.#settle(now);
      case "way":
      case "score":
      case "again":
      case "sync":
        return NONE;
      default:
        return this.#written(own, error, now);
    }
  }

  /** A write of the elector's, the candidate's or the leader's. */
  #written(own: Own, error: number, now: Instant): Effects {
    const deeds = this.#work.written(own, error, this.#name ?? "");
    if (error === ERRORS.ok) return [...this.#done(deeds), ...this.#settle(now)];
    // Somebody was faster, and what is known is old.
    this.#view.again();
    return [...this.#done(deeds), ...this.#refusal(error, this.#view.layout.leader), ...this.#asks()];
  }

  #stood(answer: Reply): Effects {
    const made =
      answer.kind === "done" && answer.reply.kind === "multi" ? answer.reply.results[1] : undefined;
    return made?.kind === "create" ? this.#enter(nameOf(made.path)) : NONE;
  }

  #stoodNot(error: number, answer: Reply): Effects {
    // It was made, and nobody could tell.
    if (error === ERRORS.nodeExists) return [this.#find()];
    if (error === ERRORS.noNode && !this.#madeWay) return [...this.#makeWay(), this.#stand()];
    return this.#refusal(error, refusedAt(answer, this.#view.layout), true);
  }

  #found(answer: Reply): Effects {
    if (answer.kind !== "done" || answer.reply.kind !== "getChildren") return NONE;
    const own = standingsOf(answer.reply.names).find(({ name }) => name.startsWith(this.#prefix));
    return own === undefined ? [this.#stand()] : this.#enter(own.name);
  }

  #enter(name: string): Effects {
    this.#name = name;
    this.#madeWay = false;
    this.#view.begin(name);
    return this.#asks();
  }

  /** Acts on what is known, when that is whole. */
  #settle(now: Instant): Effects {
    const own = this.#name;
    const asks = this.#asks();
    if (own === null || !this.#isConnected || this.#isResigning || !this.#view.isWhole) return asks;
    if (asks.length > 0) return asks;
    if (!this.#view.isStanding) return this.#removed();
    const deeds = this.#done(this.#work.look(own));
    return [
      ...this.#follow(),
      ...deeds,
      ...(this.#view.isElector ? this.#evaluate(own, now) : this.#spoilt()),
    ];
  }

  #evaluate(own: string, now: Instant): Effects {
    if (this.#isElecting) return NONE;
    if (this.#view.isUnmade && !this.#madeWay) return this.#makeWay();
    const evaluation = this.#elector.evaluate(own, this.#offset, now);
    const { review, pause } = this.#options;
    // Where nobody can be elected it looks again by itself.
    const wait = evaluation.kind === "tell" ? pause : review;
    const next: Effects = wait === null ? NONE : [{ kind: "arm", timer: "review", after: wait }];
    switch (evaluation.kind) {
      case "write":
        this.#isElecting = true;
        this.#told = "";
        return [observed(evaluation.facts), ask("elect", evaluation.question), ...next];
      case "wait":
        return [...this.#alarm(evaluation.until, now), ...next];
      case "tell":
        return [...this.#tellOnce(evaluation.facts), ...next];
      case "ask for the time":
        if (this.#isAskingTime) return NONE;
        this.#isAskingTime = true;
        return [this.#describe("clock")];
    }
  }

  #alarm(until: Instant | null, now: Instant): Effects {
    if (until === null) return [{ kind: "disarm", timer: "deadline" }];
    return [{ kind: "arm", timer: "deadline", after: between(now, until) }];
  }

  /** Tells who is ready. */
  #follow(): Effects {
    const { current } = this.#view;
    const said = current.value;
    const isReady = said?.status === "READY" && said.member !== this.#name;
    const leader = isReady ? said.member : null;
    if (leader === this.#leader || this.#work.isLeading) return NONE;
    this.#leader = leader;
    if (leader === null || said === null) return NONE;
    const id = idOf(leader);
    const path = below(this.#view.layout.election, leader);
    return [id === this.#self ? observed(namesake(path)) : this.#elected(id, said.term)];
  }

  #elected(leader: string, claim: number): Effect {
    return { kind: "output", output: { kind: "elected", leader, round: round(this.#sessions), claim } };
  }

  /** Somebody removed its znode. */
  #removed(): Effects {
    this.#name = null;
    const deeds = this.#done(this.#work.stop("its znode is gone"));
    const path = this.#view.layout.election;
    this.#view.forget();
    this.#sessions += 1;
    return [...deeds, observed({ name: "its znode is gone", path }), this.#stand()];
  }

  /** Whoever is not the elector sees only that. */
  #spoilt(): Effects {
    const { elected } = this.#view;
    if (!elected.isSpoilt && elected.state.kind !== "absent") return NONE;
    return this.#tellOnce({
      name: "is spoilt",
      path: elected.path,
      todo: "see what the elector, who came first, tells of it",
    });
  }

  #tellOnce(facts: Facts): Effects {
    const text = JSON.stringify(facts);
    if (text === this.#told) return NONE;
    this.#told = text;
    return [observed(facts)];
  }

  #refusal(error: number, path: string, always = false): Effects {
    const { ok, badVersion, nodeExists, noNode } = ERRORS;
    const isOrdinary = [badVersion, nodeExists, noNode].some((each) => each === error);
    return error === ok || (isOrdinary && !always) ? NONE : this.#refused({ error, path });
  }

  #refused({ error, path }: { error: number; path: string }): Effects {
    const deeds = this.#done(this.#work.stop("the service refuses to show who leads"));
    const again = { kind: "arm", timer: "again", after: this.#options.pause } as const;
    return [...deeds, ...this.#tellOnce(refusal(error, path)), again];
  }

  #done(deeds: readonly Deed[]): Effects {
    return deeds.map((deed): Effect => {
      if (deed.kind === "write") return ask(deed.write, deed.question);
      if (deed.kind === "tell") return { kind: "output", output: deed.output };
      this.#leader = this.#name;
      return this.#elected(this.#self, deed.term);
    });
  }

  #stand(): Effect {
    return ask("stand", standing(this.#view.layout, this.#prefix, this.#description));
  }

  #find(): Effect {
    return ask("find", { kind: "getChildren", path: this.#view.layout.election, watch: false });
  }

  #makeWay(): Effects {
    this.#madeWay = true;
    return foundation(this.#root, this.#view.layout).map((part) => ask("way", part));
  }

  #describe(as: "clock" | "score"): Effect {
    const path = below(this.#view.layout.nodes, describedAs(this.#name ?? ""));
    return ask(as, { kind: "setData", path, data: printed(this.#description), version: -1 });
  }

  #asks(): Effects {
    return this.#view.take().map(({ id, question }) => ({ kind: "ask", id, question }));
  }

  get #description(): Description {
    return { site: this.#options.site, score: this.#score };
  }

  get #prefix(): string {
    return prefixOf(this.#self, this.#life, this.#sessions);
  }
}

const DISARM = (["again", "deadline", "review"] as const).map((timer): Effect => ({ kind: "disarm", timer }));

const ask = (own: Own, question: PriorityProtocol["question"]): Effect => ({
  kind: "ask",
  id: FIRST_FREE + OWN.indexOf(own),
  question,
});

const observed = (facts: Facts): Effect => ({ kind: "output", output: { kind: "observed", facts } });
