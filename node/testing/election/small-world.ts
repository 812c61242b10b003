/**
 * A world of servers that elect, so small that everything that can happen in it does: every order in which
 * messages arrive, every moment at which a server is asked to elect, a timer fires, a process dies, or a
 * connection breaks and comes back.
 *
 * Messages of one pair stay in order; of what was sent before a connection ended, any suffix may be lost, and
 * that it ended is noticed after the rest. A world is a list of numbers that name a state of a server or a
 * queue seen before, so that worlds are cheap to compare, and what a server does with one input in one state
 * is worked out once.
 */

import type { Automaton, Input } from "../../core/automaton.ts";
import type { ServerId } from "../../core/identity.ts";
import { majority } from "../../core/quorum.ts";
import { instant } from "../../core/time.ts";
import type { ElectionOutput, ElectionProtocol } from "../../election/election.ts";
import { RETRY } from "../../election/retry.ts";
import { candidateOf } from "../../telemetry/facts.ts";
import type { Move, Space } from "./explore.ts";
import { Interned } from "./interned.ts";

/** An election that goes on where a copy of it was: all that it remembers is a value. */
export interface Copy<Message, State> {
  readonly automaton: Automaton<ElectionProtocol<Message>>;
  readonly state: () => State;
}

export interface SmallWorldOptions<Message, State> {
  readonly servers: readonly ServerId[];
  /** A server that goes on from a state; null is where it begins. */
  readonly enter: (self: ServerId, state: State | null) => Copy<Message, State>;
  /** `last`: when nothing is under way and everybody was asked; `quiet`: when nothing is under way. */
  readonly timersFire: "last" | "quiet" | "any time";
  /**
   * How often, in all, the retry timer fires; a process dies; a connection breaks and comes back; a service
   * finds its leader unlawful and asks again.
   */
  readonly retries?: number;
  readonly crashes?: number;
  /** Everybody was asked before anything else happens. */
  readonly allAsked?: boolean;
  /** It dies before anything else happens. */
  readonly dead?: ServerId;
  readonly breaks?: number;
  readonly askAgain?: number;
  /** Is it demanded that no two leaders are followed by a quorum in one round, now and then together? */
  readonly oneEachRound?: boolean;
  /** Is it demanded that a quorum stands in the round of whoever is elected? */
  readonly quorumStands?: boolean;
  /** May somebody be elected who did not stand, since all knew before who would follow the leader? */
  readonly heirs?: boolean;
  /**
   * What is wrong with this outcome, or null; null in it is a server that knows no leader. `retrying`: whose
   * retry timer is armed, so that they are not at an end but for the budget.
   */
  readonly complainOfEnd: (
    leaders: ReadonlyMap<ServerId, ServerId | null>,
    retrying: ReadonlySet<ServerId>,
  ) => string | null;
}

interface SmallServer<State> {
  readonly alive: boolean;
  readonly asked: boolean;
  readonly armed: readonly string[];
  readonly follows: Following | null;
  readonly state: State;
}

interface Following {
  readonly leader: ServerId;
  readonly round: number;
}

type Queued<Message> = { readonly message: Message } | "down" | "up";
type Queue<Message> = readonly Queued<Message>[];

/** Numbers only: budgets, and the names of what was interned. */
export interface World {
  readonly servers: readonly number[];
  /** From one server to another, at `from * size + to`. */
  readonly queues: readonly number[];
  /** Who has stood in which round, and where it is asked for, who has followed whom in which. */
  readonly stood: number;
  readonly followed: number;
  /** The leader whom a quorum, itself included, followed first. */
  readonly settled: string;
  readonly retries: number;
  readonly crashes: number;
  readonly breaks: number;
  readonly askAgain: number;
}

type SmallInput<Message> = Input<ElectionProtocol<Message>>;

export class SmallWorld<Message, State> implements Space<World> {
  readonly beginning: World;
  readonly #options: SmallWorldOptions<Message, State>;
  readonly #ids: readonly ServerId[];
  readonly #servers = new Interned<SmallServer<State>>();
  readonly #queues = new Interned<Queue<Message>>();
  readonly #notes = new Interned<readonly string[]>();
  readonly #reactions = new Map<string, Reaction<Message>>();

