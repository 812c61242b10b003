// What somebody can try who reaches the port between servers, knows the protocol, and not the secret.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import net, { type Socket } from "node:net";
import os from "node:os";
import path from "node:path";
import { after, suite, type TestContext, test } from "node:test";
import type { ServerId } from "../../core/identity.ts";
import { probeCodec } from "../../testing/host/contract-probe.ts";
import type { Certificates } from "./certificates.ts";
import { decodeGreeting, encodeGreeting, encodeProof, type Introduction, NOTHING } from "./introduction.ts";
import type { Address } from "./link.ts";
import { keyFor, Prover } from "./proof.ts";
import { anyPort, one, Subject, three, two } from "../../testing/host/tcp-subject.ts";

const SECRET = "thirty-two letters or even more";
const knowing = (secret: string) => ({ protection: { key: keyFor(secret), tls: null } });

const listening = (t: TestContext, options: object = knowing(SECRET)): Promise<Subject> =>
  Subject.start(t, one, new Map([one, two, three].map((server) => [server, anyPort])), options);

const dialing = (t: TestContext, address: Address, options: object, self = two): Promise<Subject> =>
  Subject.start(
    t,
    self,
    new Map([
      [one, address],
      [self, anyPort],
    ]),
    options,
  );

const says = (self: ServerId, change: Partial<Introduction> = {}): Introduction => ({
  from: self,
  to: one,
  channel: "control",
  life: 7,
  attempt: 1,
  cluster: "test",
  challenge: Buffer.alloc(32, 5),
  proof: NOTHING,
  ...change,
});

/** Somebody with a socket of its own. */
class Stranger {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  heard = Buffer.alloc(0);
  #changed = Promise.withResolvers<void>();

  constructor(t: TestContext, address: Address) {
    this.socket = net.connect(address).on("error", () => {});
    this.socket.on("data", (bytes) => {
      this.heard = Buffer.concat([this.heard, bytes]);
      this.#changed.resolve();
      this.#changed = Promise.withResolvers();
    });
    this.closed = new Promise((resolve) => this.socket.once("close", () => resolve()));
    t.after(() => this.socket.destroy());
  }

  async frame(): Promise<Buffer> {
    while (this.heard.length < 4 || this.heard.length < 4 + this.heard.readUInt32BE()) {
      await this.#changed.promise;
    }
    return this.heard.subarray(4, 4 + this.heard.readUInt32BE());
  }

  async greeting(): Promise<Introduction> {
    const greeting = decodeGreeting(await this.frame());
    return greeting.ok ? greeting.value : assert.fail(greeting.reason);
  }
}

const forgedVote = probeCodec.encode({ channel: "control", number: 666, padding: 0 });

suite("whoever knows the secret", () => {
  test("is let in", async (t) => {
    const first = await listening(t);
    const second = await dialing(t, first.address, knowing(SECRET));
    await second.until(() => second.isConnected());
    await first.until(() => first.isConnected());
  });
});

