/**
 * The packet plane: a process of its own that carries every packet between the machines of a testbed, for
 * kernels that cannot delay packets themselves.
 *
 *   machine p1: TUN device --read--> [way p1->p4: lost? due when?] --agenda--write--> TUN device :machine p4
 *
 * One loop: deliver what is due, sleep until the next thing is due or something arrives, read it (pace.ts
 * says how long). The loop never returns to Node's own event loop, so the control channel is read here too
 * (control.ts).
 */

import { execFileSync } from "node:child_process";
import { writeSync } from "node:fs";
import { CommandReader } from "./command-reading.ts";
import { type Answer, type Command, type PlaneReport, type PlaneSettings, shapeOffWire } from "./control.ts";
import { Forwarding } from "./forwarding.ts";
import { addressOf, enterNamespace, ppoll, read, urgent } from "../libc.ts";
import { Pace } from "./pace.ts";
import { openTun } from "./tun.ts";

/** What every machine's device is called. */
const DEVICE = "wan0";
/**
 * Packets that wait in a device's queue until the plane reads them; 500, the kernel's default, loses most of
 * a burst.
 */
const DEVICE_QUEUE = 10_000;
const CONTROL = 0;
const POLLIN = 1;
const POLLHUP = 16;

const settings = JSON.parse(process.argv[2] ?? "") as PlaneSettings;
const forwarding = new Forwarding(settings);
const devices: { readonly fd: number; readonly machine: number }[] = [];
const scheduling = urgent("carrier");
const pace = new Pace(settings.precise);
const started = clock();
let rounds = 0;
let isOpen = true;

const commands = new CommandReader(settings.machines);

const controlBytes = new Uint8Array(1 << 20);
const controlAddress = addressOf(controlBytes);
const timeout = new Int32Array(4);
const timeoutAddress = addressOf(timeout);
// struct pollfd is { int fd; short events; short revents }: two 32-bit words, the second for both shorts.
const polled = new Int32Array(2 * (settings.machines + 1));
const polledAddress = addressOf(polled);
polled[0] = CONTROL;
polled[1] = POLLIN;

while (isOpen) {
  forwarding.deliver(clock(), pace.lead);
  if (pace.nap > 0) sleep(0, Math.min(pace.nap, pace.wakeAt(forwarding.nextDue) - clock()));
  const since = clock();
  const target = pace.wakeAt(forwarding.nextDue);
  const ready = sleep(devices.length + 1, target - since);
  pace.woke(since, target, clock(), ready > 0);
  rounds += 1;
  if (ready > 0) collect();
}

function collect(): void {
  const before = forwarding.collected;
  for (let index = 0; index < devices.length; index++) {
    const device = devices[index] as (typeof devices)[number];
    if (returned(index + 1) !== 0) forwarding.collect(device.machine, pace.arrived);
  }
  pace.collected(forwarding.collected - before);
  if (returned(0) !== 0) obey();
}

/** Microseconds on the monotonic clock. */
function clock(): number {
  return performance.now() * 1000;
}

/**
 * Until one of the first so many descriptors has something to tell, or `most` microseconds have passed; how
 * many have.
 */
function sleep(descriptors: number, most: number): number {
  // An hour stands for ever.
  const bounded = Math.min(Math.max(most, 0), 3.6e9);
  timeout[0] = Math.floor(bounded / 1e6);
  timeout[2] = Math.floor((bounded % 1e6) * 1000);
  return ppoll(polledAddress, descriptors, timeoutAddress, 0);
}

function returned(index: number): number {
  return (polled[2 * index + 1] as number) >> 16;
}

function obey(): void {
  const count = read(CONTROL, controlAddress, controlBytes.length);
  if (count <= 0 && (returned(0) & (POLLIN | POLLHUP)) !== 0) isOpen = false;
  for (const command of commands.take(controlBytes.subarray(0, Math.max(count, 0)))) {
    answer(command.ok ? perform(command.value) : { ok: false, reason: command.reason });
  }
}

function answer(given: Answer): void {
  writeSync(1, `${JSON.stringify(given)}\n`);
}

function perform(command: Command): Answer {
  switch (command.kind) {
    case "attach":
      return attach(command);
    case "shape":
      forwarding.shape(command.from, command.to, shapeOffWire(command.shape));
      return { ok: true };
    case "cut": {
      const way = forwarding.way(command.from, command.to);
      way.isCut = true;
      if (command.inFlight === "drop") way.generation += 1;
      return { ok: true };
    }
    case "heal":
      forwarding.way(command.from, command.to).isCut = false;
      return { ok: true };
    case "forget":
      forwarding.forget(command.from, command.to, command.which, clock());
      return { ok: true };
    case "compensate":
      forwarding.compensation = command.microseconds;
      return { ok: true };
    case "report":
      return { ok: true, report: report() };
  }
}

function attach({ machine, namespace, address }: Command & { kind: "attach" }): Answer {
  try {
    enterNamespace(namespace);
    const fd = openTun(DEVICE);
    const script = [
      `address add ${address}/16 dev ${DEVICE}`,
      `link set dev ${DEVICE} mtu ${settings.mtu} txqueuelen ${DEVICE_QUEUE} up`,
      `route add 224.0.0.0/4 dev ${DEVICE}`,
    ];
    execFileSync("ip", ["-batch", "-"], { input: `${script.join("\n")}\n`, stdio: "pipe" });
    forwarding.attach(machine, fd);
    const known = devices.findIndex((device) => device.machine === machine);
    const index = known < 0 ? devices.length : known;
    devices[index] = { fd, machine };
    polled[2 * (index + 1)] = fd;
    polled[2 * (index + 1) + 1] = POLLIN;
    return { ok: true };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

function report(): PlaneReport {
  const { user, system } = process.cpuUsage();
  const ways: PlaneReport["ways"][number][] = [];
  for (let from = 0; from < settings.machines; from++) {
    for (let to = 0; to < settings.machines; to++) {
      const { counters } = forwarding.way(from, to);
      if (counters.entered > 0) ways.push({ from, to, ...counters });
    }
  }
  return {
    scheduling,
    elapsed: (clock() - started) / 1e6,
    processor: (user + system) / 1e6,
    delivered: forwarding.delivered,
    late: forwarding.late,
    veryLate: forwarding.veryLate,
    latest: forwarding.latest,
    unroutable: forwarding.unroutable,
    rounds,
    ways,
  };
}
