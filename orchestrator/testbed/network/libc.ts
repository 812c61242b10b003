/**
 * The few system calls that the plane and the probes live on, through FFI: Node offers none of them, and its
 * event loop waits in whole milliseconds. On the hot path buffers are handed over as addresses, so that no
 * call allocates; whoever does so holds the buffer in a field, because an address alone keeps nothing alive.
 */

import koffi from "koffi";

const libc = koffi.load(null);

export type Call<Arguments extends unknown[]> = (...args: Arguments) => number;
export const call = <Arguments extends unknown[]>(declaration: string): Call<Arguments> =>
  libc.func(declaration) as Call<Arguments>;

export const open: Call<[path: string, flags: number]> = call("int open(const char *path, int flags)");
export const close: Call<[fd: number]> = call("int close(int fd)");
export const read: Call<[fd: number, address: number, count: number]> = call(
  "long read(int fd, uintptr_t address, size_t count)",
);
export const write: Call<[fd: number, address: number, count: number]> = call(
  "long write(int fd, uintptr_t address, size_t count)",
);
export const ppoll: Call<[fds: number, count: number, timeout: number, mask: number]> = call(
  "int ppoll(uintptr_t fds, unsigned long count, uintptr_t timeout, uintptr_t mask)",
);
const setns: Call<[fd: number, kind: number]> = call("int setns(int fd, int kind)");
const unshare: Call<[flags: number]> = call("int unshare(int flags)");
export const ioctl: Call<[fd: number, request: number, argument: number]> = call(
  "int ioctl(int fd, unsigned long request, uintptr_t argument)",
);
export const ioctlWith: Call<[fd: number, request: number, argument: Uint8Array]> = call(
  "int ioctl(int fd, unsigned long request, void *argument)",
);
const prctl: Call<[option: number, value: number]> = call("int prctl(int option, unsigned long value)");
const setScheduler: Call<[pid: number, policy: number, parameter: Int32Array]> = call(
  "int sched_setscheduler(int pid, int policy, const void *parameter)",
);
const setAttributes: Call<[number: number, pid: number, attributes: Uint8Array, flags: number]> = call(
  "long syscall(long number, long pid, const void *attributes, long flags)",
);

export const addressOf = (bytes: ArrayBufferView): number => Number(koffi.address(bytes));

export const O_RDWR = 2;
export const O_NONBLOCK = 0o4000;
export const O_CLOEXEC = 0o2000000;
const CLONE_NEWNET = 0x40000000;

export function check(result: number, what: string): number {
  if (result < 0) throw new Error(`${what}: ${errorName(koffi.errno())}`);
  return result;
}

function errorName(number: number): string {
  const { errno } = koffi.os;
  return Object.entries(errno).find(([, value]) => value === number)?.[0] ?? `errno ${number}`;
}

/**
 * Takes this thread into the network namespace that `path` names. Without root there is no way back to the
 * host's.
 */
export function enterNamespace(path: string): void {
  const namespace = check(open(path, O_CLOEXEC), path);
  const result = setns(namespace, CLONE_NEWNET);
  close(namespace);
  check(result, `setns ${path}`);
}

/** A new network namespace, as a descriptor that keeps it alive. This thread stays in it. */
export function newNamespace(): number {
  check(unshare(CLONE_NEWNET), "unshare a network namespace");
  return check(open("/proc/thread-self/ns/net", O_CLOEXEC), "the new network namespace");
}

const PR_SET_TIMERSLACK = 29;
const SCHED_FIFO = 1;
const SCHED_RESET_ON_FORK = 0x40000000;
/** Servers and clients of a trial run in real time too, with the least priority of that kind. */
const ABOVE_WHAT_IS_MEASURED = 2;
const SCHED_SETATTR: Readonly<Record<string, number>> = { x64: 314, arm64: 274 };

/**
 * The kernel wakes an ordinary process up to 50 us late to save power, and later still when others compute.
 * As root the plane therefore runs as a real-time thread (p99 under load 45 to 225 us instead of 2 to 4 ms);
 * without root it asks for a short slice, which lets it preempt sooner. Who carries goes before who only
 * observes.
 */
export function urgent(rank: "carrier" | "observer"): "fifo" | "short slice" | "ordinary" {
  prctl(PR_SET_TIMERSLACK, 1);
  const priority = new Int32Array([ABOVE_WHAT_IS_MEASURED + (rank === "carrier" ? 1 : 0)]);
  if (setScheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, priority) === 0) return "fifo";
  const attributes = new Uint8Array(48);
  const view = new DataView(attributes.buffer);
  view.setUint32(0, attributes.length, true);
  view.setBigUint64(24, 100_000n, true);
  const number = SCHED_SETATTR[process.arch] ?? -1;
  return setAttributes(number, 0, attributes, 0) === 0 ? "short slice" : "ordinary";
}

/** Back among the others, for what takes all the time it can get. */
export function ordinary(): void {
  setScheduler(0, 0, new Int32Array([0]));
}

/**
 * Node's flags for a real-time thread. V8 without its helper threads: they are ordinary threads, and whenever
 * the real-time one waits for a lock of theirs it waits like an ordinary one (67 ms were seen beside 17
 * others). And without its slowest compiler: it stalls the only thread for two milliseconds to make faster
 * what takes a seventh of the time. And with room for ten seconds of short-lived numbers: each collection
 * stops the thread for a quarter of a millisecond, and there were three a second.
 */
export const ALONE = ["--single-threaded", "--no-opt", "--min-semi-space-size=32"];
