/**
 * Sockets of other namespaces, opened through FFI: one process can hold one on every machine, so that all
 * its clocks are one clock. The kernel stamps what is received, so a measurement does not hold the reader's
 * own wake-up.
 */

import { addressOf, type Call, call, check, ppoll } from "../libc.ts";

const socket: Call<[family: number, kind: number, protocol: number]> = call(
  "int socket(int family, int kind, int protocol)",
);
const bind: Call<[fd: number, address: Uint8Array, length: number]> = call(
  "int bind(int fd, const void *address, unsigned int length)",
);
const listen: Call<[fd: number, backlog: number]> = call("int listen(int fd, int backlog)");
const connect: Call<[fd: number, address: Uint8Array, length: number]> = call(
  "int connect(int fd, const void *address, unsigned int length)",
);
const accept: Call<[fd: number, address: number, length: number, flags: number]> = call(
  "int accept4(int fd, uintptr_t address, uintptr_t length, int flags)",
);
const getOption: Call<
  [fd: number, level: number, name: number, value: Uint8Array | Int32Array, length: Int32Array]
> = call("int getsockopt(int fd, int level, int name, void *value, void *length)");
const setOption: Call<[fd: number, level: number, name: number, value: Int32Array, length: number]> = call(
  "int setsockopt(int fd, int level, int name, const void *value, unsigned int length)",
);
const sendTo: Call<
  [fd: number, bytes: number, count: number, flags: number, address: Uint8Array, length: number]
> = call(
  "long sendto(int fd, uintptr_t bytes, size_t count, int flags, const void *address, unsigned int length)",
);
const receiveMessage: Call<[fd: number, message: number, flags: number]> = call(
  "long recvmsg(int fd, uintptr_t message, int flags)",
);
const clockGetTime: Call<[clock: number, time: number]> = call(
  "int clock_gettime(int clock, uintptr_t time)",
);

const AF_INET = 2;
const SOCK_STREAM = 1;
const SOCK_DGRAM = 2;
const NONBLOCK_CLOEXEC = 0o2004000;
const SOL_SOCKET = 1;
const SO_SNDBUF = 7;
const SO_RCVBUF = 8;
const SO_TIMESTAMPNS = 35;
const IPPROTO_IP = 0;
const IP_ADD_MEMBERSHIP = 35;
const IPPROTO_TCP = 6;
const TCP_INFO = 11;
const CLOCK_REALTIME = 0;

/** A struct sockaddr_in. */
export function socketAddress(address: string, port: number): Uint8Array {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, AF_INET, true);
  view.setUint16(2, port, false);
  bytes.set(bytesOf(address), 4);
  return bytes;
}

const bytesOf = (address: string): readonly number[] => address.split(".").map(Number);

/** A UDP socket of this thread's namespace, whose messages the kernel stamps. */
export function openDatagram(address: string, port: number): number {
  const fd = check(socket(AF_INET, SOCK_DGRAM | NONBLOCK_CLOEXEC, 0), "a UDP socket");
  option(fd, SO_TIMESTAMPNS, 1);
  option(fd, SO_RCVBUF, 1 << 21);
  const at = socketAddress(address, port);
  check(bind(fd, at, at.length), `bind ${address}:${port}`);
  return fd;
}

/** A UDP socket that hears what is sent to a group, and nothing else. */
export function openMember(group: string, address: string, port: number): number {
  const fd = openDatagram(group, port);
  // struct ip_mreq: the group, and whose interface is to hear it.
  const membership = new Int32Array(Uint8Array.from([...bytesOf(group), ...bytesOf(address)]).buffer);
  check(setOption(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, membership, 8), `join ${group}`);
  return fd;
}

export function openListener(address: string, port: number): number {
  const fd = check(socket(AF_INET, SOCK_STREAM | NONBLOCK_CLOEXEC, 0), "a TCP socket");
  option(fd, 2, 1);
  const at = socketAddress(address, port);
  check(bind(fd, at, at.length), `bind ${address}:${port}`);
  check(listen(fd, 1024), `listen ${address}:${port}`);
  return fd;
}

/** A TCP connection that begins; `established` tells when it stands. */
export function openConnection(to: Uint8Array, buffers?: number): number {
  const fd = check(socket(AF_INET, SOCK_STREAM | NONBLOCK_CLOEXEC, 0), "a TCP socket");
  if (buffers !== undefined) option(fd, SO_SNDBUF, buffers);
  connect(fd, to, to.length);
  return fd;
}

