/**
 * ZooKeeper's recipe: each makes a numbered znode that is gone with its session, and lists them all. Who has
 * the least leads; everybody else watches one other and lists again when that is gone.
 *
 * Whom one watches is the whole difference between its two forms. In a chain it is the next lower, so a death
 * wakes one; in a herd it is the leader, so its death wakes all.
 *
 * A leader is told of nothing, so it looks from time to time whether its znode is still there: somebody may
 * have removed it, and then the next leads. Whose connection is lost leads no more, for others may already
 * see that its session has ended; when the connection is back it lists, and leads again if its znode is still
 * the least. Who was not told whether its znode was made finds it in the list, or makes another.
 */

import { round } from "../../core/score.ts";
import type { Answer, ServiceInput, ServiceMember } from "../../core/service.ts";
import type { Duration } from "../../core/time.ts";
import type { Facts } from "../../telemetry/facts.ts";
import { ERRORS } from "../../wire/client/error.ts";
import { refusal } from "../medium/refusal.ts";
import { namesake, prefixOf, type Standing, standingsOf } from "../medium/standing.ts";
import { below, creation, foundationOf, nameOf } from "../medium/way.ts";
import type { Candidacy, ServiceElectionProtocol } from "../service-election.ts";

export interface ContenderOptions {
  readonly pause: Duration;
}

export interface ContenderProtocol extends ServiceElectionProtocol {
  readonly timer: "again";
}

/** Whom a member watches that does not lead. */
export type Watched = "next lower" | "leader";

type Input = ServiceInput<ContenderProtocol>;
type Effect = ReturnType<ServiceMember<ContenderProtocol>["step"]>[number];
type Effects = readonly Effect[];
type Reply = Answer<ContenderProtocol>;

/** What is asked; one of each is under way at most, and `way` is the path to the znode of the election. */
const ASKED = { stand: 1, list: 2, watch: 3, way: 4, own: 5 } as const;

const NONE: Effects = [];

const DISARM: Effect = { kind: "disarm", timer: "again" };

const STRANGER = "nothing, if that program stands here rightly; else delete the znode";

export class Contender implements ServiceMember<ContenderProtocol> {
  readonly #self: string;
  readonly #root: string;
  readonly #acl: Candidacy["acl"];
  readonly #word: Candidacy["word"];
  readonly #options: ContenderOptions;
  readonly #watched: Watched;
  #life = 0;
  #sessions = 0;
  /** Of its znode, while it stands. */
  #name: string | null = null;
  #leads = false;
  /** Whom it has told to be elected. */
  #leader: string | null = null;
  /** The path that it watches. */
  #watching: string | null = null;
  #isListing = false;
  /** Once is enough, unless it was long ago. */
  #madeWay = false;

  constructor({ self, root, acl, word }: Candidacy, options: ContenderOptions, watched: Watched) {
    this.#self = self;
    this.#root = root;
    this.#acl = acl;
    this.#word = word;
    this.#options = options;
    this.#watched = watched;
  }

  step(input: Input): Effects {
    switch (input.kind) {
      case "start":
        this.#life = input.life;
        return NONE;
      case "connected":
        return input.isNew ? this.#begin() : this.#list();
      case "suspended":
        return this.#suspend();
      case "expired":
        this.#name = null;
        return [observed({ name: "its session has expired" })];
      case "not believed":
        return [...this.#depose("the service does not believe it"), observed({ name: "is not believed" })];
      case "answered":
        return this.#answered(input.id, input.answer);
      case "watched":
        return input.event.path === this.#watching ? this.#list() : NONE;
      case "timeout":
        this.#madeWay = false;
        return this.#leads ? [this.#lookAtOwn()] : this.#list();
      case "request":
        return [...this.#depose("it resigns"), { kind: "leave" }];
      default:
        return NONE;
    }
  }

  /** A new session stands anew. */
  #begin(): Effects {
    this.#sessions += 1;
    this.#watching = null;
    return [this.#stand()];
  }

  #suspend(): Effects {
    this.#isListing = false;
    this.#leader = null;
    const deposed = this.#depose("its connection to the service is lost");
    return deposed.length > 0 ? deposed : [DISARM];
  }

  #answered(id: number, answer: Reply): Effects {
    if (id === ASKED.list) this.#isListing = false;
    // What was lost with the connection is looked at when there is another.
    if (answer.kind === "unknown") return NONE;
    if (answer.kind === "refused") return this.#refused(id, answer.error);
    const { reply } = answer;
    if (id === ASKED.own) return this.#leads ? [this.#again()] : NONE;
    if (reply.kind === "create" && id === ASKED.stand) {
      this.#name = nameOf(reply.path);
      this.#madeWay = false;
      return this.#list();
    }
    return reply.kind === "getChildren" ? this.#look(standingsOf(reply.names)) : NONE;
  }

