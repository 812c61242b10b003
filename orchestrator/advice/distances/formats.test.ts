// lane: works, 1 s
// Distances as people have them, each way of writing them down by an example of what its tool prints.
import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { RefusedInput } from "../../terminal/problem.ts";
import { foundIn } from "./formats.ts";
import type { Unit } from "./measured.ts";

const read = (text: string, from: string | null = null, unit: Unit | null = null) =>
  foundIn(text, "f", { unit, from }).measured.map(
    (one) => `${one.from} ${one.to} ${Number(one.rttMs.toFixed(4))}`,
  );

const refusal = (text: string, from: string | null = null): string => {
  try {
    read(text, from);
  } catch (error) {
    assert.ok(error instanceof RefusedInput);
    assert.equal(error.exitCode, 64);
    return error.message;
  }
  return assert.fail("it was taken");
};

const BOTH = ["fra iad 91.2", "iad fra 91.4"];

suite("a matrix", () => {
  const written: Record<string, string> = {
    commas: ",fra,iad\nfra,,91.2\niad,91.4,\n",
    "semicolons and quotes": '"";"fra";"iad"\n"fra";"0";"91.2"\n"iad";"91.4";"0"\n',
    tabs: "site\tfra\tiad\r\nfra\t-\t91.2ms\r\niad\t91.4ms\t-\r\n",
    "bars, as of Markdown": "| | fra | iad |\n|---|---:|---:|\n| fra | - | 91.2ms |\n| iad | 91.4ms | - |\n",
    "the rules of a terminal":
      "     | fra    | iad\n-----+--------+-------\n fra | —      | 91.2ms\n iad | 0.0914s | —\n",
    blanks: "      fra   iad\nfra   -     91.2\niad   91.4  -\n",
    "blanks under a corner": "from  fra   iad\nfra   n/a   91.2\niad   91.4  n/a\n",
    "microseconds with their unit": ",fra,iad\nfra,,91200us\niad,91400µs,\n",
    "remarks and empty lines": "# by the console\n\n,fra,iad\n\nfra,,91.2\niad,91.4,\n",
  };
  for (const [what, text] of Object.entries(written)) test(what, () => assert.deepEqual(read(text), BOTH));

  test("numbers without a unit are of the one that was said", () => {
    assert.deepEqual(read(",fra,iad\nfra,,0.0912\niad,0.0914,\n", null, "s"), BOTH);
    assert.deepEqual(read(",fra,iad\nfra,,91.2ms\niad,91400,\n", null, "us"), BOTH);
  });

  test("what is wrong in it is told by line and column", () => {
    assert.equal(refusal(",a,b\na,,x\nb,,\n"), 'f:2:4: "x" is no round-trip time');
    assert.equal(refusal(",a,b\nc,1,2\na,,2\n"), 'f:2:1: "c" is not one of the columns: a, b');
    assert.equal(refusal(",a,a\na,,2\n"), "f:1:1: a names two columns");
    assert.equal(refusal(",a,b\na,,2\na,,3\n"), "f:1:1: a names two rows");
    assert.equal(refusal(",a,b\na,,2,5\n"), "f:2:1: a has 3 values for 2 columns");
    assert.match(
      refusal(",a,b\na,,-\nb,-,\n"),
      /^f:1:1: it is a matrix: .*, but nothing was measured in it$/,
    );
  });
});

suite("a list", () => {
  test("the unit is the column's", () => {
    assert.deepEqual(read("from,to,rtt_ms\nfra,iad,91.2\niad,fra,91.4\n"), BOTH);
    assert.deepEqual(read("Source Region;Target Region;Latency (s)\nfra;iad;0.0912\niad;fra;0.0914\n"), BOTH);
    assert.deepEqual(read("src\tdst\tp50\nfra\tiad\t91.2\n\niad\tfra\t91400us\n"), BOTH);
  });

  test("what is wrong in it is told by line", () => {
    assert.equal(refusal("from,to,rtt\nfra,iad,fast\n"), 'f:2:1: "fast" is no round-trip time');
    assert.equal(refusal("from,to,rtt\nfra,,9\n"), "f:2:1: it does not say between whom");
  });
});

