/**
 * Ports for servers that somebody is yet to start. Nobody else takes them in the meantime: they lie below
 * those that the kernel gives to whoever asks for any, each process looks from a place of its own on, and
 * none is named twice.
 */

import { readFileSync } from "node:fs";
import { createServer } from "node:net";

const HOST = "127.0.0.1";
/** Above what services are known by, and below what Linux gives away unless it was told otherwise. */
const FIRST = 10_000;
const KERNELS_FIRST = 32_768;
/** More than one process looks at, so that two that began after each other do not meet. */
const EACH = 64;

const end = Math.max(kernelsFirst(), FIRST + 100 * EACH);
let next = FIRST + ((process.pid * EACH) % (end - FIRST));

export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let looked = 0; ports.length < count; looked++) {
    if (looked === end - FIRST) throw new Error(`no free ports between ${FIRST} and ${end} on ${HOST}`);
    const port = next;
    next = port + 1 === end ? FIRST : port + 1;
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, HOST, () => server.close(() => resolve(true)));
  });
}

function kernelsFirst(): number {
  try {
    return Number.parseInt(readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8"), 10);
  } catch {
    return KERNELS_FIRST;
  }
}
