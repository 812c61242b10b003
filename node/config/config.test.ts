import assert from "node:assert/strict";
import { test } from "node:test";
import { electionOf, help, readConfig, sessionTimeouts, type Reading } from "./config.ts";
import { oracles } from "../oracle/catalog.ts";
import { SETTINGS } from "./settings.ts";

interface Given {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

const read = ({ args = [], env = {}, files = {} }: Given): Reading =>
  readConfig({
    arguments: args,
    environment: env,
    readFile(path) {
      const text = files[path];
      if (text === undefined) throw new Error("ENOENT: no such file or directory");
      return text;
    },
  });

function configOf(given: Given): Extract<Reading, { kind: "config" }> {
  const reading = read(given);
  assert.ok(reading.kind === "config", JSON.stringify(reading));
  return reading;
}

function problemsOf(given: Given): readonly string[] {
  const reading = read(given);
  assert.equal(reading.kind, "wrong");
  return reading.kind === "wrong" ? reading.problems : [];
}

const zoo = `
# as ZooKeeper's own sample, with three servers
tickTime=2000
initLimit=10
syncLimit = 5
dataDir=/var/lib/zookeeper
clientPort=2181
forceSync=no
jute.maxbuffer=4194304
autopurge.purgeInterval=1
4lw.commands.whitelist=ruok, srvr
server.1=zoo1:2888:3888
server.2=zoo2:2888:3888:participant
server.3=[fd00::3]:2888:3888;2183
`;
const files = { "zoo.cfg": zoo, "/var/lib/zookeeper/myid": "3\n", secret: "sixteen letters!\n" };

test("a zoo.cfg of ZooKeeper is understood, myid included", () => {
  const { config, warnings } = configOf({ args: ["zoo.cfg", "--secret-file", "secret"], files });
  assert.equal(config.id, 3);
  assert.equal(config.durability, "none");
  assert.equal(config.tickTime, 2_000_000);
  assert.deepEqual(config.fourLetterWords, ["ruok", "srvr"]);
  assert.deepEqual(
    [...config.servers],
    [
      [1, { host: "zoo1", port: 2888, electionPort: 3888, clientHost: null, clientPort: null }],
      [2, { host: "zoo2", port: 2888, electionPort: 3888, clientHost: null, clientPort: null }],
      [3, { host: "fd00::3", port: 2888, electionPort: 3888, clientHost: null, clientPort: 2183 }],
    ],
  );
  assert.equal(config.clientPort, 2181);
  assert.deepEqual(warnings, [
    "zoo.cfg:5: syncLimit has no effect here: say --heartbeat and --missed-heartbeats",
    "zoo.cfg:9: jute.maxbuffer has no effect here: a request has at most 1 MiB",
    "zoo.cfg:10: autopurge.purgeInterval has no effect here: what is not needed any more is removed at once",
  ]);
});

test("flags go before the environment, it before the file, that before what is usual", () => {
  const file = { "c.cfg": "clientPort=1\nheartbeat=1ms\nelectionTimeout=1ms\nid=1" };
  const env = { POLEBENCH_CLIENT_PORT: "2", POLEBENCH_HEARTBEAT: "2ms" };
  const { config } = configOf({ args: ["c.cfg", "--client-port", "3"], env, files: file });
  assert.equal(config.clientPort, 3);
  assert.equal(config.heartbeat, 2000);
  assert.equal(config.electionTimeout, 1000);
  assert.equal(String(config.missedHeartbeats), SETTINGS.missedHeartbeats.usual);
});

test("what can be told an election is told like everything else, and what is not said is its own", () => {
  const file = { "c.cfg": "knownDown=no\nid=1" };
  const { config } = configOf({ args: ["c.cfg", "--election-timeout=70ms"], files: file });
  const options = { electionTimeout: 70_000, knownDown: false, succession: false };
  const election = { name: "pole", options };
  assert.deepEqual(electionOf(config), election);
  assert.deepEqual(electionOf(configOf({ args: ["--known-down", "on"] }).config), {
    name: "pole",
    options: { electionTimeout: 200_000, knownDown: true, succession: false },
  });
  assert.match(help(), /--election-timeout time +how long an election waits .*\(pole\b[^)]*\) \(200ms\)\n/);
  assert.match(help(), /--known-down yes\|no +do not wait .*\(pole\b[^)]*\) \(yes\)\n/);
});

test("a client port in the server's own line counts when nothing else says one", () => {
  const lines = "server.1=a:1:2;2190\ndataDir=d";
  assert.equal(configOf({ args: ["z"], files: { z: lines, "d/myid": "1" } }).config.clientPort, 2190);
});

test("without any word about others, a server is alone and needs no number", () => {
  const { config } = configOf({});
  assert.equal(config.id, 1);
  assert.equal(config.servers.size, 0);
});