  #refused(id: number, error: number): Effects {
    const { noNode, nodeExists } = ERRORS;
    if (id === ASKED.stand && error === noNode && !this.#madeWay) return this.#makeWay();
    // It went before it could be watched.
    if (id === ASKED.watch && error === noNode) return this.#list();
    if (id === ASKED.own && error === noNode) return this.#leads ? this.#list() : NONE;
    if (id === ASKED.list && error === noNode) return this.#lost();
    if (id === ASKED.way && error === nodeExists) return NONE;
    return [
      ...this.#depose("the service refuses to show who leads"),
      observed(refusal(error, this.#root)),
      this.#again(),
    ];
  }

  #look(standings: readonly Standing[]): Effects {
    const prefix = this.#prefix;
    const at = standings.findIndex(({ name }) => name.startsWith(prefix));
    const [own, first] = [standings[at], standings[0]];
    if (own === undefined || first === undefined) return this.#lost();
    this.#name = own.name;
    if (at === 0) return this.#lead(own.number);
    const watched = this.#watched === "leader" ? first : (standings[at - 1] ?? first);
    this.#watching = this.#pathOf(watched.name);
    return [
      ...this.#depose("another came before it"),
      ...this.#follow(first),
      ask(ASKED.watch, { kind: "exists", path: this.#watching, watch: true }),
    ];
  }

  #lead(claim: number): Effects {
    this.#watching = null;
    if (this.#leads) return NONE;
    this.#leads = true;
    return [...this.#elect(this.#self, claim), this.#again()];
  }

  #follow({ owner, number, name }: Standing): Effects {
    const path = this.#pathOf(name);
    if (owner === null) return [observed({ name: "is led by another program", path, todo: STRANGER })];
    if (owner === this.#self) return [observed(namesake(path))];
    return owner === this.#leader ? NONE : this.#elect(owner, number);
  }

  #elect(leader: string, claim: number): Effects {
    this.#leader = leader;
    const elected = { kind: "elected", leader, round: round(this.#sessions), claim } as const;
    return [{ kind: "output", output: elected }];
  }

  /** Its znode is not there: it was never made, or somebody removed it. */
  #lost(): Effects {
    const wasThere = this.#name !== null;
    this.#name = null;
    return [
      ...this.#depose("its znode is gone"),
      ...(wasThere ? [observed({ name: "its znode is gone", path: this.#root })] : []),
      this.#stand(),
    ];
  }

  #depose(reason: string): Effects {
    if (!this.#leads) return NONE;
    this.#leads = false;
    this.#leader = null;
    return [{ kind: "output", output: { kind: "deposed", reason } }, DISARM];
  }

  #again(): Effect {
    return { kind: "arm", timer: "again", after: this.#options.pause };
  }

  #lookAtOwn(): Effect {
    return ask(ASKED.own, { kind: "exists", path: this.#pathOf(this.#name ?? ""), watch: false });
  }

  #stand(): Effect {
    return ask(
      ASKED.stand,
      creation(this.#pathOf(this.#prefix), "ephemeralSequential", undefined, this.#acl),
    );
  }

  /** The znode of the election, with those above it, and then its own. */
  #makeWay(): Effects {
    this.#madeWay = true;
    const way = foundationOf(this.#root, this.#acl).map((create) => ask(ASKED.way, create));
    return [...way, this.#stand()];
  }

  /** What is answered after an event shows what the event told, so one list that is under way is enough. */
  #list(): Effects {
    if (this.#isListing) return NONE;
    this.#isListing = true;
    return [ask(ASKED.list, { kind: "getChildren", path: this.#root, watch: false })];
  }

  get #prefix(): string {
    return prefixOf(this.#self, this.#life, this.#sessions, this.#word);
  }

  #pathOf(name: string): string {
    return below(this.#root, name);
  }
}

const ask = (id: number, question: ContenderProtocol["question"]): Effect => ({ kind: "ask", id, question });

const observed = (facts: Facts): Effect => ({ kind: "output", output: { kind: "observed", facts } });
