// Real servers and real sessions in virtual time, byte by byte: three servers in one place, clients in
// another.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Policy } from "../../client/policy.ts";
import { Question } from "../../client/question.ts";
import type { SessionEvent } from "../../client/session-protocol.ts";
import { type ServerId, serverId } from "../../core/identity.ts";
import { after, milliseconds, seconds } from "../../core/time.ts";
import type { Secrets } from "../../front/credentials.ts";
import { Server, type ServerProtocol } from "../../front/server.ts";
import { oracles } from "../../oracle/catalog.ts";
import { DEFAULTS } from "../../tree/payload.ts";
import { Tree } from "../../tree/tree.ts";
import { OPEN } from "../../wire/client/acl.ts";
import { ERRORS } from "../../wire/client/error.ts";
import type { Credentials } from "../../wire/client/handshake.ts";
import type { ClientRequest } from "../../wire/client/request.ts";
import { EVENT_TYPES } from "../../wire/client/watch.ts";
import { replicaCodec } from "../replica-codec.ts";
import { VirtualClients, VirtualSession } from "./clients.ts";
import { VirtualEnsemble } from "./ensemble.ts";

const IDS = [1, 2, 3].map(serverId);
const WAY = milliseconds(5);

const SECRETS: Secrets = {
  sha1: (bytes) => bytes,
  password: () => new Uint8Array(16).fill(7),
  seal: (password) => `the seal of ${password.join(" ")}`,
  superDigest: null,
};

/** Three servers, of which one leads. */
class Stage {
  readonly trees = new Map<ServerId, Tree>();
  readonly dark = new Set<ServerId>();
  readonly cut = new Set<ServerId>();
  readonly ensemble: VirtualEnsemble<ServerProtocol>;
  readonly clients: VirtualClients;

  constructor(sync = milliseconds(1)) {
    this.ensemble = new VirtualEnsemble<ServerProtocol>({
      servers: IDS,
      seed: 1,
      codec: { ...replicaCodec },
      network: { link: () => ({ delay: milliseconds(1) }) },
      disk: () => ({ sync }),
      create: (self) => this.#server(self),
      observer: {
        output: (_, output) => {
          if (output.kind !== "event" && output.kind !== "word") this.clients.heard(output);
        },
      },
    });
    const { ensemble } = this;
    this.clients = new VirtualClients({
      get now() {
        return ensemble.now;
      },
      at: (time, action) => ensemble.at(time, action),
      request: (server, request) => ensemble.request(server, request),
      isOn: (server) => !this.dark.has(server),
      way: () => WAY,
      isCut: (_, server) => this.cut.has(server),
    });
    for (const id of IDS) this.ensemble.start(id);
    this.pass(3000);
  }

  pass(ms: number): void {
    this.ensemble.run(after(this.ensemble.now, milliseconds(ms)));
  }

  get leader(): ServerId {
    return IDS.find((id) => this.#at(id)?.status.role === "leading") ?? assert.fail("nobody leads");
  }

  killProcess(server: ServerId): void {
    this.ensemble.crashProcess(server);
    this.clients.processDied(server);
  }

  cutPower(server: ServerId): void {
    this.dark.add(server);
    this.ensemble.crashMachine(server);
    this.clients.machineDied(server);
  }

  #at(server: ServerId): Server | null {
    return this.ensemble.automaton(server) as Server | null;
  }

  #server(self: ServerId): Server {
    const tree = new Tree();
    this.trees.set(self, tree);
    return new Server({
      tree,
      readOnly: false,
      front: {
        self,
        tick: seconds(1),
        timeouts: { least: seconds(2), most: seconds(20) },
        skipAcl: false,
        patience: seconds(10),
        secrets: SECRETS,
        options: DEFAULTS,
      },
      replica: { servers: IDS, oracle: oracles.history.create() },
    });
  }
}

/** A client and what it heard. */
class Guest {
  readonly session: VirtualSession<string>;
  readonly stage: Stage;
  #heard: string[] = [];

  constructor(
    stage: Stage,
    servers: readonly ServerId[],
    policy: Partial<Policy> = {},
    session?: Credentials,
  ) {
    this.stage = stage;
    this.session = new VirtualSession<string>(stage.clients, {
      place: "far",
      servers,
      policy: { timeout: seconds(4), ...policy },
      ...(session === undefined ? {} : { session }),
      heard: (event) => this.#heard.push(said(event)),
    });
    this.session.connect();
  }

  ask(tag: string, request: ClientRequest): this {
    this.session.ask(new Question(request), tag);
    this.session.flush();
    return this;
  }

  /** What it heard since the last look, so much later. */
  after(ms: number): string[] {
    this.stage.pass(ms);
    const heard = this.#heard;
    this.#heard = [];
    return heard;
  }
}

function said(event: SessionEvent<string>): string {
  switch (event.kind) {
    case "opened":
      return event.resumed ? "resumed" : "begun";
    case "answered":
      return `${event.asked.tag} ${event.error}`;
    case "lost":
      return `lost ${event.asked.tag}`;
    case "watch":
      return `watch ${event.event.type} ${event.event.path}`;
    case "closed":
      return `closed: ${event.reason}`;
    case "ended":
      return event.acknowledged ? "ended, acknowledged" : "ended";
    default:
      return event.kind;
  }
}

const create = (path: string, flags = 0): ClientRequest => ({
  kind: "create",
  path,
  data: new Uint8Array(0),
  acl: OPEN,
  flags,
  ttl: -1,
});
const exists = (path: string, watch = false): ClientRequest => ({ kind: "exists", path, watch });
const followers = (stage: Stage): [ServerId, ServerId] =>
  IDS.filter((id) => id !== stage.leader) as [ServerId, ServerId];