export const acceptConnection = (listener: number): number => accept(listener, 0, 0, NONBLOCK_CLOEXEC);

function option(fd: number, name: number, value: number): void {
  const word = new Int32Array([value]);
  check(setOption(fd, SOL_SOCKET, name, word, 4), `socket option ${name}`);
}

const ESTABLISHED = 1;

/** The kernel's own measurement of a connection's round-trip time, in microseconds; null until it stands. */
export function establishedAfter(fd: number): number | null {
  const info = new Uint8Array(256);
  const length = new Int32Array([info.length]);
  check(getOption(fd, IPPROTO_TCP, TCP_INFO, info, length), "TCP_INFO");
  // struct tcp_info: tcpi_state is the first byte, tcpi_rtt the 16th of its 32-bit words after the first two.
  return info[0] === ESTABLISHED ? new DataView(info.buffer).getUint32(68, true) : null;
}

const time = new Uint32Array(4);
const timeAddress = addressOf(time);

/** Whole seconds are counted from here, so that a nanosecond still fits in a double. */
const origin = Math.floor(Date.now() / 1000);

/** Nanoseconds on the clock that stamps received messages. */
export function stampClock(): number {
  clockGetTime(CLOCK_REALTIME, timeAddress);
  return ((time[0] as number) - origin) * 1e9 + (time[2] as number);
}

export interface Received {
  /** Bytes of the message, 0 when there was none. */
  length: number;
  /** Nanoseconds, as `stampClock` counts. */
  stamp: number;
}

/** Sends and receives small messages without allocating. */
export class Mailbox {
  readonly bytes = new Uint8Array(2048);
  readonly words = new Uint32Array(this.bytes.buffer);
  readonly received: Received = { length: 0, stamp: 0 };
  readonly #address = addressOf(this.bytes);
  readonly #control = new Uint8Array(128);
  readonly #controlWords = new Uint32Array(this.#control.buffer);
  readonly #message = new Uint8Array(56);
  readonly #messageAddress = addressOf(this.#message);
  // The kernel sees the vector only through its address: the field keeps the collector away.
  readonly #vector = new BigUint64Array([BigInt(this.#address), BigInt(this.bytes.length)]);
  readonly #messageView = new DataView(this.#message.buffer);

  constructor() {
    // struct msghdr: name, name length, vector, its length, control, its length, flags.
    this.#messageView.setBigUint64(16, BigInt(addressOf(this.#vector)), true);
    this.#messageView.setBigUint64(24, 1n, true);
    this.#messageView.setBigUint64(32, BigInt(addressOf(this.#control)), true);
  }

  send(fd: number, length: number, to: Uint8Array): boolean {
    return sendTo(fd, this.#address, length, 0, to, to.length) === length;
  }

  /** The next message into `bytes`, and its stamp into `received`; false when there is none. */
  receive(fd: number): boolean {
    this.#messageView.setUint32(40, this.#control.length, true);
    this.received.length = Math.max(receiveMessage(fd, this.#messageAddress, 0), 0);
    if (this.received.length === 0) return false;
    // struct cmsghdr is 16 bytes (length, level, kind); a timespec follows.
    const second = (this.#controlWords[4] as number) - origin;
    this.received.stamp = second * 1e9 + (this.#controlWords[6] as number);
    return true;
  }
}

/** Waits until one of the descriptors is readable (or writable), at most so many microseconds. */
export class Waiter {
  readonly #polled: Int32Array;
  readonly #polledAddress: number;
  readonly #timeout = new Int32Array(4);
  readonly #timeoutAddress = addressOf(this.#timeout);
  readonly #count: number;

  constructor(descriptors: readonly number[], events = 1) {
    this.#count = descriptors.length;
    this.#polled = Int32Array.from(descriptors.flatMap((fd) => [fd, events]));
    this.#polledAddress = addressOf(this.#polled);
  }

  wait(microseconds: number): void {
    const bounded = Math.max(microseconds, 0);
    this.#timeout[0] = Math.floor(bounded / 1e6);
    this.#timeout[2] = Math.floor((bounded % 1e6) * 1000);
    ppoll(this.#polledAddress, this.#count, this.#timeoutAddress, 0);
  }

  /** Whether the descriptor of this index has anything to tell. */
  isReady(index: number): boolean {
    return (this.#polled[2 * index + 1] as number) >> 16 !== 0;
  }
}