test("unknown keys and variables are named, each where it stands", () => {
  const { warnings } = configOf({
    args: ["z"],
    env: { POLEBENCH_CLIENTPORT: "1", HOME: "/" },
    files: { z: "tickTme=7\n" },
  });
  assert.deepEqual(warnings, ["environment: POLEBENCH_CLIENTPORT is not known", "z:1: tickTme is not known"]);
});

for (const [what, given, problem] of [
  [
    "a duration without sense",
    { args: ["--heartbeat=5x"] },
    '--heartbeat: "5x" should be a duration such as 50ms, 2s or 1m',
  ],
  [
    "a port out of range",
    { env: { POLEBENCH_CLIENT_PORT: "70000" } },
    'POLEBENCH_CLIENT_PORT: "70000" should be a whole number from 1 to 65535',
  ],
  [
    "an unknown oracle",
    { args: ["--oracle", "delphi"] },
    `--oracle: "delphi" should be one of ${Object.keys(oracles).join(", ")}`,
  ],
  [
    "a server line without ports",
    { args: ["z"], files: { z: "\nserver.2=zoo2\n" } },
    'z:2: server.2: "zoo2" should be host:port, or as in ZooKeeper host:port:electionPort;clientPort',
  ],
  [
    "an observer",
    { args: ["z"], files: { z: "server.2=a:1:2:observer\n" } },
    'z:1: server.2: "a:1:2:observer" should be of a server that votes, not of an observer',
  ],
  ["a line that says nothing", { args: ["z"], files: { z: "hello\n" } }, "z:1: write key=value, not hello"],
  ["an unknown flag", { args: ["--dataDir", "d"] }, "--dataDir: no such flag; --help lists them"],
  ["a flag without its value", { args: ["--oracle"] }, "--oracle: what? write --oracle name"],
  [
    "a number that is not of the ensemble",
    { args: ["--servers", "1=a:1,2=b:1", "--id", "3"] },
    "server 3 is not of the ensemble: 1, 2",
  ],
  [
    "a missing file",
    { args: ["no.cfg"] },
    "no.cfg: ENOENT: no such file or directory; name a zoo.cfg, or say everything with flags",
  ],
  [
    "a missing number",
    { args: ["--servers", "1=a:1"] },
    "data/myid: ENOENT: no such file or directory; write this server's number into it, or say --id",
  ],
] as const satisfies readonly (readonly [string, Given, string])[]) {
  test(`${what} is told in one line: what, where, what would be right`, () => {
    assert.deepEqual(problemsOf(given), [problem]);
  });
}

const others = "1=127.0.0.1:1,2=10.0.0.2:2888";
const strangers =
  "server.2=10.0.0.2:2888: strangers could speak for servers there; " +
  "give all servers the same --secret-file, or certificates, or loopback addresses";

for (const [what, args, problems] of [
  ["a port that everybody reaches", ["--id", "2"], [strangers]],
  [
    "the same with a part of a certificate",
    ["--id", "2", "--tls-cert", "c"],
    ["TLS between servers: --tls-cert, --tls-key and --tls-ca go together", strangers],
  ],
  ["the same with a secret", ["--id", "2", "--secret", "sixteen letters!"], []],
  ["the same with certificates", ["--id", "2", "--tls-cert", "c", "--tls-key", "k", "--tls-ca", "a"], []],
  ["a port on loopback", ["--id", "1"], []],
] as const) {
  test(`${what}, to other servers: ${problems.length === 0 ? "let be" : "refused"}`, () => {
    const reading = read({ args: ["--servers", others, ...args] });
    assert.deepEqual(reading.kind === "wrong" ? reading.problems : [], problems);
  });
}

for (const [what, args, refused] of [
  ["where they are when nobody says it", [], []],
  ["at an address of this machine's own", ["--admin-address", "::1", "--metrics-address", "127.0.0.9"], []],
  [
    "at addresses that everybody reaches",
    ["--admin-address", "0.0.0.0", "--metrics-address", "::"],
    ["--admin-address 0.0.0.0", "--metrics-address ::"],
  ],
  ["at such an address, with a token", ["--admin-address", "::", "--pages-token", "sixteen letters!"], []],
  ["at such an address, with a token's file", ["--admin-address", "::", "--pages-token-file", "secret"], []],
] as const) {
  test(`pages ${what}: ${refused.length === 0 ? "let be" : "refused"}`, () => {
    const reading = read({ args: ["--admin-server", "yes", "--metrics", "prometheus", ...args], files });
    const reason =
      ": strangers could read there who is connected and what is watched; say --pages-token-file, or a " +
      "loopback address";
    assert.deepEqual(
      reading.kind === "wrong" ? reading.problems : [],
      refused.map((place) => place + reason),
    );
  });
}

test("pages that are off may be called anything", () => {
  configOf({ args: ["--admin-address", "0.0.0.0", "--metrics-address", "::"] });
});