suite("a stranger who knows the protocol and not the secret", () => {
  for (const [what, options, outside] of [
    [
      "joins without a secret",
      {},
      "the other side says: the other side has no secret, and this ensemble has one",
    ],
    ["joins with a guess", knowing("perhaps it is that one"), "whoever answers does not know the secret"],
  ] as const) {
    test(`${what}, and is not let in`, async (t) => {
      const first = await listening(t);
      const stranger = await dialing(t, first.address, options);
      await stranger.until(() => stranger.reasons("failing").length > 0);
      await first.until(() => first.reasons("refused").length > 0);
      assert.equal(stranger.reasons("failing")[0], outside);
      assert.ok(!first.isConnected() && !stranger.isConnected());
    });
  }

  test("forges a proof, and is told so", async (t) => {
    const first = await listening(t);
    const stranger = new Stranger(t, first.address);
    stranger.socket.write(encodeGreeting(says(two)));
    await stranger.greeting();
    stranger.socket.write(encodeProof(Buffer.alloc(32, 1)));
    await stranger.closed;
    assert.deepEqual(first.reasons("refused"), ["who calls itself server 2 does not know the secret"]);
  });

  test("replays a handshake that it has recorded: the challenge is another", async (t) => {
    const first = await listening(t);
    const recorded: Buffer[][] = [];
    const relay = net.createServer((near) => {
      const record: Buffer[] = [];
      recorded.push(record);
      const far = net.connect(first.address);
      near.on("data", (bytes) => {
        record.push(bytes);
        far.write(bytes);
      });
      far.on("data", (bytes) => near.write(bytes));
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        socket.on("error", () => {}).on("close", () => other.destroy());
      }
    });
    await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
    t.after(() => relay.close());
    const { port } = relay.address() as net.AddressInfo;
    const second = await dialing(t, { ...anyPort, port }, knowing(SECRET));
    await first.until(() => first.isConnected());
    await second.host.stop(true);
    await first.until(() => first.reasons("unreachable").length > 0);
    const inputs = first.inputs.filter(({ kind }) => kind === "connected").length;
    assert.equal(recorded.length, 2);
    for (const record of recorded) {
      const replay = new Stranger(t, first.address);
      replay.socket.write(Buffer.concat(record));
      await replay.closed;
    }
    assert.deepEqual(
      first.reasons("refused"),
      Array.from({ length: 2 }, () => "who calls itself server 2 does not know the secret"),
    );
    assert.equal(first.inputs.filter(({ kind }) => kind === "connected").length, inputs);
  });

  test("sends back the proof that it was shown: it is for the other direction", async (t) => {
    const first = await listening(t);
    const stranger = new Stranger(t, first.address);
    stranger.socket.write(encodeGreeting(says(two)));
    const { proof } = await stranger.greeting();
    stranger.socket.write(encodeProof(proof));
    await stranger.closed;
    assert.deepEqual(first.reasons("refused"), ["who calls itself server 2 does not know the secret"]);
  });

  test("takes a proof to another server, channel, cluster or life: it holds nowhere else", () => {
    const prover = new Prover(keyFor(SECRET));
    const challenge = prover.challenge();
    const greeting = says(two, { challenge: prover.challenge() });
    const proof = prover.prove("dialer", greeting, challenge);
    assert.ok(prover.holds(proof, "dialer", greeting, challenge));
    assert.ok(!prover.holds(proof, "listener", greeting, challenge));
    assert.ok(!prover.holds(proof, "dialer", greeting, prover.challenge()));
    for (const change of [
      { from: three },
      { to: three },
      { channel: "bulk" },
      { cluster: "other" },
      { life: 8 },
      { attempt: 2 },
      { challenge: prover.challenge() },
    ] as const) {
      assert.ok(
        !prover.holds(proof, "dialer", { ...greeting, ...change }, challenge),
        JSON.stringify(change),
      );
    }
    assert.ok(!new Prover(keyFor(`${SECRET}!`)).holds(proof, "dialer", greeting, challenge));
  });

  test("asks for less: an empty challenge, a short one, the version before, no proof at all", async (t) => {
    const first = await listening(t);
    const older = encodeGreeting(says(two));
    older[10] = 1;
    for (const attempt of [
      encodeGreeting(says(two, { challenge: NOTHING })),
      encodeGreeting(says(two, { challenge: Buffer.alloc(1) })),
      older,
      Buffer.concat([encodeGreeting(says(two)), encodeProof(NOTHING)]),
      Buffer.concat([encodeGreeting(says(two)), encodeGreeting(says(two))]),
    ]) {
      const stranger = new Stranger(t, first.address);
      stranger.socket.write(attempt);
      await stranger.closed;
    }
    assert.equal(first.reasons("refused").length, 5);
    assert.ok(!first.isConnected());
  });

  test("stands where a server was: who dials it notices, whatever it answers", async (t) => {
    const answers = [NOTHING, Buffer.alloc(32, 1)];
    const trap = net.createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", (bytes) => {
        const said = decodeGreeting(bytes.subarray(4));
        if (!said.ok) return;
        const { value: greeting } = said;
        const proof = answers[greeting.attempt % 2] ?? NOTHING;
        const challenge = greeting.attempt % 2 === 0 ? NOTHING : greeting.challenge;
        socket.write(encodeGreeting({ ...greeting, from: one, to: two, challenge, proof }));
      });
    });
    await new Promise<void>((resolve) => trap.listen(0, "127.0.0.1", resolve));
    t.after(() => trap.close());
    const { port } = trap.address() as net.AddressInfo;
    const second = await dialing(t, { ...anyPort, port }, knowing(SECRET));
    await second.until(() => second.reasons("failing").length > 1);
    assert.deepEqual(second.reasons("failing").slice(0, 2), [
      "whoever answers does not know the secret",
      "the other side has no secret, and this ensemble has one",
    ]);
    assert.ok(!second.isConnected());
    await second.host.stop(true);
  });

  test("casts votes without being let in: none arrives, and the link it speaks for stays", async (t) => {
    const first = await listening(t);
    const second = await dialing(t, first.address, knowing(SECRET));
    await first.until(() => first.isConnected());
    for (const channel of ["control", "bulk"] as const) {
      const stranger = new Stranger(t, first.address);
      stranger.socket.write(Buffer.concat([encodeGreeting(says(two, { channel })), forgedVote, forgedVote]));
      await stranger.closed;
    }
    assert.equal(first.reasons("refused").length, 2);
    assert.deepEqual(first.reasons("unreachable"), []);
    assert.ok(!first.inputs.some(({ kind }) => kind === "message"));
    second.host.request([
      { kind: "send", to: [one], message: { channel: "control", number: 1, padding: 0 } },
    ]);
    await first.until(() => first.inputs.some(({ kind }) => kind === "message"));
  });

  test("says too much: a greeting or a proof of a megabyte is not waited for", async (t) => {
    const first = await listening(t);
    const long = Buffer.alloc(4);
    long.writeUInt32BE(1 << 20);
    for (const prefix of [NOTHING, encodeGreeting(says(two))]) {
      const stranger = new Stranger(t, first.address);
      stranger.socket.write(Buffer.concat([prefix, long]));
      await stranger.closed;
    }
    assert.deepEqual(first.reasons("refused"), ["not a server of this kind", "not a server of this kind"]);
  });
});