suite("clients in virtual time", () => {
  test("a connection takes a round trip, a session another, and an answer one more", () => {
    const stage = new Stage();
    const guest = new Guest(stage, [stage.leader]).ask("a", create("/a"));
    assert.deepEqual(guest.after(20), []);
    assert.deepEqual(guest.after(9), ["begun"]);
    assert.deepEqual(guest.after(15), ["a 0"]);
  });

  test("the process of its server dies: it is told, goes on next door, and its watches with it", () => {
    const stage = new Stage();
    const [one, other] = followers(stage);
    const guest = new Guest(stage, [one, other]).ask("w", exists("/w", true));
    assert.deepEqual(guest.after(200), ["begun", `w ${ERRORS.noNode}`]);
    stage.killProcess(one);
    guest.ask("a", create("/a"));
    assert.deepEqual(guest.after(4), []);
    assert.deepEqual(guest.after(200), ["lost a", "closed: the connection ended", "resumed", "watching"]);
    new Guest(stage, [stage.leader]).ask("w", create("/w"));
    assert.deepEqual(guest.after(200), [`watch ${EVENT_TYPES.created} /w`]);
  });

  test("its server's machine dies: nobody says so, and it waits for two thirds of its timeout", () => {
    const stage = new Stage();
    const [one, other] = followers(stage);
    const guest = new Guest(stage, [one, other]);
    assert.deepEqual(guest.after(100), ["begun"]);
    stage.cutPower(one);
    assert.deepEqual(guest.after(2400), []);
    assert.deepEqual(guest.after(400), ["closed: it was silent for too long", "resumed"]);
  });

  test("a machine that is on again knows of no connection, and says so when it is spoken to", () => {
    const stage = new Stage();
    const [one, other] = followers(stage);
    const guest = new Guest(stage, [one, other]);
    guest.after(100);
    stage.cutPower(one);
    stage.dark.delete(one);
    stage.ensemble.start(one);
    guest.ask("a", create("/a"));
    assert.deepEqual(guest.after(10), ["lost a", "closed: the connection ended"]);
    assert.deepEqual(guest.after(200), ["resumed"]);
  });

  test("what a cut holds back arrives when it heals, in order", () => {
    const stage = new Stage();
    const guest = new Guest(stage, [stage.leader]);
    guest.after(100);
    stage.cut.add(stage.leader);
    guest.ask("a", create("/a")).ask("b", create("/a"));
    assert.deepEqual(guest.after(2000), []);
    stage.cut.delete(stage.leader);
    stage.clients.healed();
    assert.deepEqual(guest.after(100), ["a 0", `b ${ERRORS.nodeExists}`]);
  });

  test("cut off for longer than its session lasts: it has expired, and what it owned is gone", () => {
    const stage = new Stage();
    const guest = new Guest(stage, [stage.leader], { afterExpiry: "end" }).ask("e", create("/e", 1));
    assert.deepEqual(guest.after(200), ["begun", "e 0"]);
    stage.cut.add(stage.leader);
    guest.after(7000);
    stage.cut.delete(stage.leader);
    stage.clients.healed();
    assert.deepEqual(guest.after(4000).slice(-3), ["expired", "closed: its session has expired", "ended"]);
    const other = new Guest(stage, [stage.leader]).ask("e", exists("/e"));
    assert.deepEqual(other.after(200), ["begun", `e ${ERRORS.noNode}`]);
  });

  test("with a wrong password a session is nobody's, and its owner keeps it", () => {
    const stage = new Stage();
    const [one, other] = followers(stage);
    const owner = new Guest(stage, [one]);
    owner.after(200);
    const { id } = owner.session.state.credentials;
    const thief = new Guest(stage, [other], { afterExpiry: "end" }, { id, password: new Uint8Array(16) });
    assert.deepEqual(thief.after(200), ["expired", "closed: its session has expired", "ended"]);
    assert.deepEqual(owner.ask("a", create("/a")).after(200), ["a 0"]);
  });

  test("who closes its session is told that it is over, on every server", () => {
    const stage = new Stage();
    const guest = new Guest(stage, [stage.leader]);
    guest.after(200);
    guest.session.close();
    assert.deepEqual(guest.after(200), ["closed: its session has ended", "ended, acknowledged"]);
    for (const tree of stage.trees.values()) assert.deepEqual([...tree.state.sessions.all()], []);
  });

  test("a server that wants no more for now gets it later: nothing is lost, and the order stays", () => {
    const stage = new Stage(milliseconds(50));
    const guest = new Guest(stage, [stage.leader]);
    guest.after(500);
    const tags = Array.from({ length: 3000 }, (_, index) => `${index}`);
    for (const [index, tag] of tags.entries()) {
      guest.ask(tag, { ...create("/s-", 2) });
      if (index % 100 === 0) stage.pass(1);
    }
    assert.deepEqual(
      guest.after(3000),
      tags.map((tag) => `${tag} 0`),
    );
  });

  test("much is answered, because what was said counts as written when its kernel has it", () => {
    const stage = new Stage();
    const guest = new Guest(stage, [stage.leader]);
    guest.ask("a", { ...create("/a"), data: new Uint8Array(100_000) } as ClientRequest).after(200);
    const tags = Array.from({ length: 300 }, (_, index) => `${index}`);
    for (const tag of tags) guest.ask(tag, { kind: "getData", path: "/a", watch: false });
    assert.deepEqual(
      guest.after(1000),
      tags.map((tag) => `${tag} 0`),
    );
  });
});