test("a secret is never repeated, however wrong it is", () => {
  const given = { files: { s: "hunter2\n" } };
  for (const name of ["secret", "pages-token"]) {
    assert.deepEqual(
      [
        ...problemsOf({ args: [`--${name}`, "hunter2"] }),
        ...problemsOf({ ...given, args: [`--${name}-file`, "s"] }),
      ],
      [
        `--${name}: what it says should be at least 16 characters, best random ones`,
        "s: what it holds should be at least 16 characters, best random ones",
      ],
    );
  }
});

test("a secret's file goes before the flag", () => {
  const given = { args: ["--secret-file", "secret", "--secret", "another with 16 letters"], files };
  assert.equal(configOf(given).config.secret, "sixteen letters!");
});

test("everything wrong is told at once", () => {
  assert.equal(problemsOf({ args: ["--heartbeat", "x", "--oracle", "x", "--nonsense"] }).length, 3);
});

test("help names every setting by its flag", () => {
  assert.equal(read({ args: ["zoo.cfg", "--help"] }).kind, "help");
  for (const flag of ["--id", "--servers", "--data-dir", "--missed-heartbeats", "--four-letter-words"]) {
    assert.ok(help().includes(`  ${flag} `), flag);
  }
});

test("every key of ZooKeeper's is obeyed, or named with the reason why not", () => {
  const obeyed = [
    "minSessionTimeout=1000",
    "maxSessionTimeout=90000",
    "skipACL=yes",
    "snapCount=5",
    "maxClientCnxns=7",
    "clientPortAddress=::1",
    "admin.enableServer=true",
    "admin.serverPort=8181",
    "admin.serverAddress=::1",
    "metricsProvider.className=org.apache.zookeeper.metrics.prometheus.PrometheusMetricsProvider",
    "metricsProvider.httpPort=7007",
    "metricsProvider.httpHost=::1",
  ];
  const { config, warnings } = configOf({ args: ["z"], files: { z: obeyed.join("\n") } });
  assert.deepEqual(warnings, []);
  assert.deepEqual(sessionTimeouts(config), { least: 1_000_000, most: 90_000_000 });
  const { skipAcl, snapCount, maxClientCnxns, clientPortAddress, adminServer, adminPort, metrics } = config;
  assert.deepEqual(
    [skipAcl, snapCount, maxClientCnxns, clientPortAddress, adminServer, adminPort, metrics],
    [true, 5, 7, "::1", true, 8181, "prometheus"],
  );

  const named = `syncLimit dataLogDir jute.maxbuffer autopurge.snapRetainCount quorumListenOnAllIPs peerType
    standaloneEnabled reconfigEnabled localSessionsEnabled localSessionsUpgradingEnabled electionAlg group.1
    ssl.quorum.keyStore.location sslQuorum secureClientPort portUnification authProvider.1 weight.1
    quorum.auth.enableSasl fsync.warningthresholdms serverCnxnFactory admin.commandURL
    metricsProvider.exportJvmInfo`.split(/\s+/);
  for (const key of named) {
    const [warning = "", ...more] = configOf({ args: ["z"], files: { z: `${key}=1` } }).warnings;
    assert.match(warning, /^z:1: .* has no effect here: ./, key);
    assert.deepEqual(more, []);
  }
});

test("sessions last between two and twenty ticks, if nothing else is said, and never less than that", () => {
  const usual = configOf({ args: ["--tick-time", "1s", "--min-session-timeout", "-1"] }).config;
  assert.deepEqual(sessionTimeouts(usual), { least: 2_000_000, most: 20_000_000 });
  assert.deepEqual(problemsOf({ args: ["--min-session-timeout", "9s", "--max-session-timeout", "8s"] }), [
    "minSessionTimeout: no session can last 9 s at least and 8 s at most",
  ]);
});

test("a port for pages that are off, as they are unless somebody wants them, is warned about", () => {
  const lines = "admin.serverPort=8081\nmetricsProvider.httpPort=7001";
  assert.deepEqual(configOf({ args: ["z"], files: { z: lines } }).warnings, [
    "z:1: admin.serverPort has no effect unless admin.enableServer=true (--admin-server yes)",
    "z:2: metricsProvider.httpPort has no effect unless there is a metricsProvider" +
      ".className (--metrics prometheus)",
  ]);
});

test("a dynamic file says who is in the ensemble, and may not go in circles", () => {
  const dynamic = "server.1=a:1:2:participant;2190\ndynamicConfigFile=z";
  const given = { z: "dataDir=d\ndynamicConfigFile=z.dynamic", "z.dynamic": dynamic, "d/myid": "1" };
  const { config } = configOf({ args: ["z"], files: given });
  const server = { host: "a", port: 1, electionPort: 2, clientHost: null, clientPort: 2190 };
  assert.deepEqual([...config.servers], [[1, server]]);
});
