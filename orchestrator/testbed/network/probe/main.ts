/**
 * The prober: opens a socket on every machine, and measures what it is asked. Between two lines of its
 * standard input it does nothing but measure, in loops of its own that never return to Node's event loop.
 */

import { readSync, writeSync } from "node:fs";
import { enterNamespace, ordinary, urgent } from "../libc.ts";
import { measureBandwidth } from "./bandwidth.ts";
import { measureHandshakes } from "./handshake.ts";
import { measureMulticast } from "./multicast.ts";
import { type Ends, measureOneWay } from "./one-way.ts";
import { openDatagram } from "./socket.ts";
import { type Finding, type ProberSettings, type Question, readQuestion } from "./survey.ts";

/** Below the ports that the kernel gives out by itself, and another one for each prober. */
const PORT = 20_000 + (process.pid % 10_000);

const { machines } = JSON.parse(process.argv[2] ?? "") as ProberSettings;
const enter = (machine: number): void => enterNamespace(machines[machine]?.namespace ?? "");
const addresses = machines.map(({ address }) => address);
// Opened when first asked: the engine gives the machines their addresses while this program starts.
let sockets: readonly number[] | null = null;

for (const line of lines()) {
  const question = readQuestion(line, machines.length);
  const finding: Finding = question.ok ? find(question.value) : { kind: "refused", reason: question.reason };
  writeSync(1, `${JSON.stringify(finding)}\n`);
}

function find(question: Question): Finding {
  // A prober that is preempted between reading the clock and sending would take its own delay for the
  // network's.
  if (question.kind === "bandwidth") ordinary();
  else urgent("observer");
  switch (question.kind) {
    case "one-way":
      return { kind: "one-way", ways: measureOneWay(ends(), question) };
    case "handshake":
      return { kind: "handshake", ways: measureHandshakes(addresses, PORT, question, enter) };
    case "bandwidth":
      return { kind: "bandwidth", perSecond: measureBandwidth(addresses, PORT, question, enter) };
    case "multicast":
      return { kind: "multicast", senders: measureMulticast(ends(), question, enter) };
    case "stop":
      return { kind: "stop" };
  }
}

function ends(): Ends {
  sockets ??= machines.map(({ address }, machine) => {
    enter(machine);
    return openDatagram(address, PORT);
  });
  return { sockets, addresses, port: PORT };
}

function* lines(): Generator<string> {
  const bytes = new Uint8Array(1 << 20);
  const decoder = new TextDecoder();
  let text = "";
  for (let count = readSync(0, bytes); count > 0; count = readSync(0, bytes)) {
    text += decoder.decode(bytes.subarray(0, count), { stream: true });
    const whole = text.split("\n");
    text = whole.pop() ?? "";
    yield* whole;
  }
}