suite("with certificates", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "polebench-certificates-"));
  after(() => fs.rmSync(folder, { recursive: true }));
  /** A certificate that vouches for itself: its own authority, and nobody else's. */
  const made = (name: string): Certificates => {
    const [key, cert] = [path.join(folder, `${name}.key`), path.join(folder, `${name}.crt`)];
    const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    execFileSync("openssl", [...request, "-keyout", key, "-out", cert, "-subj", `/CN=${name}`], {
      stdio: "ignore",
    });
    const pem = fs.readFileSync(cert, "utf8");
    return { key: fs.readFileSync(key, "utf8"), cert: pem, ca: pem };
  };
  const ours = made("ours");
  const theirs = made("theirs");
  const showing = (tls: Certificates) => ({ protection: { key: null, tls } });

  test("servers of one authority find each other, and frames pass", async (t) => {
    const first = await listening(t, showing(ours));
    const second = await dialing(t, first.address, showing(ours));
    await second.until(() => second.isConnected());
    second.host.request([{ kind: "send", to: [one], message: { channel: "bulk", number: 1, padding: 9 } }]);
    await first.until(() => first.inputs.some(({ kind }) => kind === "message"));
  });

  for (const [what, options] of [
    ["a certificate of another authority", showing({ ...theirs, ca: ours.ca })],
    ["no certificate", {}],
    ["the secret alone", knowing(SECRET)],
  ] as const) {
    test(`who comes with ${what} is not let in`, async (t) => {
      const first = await listening(t, showing(ours));
      const stranger = await dialing(t, first.address, options);
      await first.until(() => first.reasons("refused").length > 0);
      await stranger.until(() => stranger.reasons("failing").length > 0);
      assert.ok(!first.isConnected() && !stranger.isConnected());
    });
  }

  test("who answers with a certificate of another authority is not taken for a server", async (t) => {
    const first = await listening(t, showing({ ...theirs, ca: ours.ca }));
    const second = await dialing(t, first.address, showing(ours));
    await second.until(() => second.reasons("failing").length > 0);
    assert.ok(!first.isConnected() && !second.isConnected());
  });
});