  constructor(options: SmallWorldOptions<Message, State>) {
    this.#options = options;
    this.#ids = options.servers;
    const whole: World = {
      servers: this.#ids.map((id) => this.#servers.number(this.#begin(id))),
      queues: this.#ids.flatMap(() => this.#ids.map(() => this.#queues.number([]))),
      stood: this.#notes.number([]),
      followed: this.#notes.number([]),
      settled: "",
      retries: options.retries ?? 0,
      crashes: options.crashes ?? 0,
      breaks: options.breaks ?? 0,
      askAgain: options.askAgain ?? 0,
    };
    const { dead } = options;
    const begun = dead === undefined ? whole : this.#crash(whole, this.#ids.indexOf(dead)).world;
    const asked = options.allAsked === true ? this.#ids : [];
    this.beginning = asked.reduce((world, _, index) => this.#ask(world, index).world, begun);
  }

  key({ servers, queues, stood, followed, settled, retries, crashes, breaks, askAgain }: World): string {
    const budgets = `${retries} ${crashes} ${breaks} ${askAgain}`;
    return `${servers.join()} ${queues.join()} ${stood} ${followed} ${settled} ${budgets}`;
  }

  *moves(world: World): Iterable<Move<World>> {
    const servers = world.servers.map((number) => this.#servers.value(number));
    const queues = world.queues.map((number) => this.#queues.value(number));
    const quiet = queues.every((queue) => queue.length === 0);
    const started = servers.every(({ alive, asked }) => asked || !alive);
    const { timersFire } = this.#options;
    const timersMayFire = timersFire === "any time" || (quiet && (timersFire === "quiet" || started));
    for (const [index, server] of servers.entries()) {
      if (!server.alive) continue;
      if (!server.asked) yield this.#ask(world, index);
      if (world.crashes > 0) yield this.#crash(world, index);
      if (world.askAgain > 0 && quiet && this.#isFooled(server, servers))
        yield this.#ask({ ...world, askAgain: world.askAgain - 1 }, index);
      if (!timersMayFire) continue;
      for (const timer of server.armed) {
        if (timer !== RETRY) yield this.#fire(world, index, timer);
        else if (world.retries > 0) yield this.#fire({ ...world, retries: world.retries - 1 }, index, timer);
      }
    }
    for (const [at, queue] of queues.entries()) {
      if (queue.length > 0) yield this.#deliver(world, at, queue);
      if (queue.indexOf("down") > 0) yield this.#lose(world, at, queue);
      if (world.breaks > 0 && this.#mayBreak(world, at)) yield this.#break(world, at);
    }
  }

  complainOfEnd({ servers }: World): string | null {
    const leaders = new Map<ServerId, ServerId | null>();
    const retrying = new Set<ServerId>();
    for (const [index, number] of servers.entries()) {
      const { alive, follows, armed } = this.#servers.value(number);
      const id = this.#ids[index] as ServerId;
      if (alive) leaders.set(id, follows?.leader ?? null);
      if (armed.includes(RETRY)) retrying.add(id);
    }
    return this.#options.complainOfEnd(leaders, retrying);
  }

  /** Started, and connected to all others. */
  #begin(id: ServerId): SmallServer<State> {
    const copy = this.#options.enter(id, null);
    for (const server of this.#ids)
      if (server !== id) copy.automaton.step({ kind: "connected", server }, instant(0));
    return { alive: true, asked: false, armed: [], follows: null, state: copy.state() };
  }

  /** Nothing more will come, and the leader of this server has no quorum: its service asks again. */
  #isFooled(server: SmallServer<State>, servers: readonly SmallServer<State>[]): boolean {
    if (!server.asked || server.follows === null) return false;
    if (servers.some(({ armed }) => armed.some((timer) => timer !== RETRY))) return false;
    return !this.#isLed(server.follows, servers);
  }

  /** Does this leader lead a quorum? */
  #isLed({ leader }: Following, servers: readonly SmallServer<State>[]): boolean {
    const followers = servers.filter(({ alive, follows }) => alive && follows?.leader === leader);
    const own = servers[this.#ids.indexOf(leader)];
    return own !== undefined && followers.includes(own) && followers.length >= majority(servers.length);
  }

  #ask(world: World, index: number): Move<World> {
    const input: SmallInput<Message> = { kind: "request", request: { kind: "elect" } };
    return this.#step(world, index, input, `p${this.#ids[index]} is asked to elect`);
  }

  #fire(world: World, index: number, timer: string): Move<World> {
    return this.#step(world, index, { kind: "timeout", timer }, `p${this.#ids[index]}: ${timer} timer`);
  }

  #deliver(world: World, at: number, queue: Queue<Message>): Move<World> {
    const [head, ...rest] = queue;
    const [from, to] = this.#ends(at);
    const server = this.#ids[from] as ServerId;
    const input: SmallInput<Message> =
      head === "up"
        ? { kind: "connected", server }
        : head === "down" || head === undefined
          ? { kind: "unreachable", server }
          : { kind: "message", from: server, message: head.message };
    const queues = world.queues.with(at, this.#queues.number(rest));
    const name = `p${server} -> p${this.#ids[to]}: ${JSON.stringify(head)}`;
    return this.#step({ ...world, queues }, to, input, name);
  }

  /** The last message before the end of the connection never left. */
  #lose(world: World, at: number, queue: Queue<Message>): Move<World> {
    const last = queue.indexOf("down") - 1;
    const queues = world.queues.with(at, this.#queues.number(queue.toSpliced(last, 1)));
    return { name: `lost: ${JSON.stringify(queue[last])}`, world: { ...world, queues }, complaint: null };
  }

  #crash(world: World, index: number): Move<World> {
    const before = this.#servers.value(world.servers[index] as number);
    const dead: SmallServer<State> = { ...before, alive: false, armed: [] };
    const queues = world.queues.map((number, at) => {
      const [from, to] = this.#ends(at);
      const hears = this.#servers.value(world.servers[to] as number).alive && to !== index;
      if (to === index) return this.#queues.number([]);
      return from === index && hears ? this.#queues.number([...this.#queues.value(number), "down"]) : number;
    });
    const servers = world.servers.with(index, this.#servers.number(dead));
    const crashed = { ...world, servers, queues, crashes: world.crashes - 1 };
    return { name: `p${this.#ids[index]} dies`, world: crashed, complaint: null };
  }

  /** A connection that stands; each pair is looked at once. */
  #mayBreak({ servers, queues }: World, at: number): boolean {
    const [from, to] = this.#ends(at);
    if (from >= to) return false;
    const ends = [from, to].map((end) => this.#servers.value(servers[end] as number));
    const ways = [at, this.#back(at)].map((way) => this.#queues.value(queues[way] as number));
    return ends.every(({ alive }) => alive) && !ways.some((queue) => queue.includes("down"));
  }

  #break(world: World, at: number): Move<World> {
    const queues = [...world.queues];
    for (const way of [at, this.#back(at)]) {
      queues[way] = this.#queues.number([...this.#queues.value(queues[way] as number), "down", "up"]);
    }
    const [from, to] = this.#ends(at).map((end) => `p${this.#ids[end]}`);
    const name = `the connection of ${from} and ${to} breaks`;
    return { name, world: { ...world, queues, breaks: world.breaks - 1 }, complaint: null };
  }

  #step(world: World, index: number, input: SmallInput<Message>, name: string): Move<World> {
    const reaction = this.#react(world.servers[index] as number, index, input);
    const servers = world.servers.with(index, reaction.server);
    const queues = [...world.queues];
    for (const { to, message } of reaction.sends) {
      const receiver = this.#ids.indexOf(to);
      if (!this.#servers.value(servers[receiver] as number).alive) continue;
      const at = index * this.#ids.length + receiver;
      // What is said on a connection of which the end is not known yet is lost with it.
      if (this.#queues.value(queues[this.#back(at)] as number).includes("down")) continue;
      queues[at] = this.#queues.number([...this.#queues.value(queues[at] as number), { message }]);
    }
    const stood = reaction.stands.reduce(
      (notes, round) => this.#note(notes, `p${this.#ids[index]} in ${round}`),
      world.stood,
    );
    const next = { ...world, servers, queues, stood };
    const settled = world.settled === "" ? this.#settledOn(next) : world.settled;
    const followed = this.#follow(world.followed, index, reaction.elected);
    const after = { ...next, followed, settled };
    const complaints = reaction.elected.map((elected) => this.#complainOf(after, elected));
    return { name, world: after, complaint: complaints.find((each) => each !== null) ?? null };
  }

  #follow(followed: number, index: number, elected: readonly Following[]): number {
    if (this.#options.oneEachRound !== true) return followed;
    return elected.reduce(
      (notes, { leader, round }) => this.#note(notes, `${round} p${leader} p${this.#ids[index]}`),
      followed,
    );
  }

  #note(notes: number, note: string): number {
    return this.#notes.number([...new Set(this.#notes.value(notes)).add(note)].sort());
  }

  /** Who never stood is not elected; no round has two leaders; who settled stays. */
  #complainOf(world: World, { leader, round }: Following): string | null {
    const outcome = `p${leader} in round ${round}`;
    const stood = this.#notes.value(world.stood).filter((note) => note.endsWith(` in ${round}`));
    if (this.#options.heirs !== true && !stood.includes(`p${leader} in ${round}`))
      return `elects ${outcome}, who did not stand in it`;
    if (this.#options.quorumStands === true && stood.length < majority(this.#ids.length))
      return `elects ${outcome}, in which only ${stood.length} stood`;
    const rivals = this.#ids.filter((id) => this.#hasQuorum(world, round, id));
    if (rivals.length > 1) return `elects ${outcome}, where quorums follow p${rivals.join(" and p")}`;
    // Who is hasty, or mourns a leader, may well elect another.
    const { timersFire, crashes, breaks } = this.#options;
    const mayDiffer = timersFire === "any time" || crashes !== undefined || breaks !== undefined;
    return mayDiffer || world.settled === "" || world.settled === `p${leader}`
      ? null
      : `elects ${outcome}, though a quorum follows ${world.settled}`;
  }

  #hasQuorum({ followed }: World, round: number, leader: ServerId): boolean {
    const followers = this.#notes.value(followed).filter((note) => note.startsWith(`${round} p${leader} `));
    return followers.length >= majority(this.#ids.length);
  }

  #settledOn({ servers }: World): string {
    const following = servers.map((number) => this.#servers.value(number).follows);
    for (const [index, follows] of following.entries()) {
      if (follows === null || follows.leader !== this.#ids[index]) continue;
      const { leader, round } = follows;
      const followers = following.filter((other) => other?.leader === leader && other.round === round);
      if (followers.length >= majority(servers.length)) return `p${leader}`;
    }
    return "";
  }

  #react(number: number, index: number, input: SmallInput<Message>): Reaction<Message> {
    const key = `${number} ${index} ${JSON.stringify(input)}`;
    const known = this.#reactions.get(key);
    if (known !== undefined) return known;
    const before = this.#servers.value(number);
    const { automaton, state } = this.#options.enter(this.#ids[index] as ServerId, before.state);
    const armed = new Set(before.armed);
    if (input.kind === "timeout") armed.delete(input.timer);
    const sends: { to: ServerId; message: Message }[] = [];
    const outputs: ElectionOutput[] = [];
    for (const effect of automaton.step(input, instant(0))) {
      if (effect.kind === "arm") armed.add(effect.timer);
      else if (effect.kind === "disarm") armed.delete(effect.timer);
      else if (effect.kind === "send")
        sends.push(...effect.to.map((to) => ({ to, message: effect.message })));
      else if (effect.kind === "output") outputs.push(effect.output);
    }
    const stands = outputs.flatMap((output) =>
      output.kind === "observed" ? (candidateOf(output.facts)?.round ?? []) : [],
    );
    const elected = outputs.flatMap((output) =>
      output.kind === "elected" ? { leader: output.leader, round: output.round } : [],
    );
    const isAsked = input.kind === "request";
    const isDeposed = outputs.at(-1)?.kind === "deposed";
    const follows = elected.at(-1) ?? (isAsked || isDeposed ? null : before.follows);
    // Whom the election deposes the service looks for anew.
    const asked = (before.asked || isAsked) && !isDeposed;
    const after = { alive: true, asked, armed: [...armed].sort(), follows, state: state() };
    const reaction = { server: this.#servers.number(after), sends, stands, elected };
    this.#reactions.set(key, reaction);
    return reaction;
  }

  #ends(at: number): readonly [from: number, to: number] {
    return [Math.floor(at / this.#ids.length), at % this.#ids.length];
  }

  #back(at: number): number {
    const [from, to] = this.#ends(at);
    return to * this.#ids.length + from;
  }
}

interface Reaction<Message> {
  readonly server: number;
  readonly sends: readonly { readonly to: ServerId; readonly message: Message }[];
  /** The rounds in which it stands from now on. */
  readonly stands: readonly number[];
  readonly elected: readonly Following[];
}