suite("ping", () => {
  const LINUX = `PING iad.example.net (192.0.2.7) 56(84) bytes of data.
64 bytes from iad.example.net (192.0.2.7): icmp_seq=1 ttl=55 time=90.9 ms

--- iad.example.net ping statistics ---
2 packets transmitted, 2 received, 0% packet loss, time 1001ms
rtt min/avg/max/mdev = 90.900/91.200/91.500/0.300 ms
`;
  const MAC = `PING fra (192.0.2.1): 56 data bytes
round-trip min/avg/max/stddev = 90.0/91.4/93.0/0.8 ms
`;

  test("the file's name says from where", () => {
    assert.deepEqual(read(LINUX, "fra"), ["fra iad 91.2"]);
  });

  test("or a line before, or the prompt", () => {
    assert.deepEqual(read(`# fra\n${LINUX}# iad\n${MAC}`), BOTH);
    assert.deepEqual(read(`==> fra.log <==\n${LINUX}\n==> iad.log <==\n${MAC}`), BOTH);
    assert.deepEqual(
      read(`root@fra:~# ping -c 2 iad.example.net\n${LINUX}[me@iad ~]$ ping fra\n${MAC}`),
      BOTH,
    );
  });

  test("fping tells all in a line each", () => {
    const text =
      "iad.example.net : xmt/rcv/%loss = 10/10/0%, min/avg/max = 90.9/91.2/92.0\n" +
      "nrt : xmt/rcv/%loss = 10/9/10%, min/avg/max = 232/233/236\n";
    assert.deepEqual(read(text, "fra"), ["fra iad 91.2", "fra nrt 233"]);
  });

  test("who was interrupted is told by his replies, and who got none is told", () => {
    const replies =
      "PING iad (192.0.2.7) 56(84) bytes of data.\n64 bytes: time=90 ms\n64 bytes: time=92 ms\n";
    assert.deepEqual(read(replies, "fra"), ["fra iad 91"]);
    assert.equal(refusal("PING iad (192.0.2.7) 56(84) bytes of data.\n", "fra"), "f:1:1: iad did not answer");
    assert.equal(refusal("iad : xmt/rcv/%loss = 3/0/100%\n", "fra"), "f:1:1: iad did not answer");
  });

  test("from nowhere is refused", () => {
    assert.match(
      refusal(LINUX),
      /^f:1:1: nothing says from where iad\.example\.net was asked: name the file after/,
    );
  });
});

suite("metrics", () => {
  test("of a prober, in the unit of their name", () => {
    const text = `# HELP probe_rtt_seconds Round trip.
# TYPE probe_rtt_seconds gauge
probe_rtt_seconds{source="fra",target="iad.example.net"} 0.0912
probe_rtt_seconds{source="iad",target="fra",job="mesh"} 9.14e-2 1700000000000
probe_rtt_seconds{source="iad",target="iad"} 0.0001
up{instance="fra:9100"} 1
`;
    assert.deepEqual(read(text), BOTH);
    assert.deepEqual(read('mesh_latency_ms{src="fra",dst="iad"} => 91.2 @[1700000000]\n'), ["fra iad 91.2"]);
  });

  test("of etcd's histogram the mean", () => {
    const name = "etcd_network_peer_round_trip_time_seconds";
    const text = `${name}_bucket{To="iad",le="0.1"} 3
${name}_sum{To="iad"} 912
${name}_count{To="iad"} 10000
`;
    assert.deepEqual(read(text, "fra"), ["fra iad 91.2"]);
    assert.match(
      refusal(text.replace(/.*count.*\n/, ""), "fra"),
      /^f:2:1: there is no count of what was measured/,
    );
  });

  test("without a unit, or an end, they are refused", () => {
    assert.match(refusal('rtt{source="a",target="b"} 5\n'), /^f:1:1: rtt does not say its unit; say --unit/);
    assert.match(refusal('rtt_ms{target="b"} 5\n'), /^f:1:1: it does not say from where: a label such as/);
    assert.match(refusal('up{job="x"} 1\n'), /but nothing was measured in it$/);
  });
});

suite("clocks", () => {
  test("chrony's sources", () => {
    const text = `Remote address  : iad.example (C0000207)
Remote port     : 123
Peer delay      : 0.091200000 seconds
Peer dispersion : 0.000001017 seconds

Remote address  : nrt (C0000208)
Peer delay      : 0.233000000 seconds
`;
    assert.deepEqual(read(text, "fra"), ["fra iad 91.2", "fra nrt 233"]);
    assert.match(refusal(text), /^f:3:1: nothing says whose clock it is: name the file after the place/);
  });

  test("ntpq's peers", () => {
    const text = `     remote           refid      st t when poll reach   delay   offset  jitter
==============================================================================
*iad.example     .GPS.            1 u   12   64  377   91.200   -0.010   0.020
+nrt             192.0.2.9        2 u   40   64  377  233.000    0.100   0.500
 gone            .INIT.          16 u    -   64    0    0.000    0.000   0.000
`;
    assert.deepEqual(read(text, "fra"), ["fra iad 91.2", "fra nrt 233"]);
  });
});

test("what nobody understands is told what is understood", () => {
  assert.match(refusal("hello\n"), /^f:1:1: no distances are recognised; understood are logs of ping/);
  assert.match(refusal(""), /^f:1:1: no distances are recognised/);
});
