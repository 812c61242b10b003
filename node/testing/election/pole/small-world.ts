/**
 * A world of POLE servers so small that everything that can happen in it does: every order in which messages
 * arrive, every moment at which a server is asked to elect, a timer fires, or a process dies.
 *
 * Messages of one pair stay in order; of what a dying process had sent, any suffix may be lost, and that its
 * connection ended is noticed after the rest. A world is a list of numbers that name a state of a server or a
 * queue seen before, so that worlds are cheap to compare, and what a server does with one input in one state
 * is worked out once.
 */

import type { Input } from "../../../core/automaton.ts";
import type { ServerId } from "../../../core/identity.ts";
import type { Round } from "../../../core/score.ts";
import { instant } from "../../../core/time.ts";
import type { ElectionProtocol } from "../../../election/election.ts";
import type { Move, Space } from "../explore.ts";
import { Interned } from "../interned.ts";
import { PoleElection, type PoleOptions } from "../../../election/pole/pole.ts";
import { candidateOf } from "../../../telemetry/facts.ts";
import type { PoleMessage } from "../../../election/pole/message.ts";
import type { PoleState } from "../../../election/pole/state.ts";

export interface SmallWorldOptions {
  readonly servers: readonly ServerId[];
  readonly pole: (self: ServerId) => PoleOptions;
  /** `last`: when nothing is under way and everybody was asked; `quiet`: when nothing is under way. */
  readonly timersFire: "last" | "quiet" | "any time";
  /**
   * How often, in all, the retry timer fires; a process dies; a service finds its leader unlawful and asks
   * again.
   */
  readonly retries?: number;
  readonly crashes?: number;
  readonly askAgain?: number;
  /** What is wrong with this outcome, or null; null in it is a server that knows no leader. */
  readonly complainOfEnd: (leaders: ReadonlyMap<ServerId, ServerId | null>) => string | null;
}

interface Server {
  readonly alive: boolean;
  readonly asked: boolean;
  readonly armed: readonly string[];
  readonly state: PoleState;
}

type Queue = readonly (PoleMessage | { readonly kind: "down" })[];

/** Numbers only: budgets, and the names of what was interned. */
export interface World {
  readonly servers: readonly number[];
  /** From one server to another, at `from * size + to`. */
  readonly queues: readonly number[];
  /** Who has proposed itself in which round. */
  readonly proposed: number;
  /** The leader whom a quorum, itself included, followed first. */
  readonly settled: string;
  readonly retries: number;
  readonly crashes: number;
  readonly askAgain: number;
}

export class SmallWorld implements Space<World> {
  readonly beginning: World;
  readonly #options: SmallWorldOptions;
  readonly #ids: readonly ServerId[];
  readonly #servers = new Interned<Server>();
  readonly #queues = new Interned<Queue>();
  readonly #proposed = new Interned<readonly string[]>();
  readonly #reactions = new Map<string, Reaction>();

