/**
 * A server of the ensemble that has the secret and lies: bytes at the port for servers, behind a handshake
 * that is in order or instead of one, into a server that is just looking, following, leading or being brought
 * level. Whatever it says, the server drops it or goes on; it never fails.
 *
 *   input => plot:u8 moment:u8 manner:u8 bytes      manner: 1 server 3 instead of 2, 2 bulk, 4 a stranger
 */

import { Random } from "#node/core/random.ts";
import { type ServerId, serverId } from "#node/core/identity.ts";
import { Corks } from "#node/host/tcp/corks.ts";
import {
  decodeGreeting,
  encodeGreeting,
  encodeProof,
  type Introduction,
  NOTHING,
} from "#node/host/tcp/introduction.ts";
import { Link } from "#node/host/tcp/link.ts";
import { keyFor, Prover } from "#node/host/tcp/proof.ts";
import { Reception } from "#node/host/tcp/reception.ts";
import type { Channel, PeerMessage } from "#node/replica/message.ts";
import { decodePeerMessage, encodePeerMessage } from "#node/wire/frame.ts";
import { PEER_MESSAGES } from "./peer-messages.ts";
import { PlayedSocket } from "./played-socket.ts";
import { Played, type Plot, rehearse, SELF, SERVERS, type Step } from "./rehearsal.ts";
import type { Target } from "./target.ts";

const PLOTS: readonly Plot[] = [
  { leader: 1, isAway: false, goes: null },
  { leader: 3, isAway: false, goes: null },
  { leader: 3, isAway: true, goes: null },
  { leader: 1, isAway: true, goes: 3 },
];
const MANNER = { third: 1, bulk: 2, stranger: 4 } as const;
const LAST = 255;
/** Timers that fire after what was said, so that what it left behind shows. */
const AFTERWARDS = 12;
/** Of what an honest server said next. */
const LONGEST_SEED = 12;

const CLUSTER = "fuzz";
const prover = new Prover(keyFor("a secret that the liar has"));

export function memberTarget(): Target {
  const rehearsals = PLOTS.map((plot) => ({ leader: serverId(plot.leader), steps: rehearse(plot) }));
  return {
    seeds: rehearsals.flatMap(({ steps }, plot) => seedsOf(plot, steps)),
    feed([plot = 0, moment = 0, manner = 0, ...said]) {
      const { leader, steps } = rehearsals[plot % rehearsals.length] as (typeof rehearsals)[number];
      const liar = serverId((manner & MANNER.third) === 0 ? 2 : 3);
      const scene = new Scene(leader, steps.slice(0, momentOf(steps, moment)), liar);
      const bytes = Uint8Array.from(said);
      if ((manner & MANNER.stranger) !== 0) scene.call().say(bytes);
      else scene.introduce()[(manner & MANNER.bulk) === 0 ? "control" : "bulk"].say(bytes);
      scene.end();
    },
  };
}

const momentOf = (steps: readonly Step[], moment: number): number =>
  Math.ceil((steps.length * moment) / LAST);

/** Server 1 at some moment of its life, with the port at which it is called. */
class Scene {
  readonly #played: Played;
  readonly #liar: ServerId;
  readonly #link: Link;
  readonly #reception: Reception;
  #now: Step["now"];

  constructor(leader: ServerId, past: readonly Step[], liar: ServerId) {
    this.#liar = liar;
    this.#played = new Played(SELF, leader);
    this.#now = 0 as Step["now"];
    for (const { input, now } of past) {
      if (input.kind === "timeout") this.#played.timers.delete(input.timer);
      this.#played.step(input, now);
      this.#now = now;
    }
    const corks = new Corks();
    this.#link = new Link({
      self: SELF,
      peer: liar,
      cluster: CLUSTER,
      life: 1,
      corks,
      prover,
      random: new Random(1),
      address: { host: "nowhere", port: 0 },
      connect: () => {
        throw new Error("the smaller server calls nobody");
      },
      queueLimit: 1 << 20,
      events: {
        up: () => {},
        frame: (frame) => this.#hear(frame),
        down: () => this.#step({ kind: "unreachable", server: liar }),
        failing: () => {},
      },
    });
    this.#reception = new Reception({
      self: SELF,
      cluster: CLUSTER,
      corks,
      prover,
      patienceMs: 60_000,
      servers: new Map(SERVERS.map((id) => [id, null])),
      accepted: (connection, greeting) => {
        if (greeting.from === liar) this.#link.accept(connection, greeting);
        else connection.end();
      },
      refused: () => {},
    });
  }

  call(): PlayedSocket {
    const socket = new PlayedSocket();
    this.#reception.receive(socket.asSocket());
    return socket;
  }

  /** Both connections of a link, as an honest server makes them. */
  introduce(): Readonly<Record<Channel, PlayedSocket>> {
    return { control: this.#introduce("control"), bulk: this.#introduce("bulk") };
  }

  /** Time goes on. */
  end(): void {
    for (let left = AFTERWARDS; left > 0 && this.#played.next !== null; left--) {
      const { timer, due } = this.#played.next;
      this.#played.timers.delete(timer);
      this.#now = due;
      this.#step({ kind: "timeout", timer });
    }
    this.#reception.end();
    this.#link.stop(true);
  }

  #introduce(channel: Channel): PlayedSocket {
    const greeting: Introduction = {
      from: this.#liar,
      to: SELF,
      channel,
      life: 7,
      attempt: 1,
      cluster: CLUSTER,
      challenge: prover.challenge(),
      proof: NOTHING,
    };
    const socket = this.call();
    socket.say(encodeGreeting(greeting));
    const reply = decodeGreeting((socket.heard[0] ?? NOTHING).subarray(4));
    if (!reply.ok) throw new Error(`an honest server is not greeted: ${reply.reason}`);
    socket.say(encodeProof(prover.prove("dialer", greeting, reply.value.challenge)));
    return socket;
  }

  #hear(frame: Uint8Array): void {
    const message = decodePeerMessage(frame);
    if (message.ok) this.#step({ kind: "message", from: this.#liar, message: message.value });
    else this.#link.drop(message.reason);
  }

  #step(input: Step["input"]): void {
    this.#played.step(input, this.#now);
  }
}

/** What an honest server said next at some moments of the plot, and in the end one of everything. */
function seedsOf(plot: number, steps: readonly Step[]): readonly Uint8Array[] {
  const seeds: Uint8Array[] = [Uint8Array.of(plot, LAST, MANNER.stranger)];
  for (const manner of [0, MANNER.third]) {
    const from = manner === 0 ? 2 : 3;
    for (let moment = 0; moment < LAST; moment += 32) {
      const next = steps.slice(momentOf(steps, moment)).flatMap(({ input }) => {
        return input.kind === "message" && input.from === from ? [input.message] : [];
      });
      const bulk = next.filter(({ part }) => part === "broadcast").slice(0, LONGEST_SEED);
      const control = next.filter(({ part }) => part !== "broadcast").slice(0, LONGEST_SEED);
      seeds.push(seedOf(plot, moment, manner | MANNER.bulk, bulk), seedOf(plot, moment, manner, control));
    }
    for (const message of PEER_MESSAGES) {
      seeds.push(seedOf(plot, LAST, manner | MANNER.bulk, [message]));
    }
  }
  return seeds;
}

const seedOf = (plot: number, moment: number, manner: number, messages: readonly PeerMessage[]): Uint8Array =>
  Uint8Array.of(plot, moment, manner, ...messages.flatMap((message) => [...encodePeerMessage(message)]));
