/** Probes on a host of `service`, and what the contract's tests ask about what they have seen. */

import { type MemberId, memberId } from "../../core/identity.ts";
import { type Duration, milliseconds, seconds } from "../../core/time.ts";
import { OPEN } from "../../wire/client/acl.ts";
import { CREATE_MODES } from "../../wire/client/create.ts";
import { ERRORS } from "../../wire/client/error.ts";
import { EVENT_TYPES } from "../../wire/client/watch.ts";
import {
  type ProbeInput,
  type ServiceMaker,
  ServiceProbe,
  type ServiceProbeProtocol,
  type ServiceRequest,
  type ServiceUnderTest,
} from "./service-contract-probe.ts";
import { ScribesScene } from "./scribe.ts";

type Kind = ProbeInput["kind"];
type Effect = ServiceRequest[number];

export const [one, two] = [memberId(1), memberId(2)];

/** Longer than any disturbance, and short enough to be waited for. */
export const LONG = seconds(20);
export const SHORT = seconds(2);

const ask = (id: number, question: ServiceProbeProtocol["question"]): Effect => ({
  kind: "ask",
  id,
  question,
});
export const output = (text: string): Effect => ({ kind: "output", output: text });
export const disarm = (timer: "a" | "b"): Effect => ({ kind: "disarm", timer });
export const leave: Effect = { kind: "leave" };
export const arm = (timer: "a" | "b", ms: number): Effect => ({
  kind: "arm",
  timer,
  after: milliseconds(ms),
});

export const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

type Mode = "persistent" | "ephemeral" | "sequential";
const FLAGS: Readonly<Record<Mode, number>> = {
  persistent: CREATE_MODES.findIndex(({ owner, sequential }) => owner === "nobody" && !sequential),
  ephemeral: CREATE_MODES.findIndex(({ owner, sequential }) => owner === "session" && !sequential),
  sequential: CREATE_MODES.findIndex(({ owner, sequential }) => owner === "nobody" && sequential),
};
const nothing = new Uint8Array(0);

/** Each scene has znodes of its own, below one that no other has. */
let scenes = 0;

export class ServiceScene
  extends ScribesScene<MemberId, ProbeInput, ServiceProbe>
  implements AsyncDisposable
{
  readonly host: ServiceUnderTest;
  readonly root: string;

  private constructor(host: ServiceUnderTest, lives: Map<MemberId, ServiceProbe[]>, root: string) {
    super(lives);
    this.host = host;
    this.root = root;
  }

  /** Members 1 and 2, both connected. */
  static async open(maker: ServiceMaker, timeout: Duration = LONG): Promise<ServiceScene> {
    const lives = new Map<MemberId, ServiceProbe[]>([one, two].map((member) => [member, []]));
    const host = await maker.make(
      [...lives.keys()],
      timeout,
      (member) => {
        const probe = new ServiceProbe();
        lives.get(member)?.push(probe);
        return probe;
      },
      (member, said) => lives.get(member)?.at(-1)?.output(said),
    );
    const scene = new ServiceScene(host, lives, `/scene-${process.pid}-${++scenes}`);
    for (const member of [one, two]) await host.start(member);
    for (const member of [one, two]) await scene.untilKind(member, "connected");
    scene.ask(
      one,
      ask(-1, { kind: "create", path: scene.root, data: nothing, acl: OPEN, flags: 0, ttl: -1 }),
    );
    await scene.untilAnswered(one, -1);
    scene.ask(two, ask(-1, { kind: "sync", path: scene.root }));
    await scene.untilAnswered(two, -1);
    return scene;
  }

  create(id: number, name: string, mode: Mode = "persistent"): Effect {
    const flags = FLAGS[mode];
    return ask(id, { kind: "create", path: this.path(name), data: nothing, acl: OPEN, flags, ttl: -1 });
  }

  exists(id: number, name: string, watch = false): Effect {
    return ask(id, { kind: "exists", path: this.path(name), watch });
  }

  delete(id: number, name: string): Effect {
    return ask(id, { kind: "delete", path: this.path(name), version: -1 });
  }

  /** What is asked afterwards is answered from a state at least as new as all that others were told. */
  sync(id: number): Effect {
    return ask(id, { kind: "sync", path: this.root });
  }

  path(name: string): string {
    return `${this.root}/${name}`;
  }

  ask(member: MemberId, ...effects: ServiceRequest): void {
    this.host.request(member, effects);
  }

  /** What came to it, in a word or two each, without what a test asked of it or the scene itself. */
  story(member: MemberId): string[] {
    return this.probe(member).inputs.flatMap(({ input }) => this.#words(input));
  }

  /** The same from here on. */
  storyFrom(member: MemberId): () => string[] {
    const { length } = this.story(member);
    return () => this.story(member).slice(length);
  }

  async until(member: MemberId, words: string): Promise<void> {
    await this.host.until(`${member} is told: ${words}`, () => this.story(member).includes(words));
  }

  async untilKind(member: MemberId, kind: Kind, count = 1): Promise<void> {
    await this.host.until(
      `${member} is told ${kind}, ${count} times`,
      () => this.inputs(member, kind).length >= count,
    );
  }

  async untilAnswered(member: MemberId, id: number): Promise<void> {
    await this.host.until(`${member} has the answer ${id}`, () =>
      this.inputs(member, "answered").some((input) => input.id === id),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host.close();
  }

  #words(input: ProbeInput): string[] {
    switch (input.kind) {
      case "request":
        return [];
      case "connected":
        return [input.isNew ? "connected anew" : "connected again"];
      case "watched":
        return [`${eventName(input.event.type)} ${input.event.path.slice(this.root.length + 1)}`];
      case "timeout":
        return [`timeout ${input.timer}`];
      case "answered": {
        const { id, answer } = input;
        if (id < 0) return [];
        return [`${id} ${answer.kind === "refused" ? errorName(answer.error) : answer.kind}`];
      }
      default:
        return [input.kind];
    }
  }
}

const nameIn = (names: Readonly<Record<string, number>>, number: number): string =>
  Object.entries(names).find(([, each]) => each === number)?.[0] ?? String(number);
const errorName = (error: number): string => nameIn(ERRORS, error);
const eventName = (type: number): string => nameIn(EVENT_TYPES, type);