  constructor(options: SmallWorldOptions) {
    this.#options = options;
    this.#ids = options.servers;
    this.beginning = {
      servers: this.#ids.map((id) => {
        const { state } = new PoleElection(options.pole(id));
        return this.#servers.number({ alive: true, asked: false, armed: [], state });
      }),
      queues: this.#ids.flatMap(() => this.#ids.map(() => this.#queues.number([]))),
      proposed: this.#proposed.number([]),
      settled: "",
      retries: options.retries ?? 0,
      crashes: options.crashes ?? 0,
      askAgain: options.askAgain ?? 0,
    };
  }

  key(world: World): string {
    const { servers, queues, proposed, settled, retries, crashes, askAgain } = world;
    return `${servers.join()} ${queues.join()} ${proposed} ${settled} ${retries} ${crashes} ${askAgain}`;
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
      if (server.armed.includes("election")) yield this.#fire(world, index, "election");
      if (server.armed.includes("retry") && world.retries > 0)
        yield this.#fire({ ...world, retries: world.retries - 1 }, index, "retry");
    }
    for (const [at, queue] of queues.entries()) {
      if (queue.length === 0) continue;
      yield this.#deliver(world, at, queue);
      if (queue.length > 1 && queue.at(-1)?.kind === "down") yield this.#lose(world, at, queue);
    }
  }

  complainOfEnd({ servers }: World): string | null {
    const leaders = new Map<ServerId, ServerId | null>();
    for (const [index, number] of servers.entries()) {
      const { alive, state } = this.#servers.value(number);
      if (alive) leaders.set(this.#ids[index] as ServerId, state.leader);
    }
    return this.#options.complainOfEnd(leaders);
  }

  /** Nothing more will come, and the leader of this server has no quorum: its service asks again. */
  #isFooled(server: Server, servers: readonly Server[]): boolean {
    if (server.state.leader === null || servers.some(({ armed }) => armed.includes("election"))) return false;
    return !this.#isLed(server, servers);
  }

  /** Does this server follow one that leads a quorum? */
  #isLed({ state }: Server, servers: readonly Server[]): boolean {
    const followers = servers.filter((other) => other.alive && other.state.leader === state.leader);
    const leader = servers[this.#ids.indexOf(state.leader as ServerId)];
    return leader !== undefined && followers.includes(leader) && followers.length * 2 > servers.length;
  }

  #ask(world: World, index: number): Move<World> {
    const input: Input<ElectionProtocol<PoleMessage>> = { kind: "request", request: { kind: "elect" } };
    return this.#step(world, index, input, `p${this.#ids[index]} is asked to elect`);
  }

  #fire(world: World, index: number, timer: string): Move<World> {
    return this.#step(world, index, { kind: "timeout", timer }, `p${this.#ids[index]}: ${timer} timer`);
  }

  #deliver(world: World, at: number, queue: Queue): Move<World> {
    const [message, ...rest] = queue;
    const [from, to] = this.#ends(at);
    const server = this.#ids[from] as ServerId;
    const input: Input<ElectionProtocol<PoleMessage>> =
      message === undefined || message.kind === "down"
        ? { kind: "unreachable", server }
        : { kind: "message", from: server, message };
    const queues = world.queues.with(at, this.#queues.number(rest));
    const name = `p${server} -> p${this.#ids[to]}: ${JSON.stringify(message)}`;
    return this.#step({ ...world, queues }, to, input, name);
  }

  /** The last message before the end of the connection never left. */
  #lose(world: World, at: number, queue: Queue): Move<World> {
    const queues = world.queues.with(at, this.#queues.number(queue.toSpliced(-2, 1)));
    return { name: `lost: ${JSON.stringify(queue.at(-2))}`, world: { ...world, queues }, complaint: null };
  }

  #crash(world: World, index: number): Move<World> {
    const dead: Server = { ...this.#servers.value(world.servers[index] as number), alive: false, armed: [] };
    const queues = world.queues.map((number, at) => {
      const [from, to] = this.#ends(at);
      const hears = this.#servers.value(world.servers[to] as number).alive && to !== index;
      if (to === index) return this.#queues.number([]);
      return from === index && hears
        ? this.#queues.number([...this.#queues.value(number), { kind: "down" }])
        : number;
    });
    const servers = world.servers.with(index, this.#servers.number(dead));
    const crashed = { ...world, servers, queues, crashes: world.crashes - 1 };
    return { name: `p${this.#ids[index]} dies`, world: crashed, complaint: null };
  }

  #step(world: World, index: number, input: Input<ElectionProtocol<PoleMessage>>, name: string): Move<World> {
    const reaction = this.#react(world.servers[index] as number, index, input);
    const servers = world.servers.with(index, reaction.server);
    const queues = [...world.queues];
    for (const { to, message } of reaction.sends) {
      const receiver = this.#ids.indexOf(to);
      if (!this.#servers.value(servers[receiver] as number).alive) continue;
      const at = index * this.#ids.length + receiver;
      queues[at] = this.#queues.number([...this.#queues.value(queues[at] as number), message]);
    }
    const proposed = this.#propose(world.proposed, index, reaction);
    const next = { ...world, servers, queues, proposed };
    const settled = world.settled === "" ? this.#settledOn(next) : world.settled;
    return { name, world: { ...next, settled }, complaint: this.#complainOf(next, reaction) };
  }

  #propose(proposed: number, index: number, { scored }: Reaction): number {
    if (scored === null) return proposed;
    const all = new Set(this.#proposed.value(proposed)).add(`p${this.#ids[index]} in round ${scored}`);
    return this.#proposed.number([...all].sort());
  }

  /** Who never proposed itself is not elected; who settled stays. */
  #complainOf({ proposed, settled }: World, { elected }: Reaction): string | null {
    if (elected === null) return null;
    const leader = `p${elected.leader}`;
    const outcome = `${leader} in round ${elected.round}`;
    if (!this.#proposed.value(proposed).includes(outcome)) return `elects ${outcome}, who proposed nothing`;
    // Who is hasty, or mourns a leader, may well elect another.
    const mayDiffer = this.#options.timersFire === "any time" || this.#options.crashes !== undefined;
    return mayDiffer || settled === "" || settled === leader
      ? null
      : `elects ${outcome}, though a quorum follows ${settled}`;
  }

  #settledOn({ servers }: World): string {
    const states = servers.map((number) => this.#servers.value(number).state);
    for (const [index, { leader, round }] of states.entries()) {
      if (leader !== this.#ids[index]) continue;
      const followers = states.filter((other) => other.leader === leader && other.round === round);
      if (followers.length * 2 > states.length) return `p${leader}`;
    }
    return "";
  }

  #react(number: number, index: number, input: Input<ElectionProtocol<PoleMessage>>): Reaction {
    const key = `${number} ${index} ${JSON.stringify(input)}`;
    const known = this.#reactions.get(key);
    if (known !== undefined) return known;
    const before = this.#servers.value(number);
    const pole = new PoleElection(this.#options.pole(this.#ids[index] as ServerId), before.state);
    const armed = new Set(before.armed);
    if (input.kind === "timeout") armed.delete(input.timer);
    const sends: { to: ServerId; message: PoleMessage }[] = [];
    let [scored, elected]: [number | null, Reaction["elected"]] = [null, null];
    for (const effect of pole.step(input, instant(0))) {
      if (effect.kind === "arm") armed.add(effect.timer);
      else if (effect.kind === "disarm") armed.delete(effect.timer);
      else if (effect.kind === "send")
        sends.push(...effect.to.map((to) => ({ to, message: effect.message })));
      else if (effect.kind === "output" && effect.output.kind === "observed")
        scored = candidateOf(effect.output.facts)?.round ?? scored;
      else if (effect.kind === "output" && effect.output.kind === "elected") elected = effect.output;
    }
    const asked = before.asked || input.kind === "request";
    const after = { alive: true, asked, armed: [...armed].sort(), state: pole.state };
    const reaction = { server: this.#servers.number(after), sends, scored, elected };
    this.#reactions.set(key, reaction);
    return reaction;
  }

  #ends(at: number): readonly [from: number, to: number] {
    return [Math.floor(at / this.#ids.length), at % this.#ids.length];
  }
}

interface Reaction {
  readonly server: number;
  readonly sends: readonly { readonly to: ServerId; readonly message: PoleMessage }[];
  readonly scored: number | null;
  readonly elected: { readonly leader: ServerId; readonly round: Round } | null;
}
