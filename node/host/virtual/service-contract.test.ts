import type { MemberId } from "../../core/identity.ts";
import { after, type Duration, microseconds, milliseconds, seconds } from "../../core/time.ts";
import type {
  ServiceMaker,
  ServiceProbeProtocol,
  ServiceRequest,
  ServiceUnderTest,
} from "../../testing/host/service-contract-probe.ts";
import { arm } from "../../testing/host/service-contract-scene.ts";
import { describeServiceContract } from "../../testing/host/service-contract-suite.ts";
import { VirtualService, WAY } from "../../testing/host/virtual-service.ts";
import type { Auth } from "../../wire/client/access.ts";
import type { ServiceCounts } from "../service-counts.ts";
import { VirtualMembers } from "./service-members.ts";

const PATIENCE = seconds(60);
const STEP = milliseconds(1);
/** There and back. */
const ROUND_TRIP = microseconds(2 * WAY);

const placeOf = (member: MemberId): string => `where ${member} is`;

class VirtualHost implements ServiceUnderTest {
  readonly #service = new VirtualService();
  readonly #members: VirtualMembers<ServiceProbeProtocol>;
  readonly #left = new Map<MemberId, boolean>();
  readonly #auth = new Map<MemberId, readonly Auth[]>();

  constructor(...[_members, timeout, create, output]: Parameters<ServiceMaker["make"]>) {
    const { clients, followers, leader } = this.#service;
    this.#members = new VirtualMembers({
      clients,
      servers: [...followers, leader],
      create,
      place: placeOf,
      policy: (member) => ({ timeout, first: member, auth: this.#auth.get(member) ?? [] }),
      seed: 1,
      observer: { output, left: (member, acknowledged) => this.#left.set(member, acknowledged) },
    });
  }

  async start(member: MemberId, auth: readonly Auth[] = []): Promise<void> {
    this.#auth.set(member, auth);
    this.#members.start(member);
  }

  async kill(member: MemberId): Promise<void> {
    this.#members.kill(member);
  }

  request(member: MemberId, effects: ServiceRequest): void {
    this.#members.request(member, effects);
  }

  /** The process of its server dies, which its machine says to whoever is connected. */
  async disconnect(member: MemberId): Promise<void> {
    const server = this.#members.serverOf(member);
    if (server === null) return;
    const wasCut = this.#service.cut.has(placeOf(member));
    this.#service.killProcess(server);
    // Nothing that was cut until now arrives any more, but for the word that there is no connection.
    this.heal(member);
    this.#service.pass(WAY);
    if (wasCut) this.cut(member);
    this.#service.ensemble.start(server);
  }

  cut(member: MemberId): void {
    this.#service.cut.add(placeOf(member));
  }

  heal(member: MemberId): void {
    this.#service.heal(placeOf(member));
  }

  async atHandWhenDue(member: MemberId, question: ServiceRequest): Promise<void> {
    this.request(member, [arm("a", ROUND_TRIP / 1e3), ...question]);
  }

  async until(what: string, condition: () => boolean): Promise<void> {
    const end = after(this.#service.ensemble.now, PATIENCE);
    while (!condition()) {
      if (this.#service.ensemble.now > end) throw new Error(`not within a minute: ${what}`);
      this.#service.pass(STEP);
    }
  }

  async pass(time: Duration): Promise<void> {
    this.#service.pass(time);
  }

  counts(member: MemberId): ServiceCounts {
    return this.#members.counts(member);
  }

  left(member: MemberId): boolean | null {
    return this.#left.get(member) ?? null;
  }

  async close(): Promise<void> {}
}

describeServiceContract({
  name: "virtual",
  make: (...shape) => Promise.resolve(new VirtualHost(...shape)),
});
