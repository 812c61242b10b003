/** TUN devices: a network interface whose cable ends in a file descriptor of this process. */

import { check, ioctl, ioctlWith, O_CLOEXEC, O_NONBLOCK, O_RDWR, open } from "../libc.ts";

const TUNSETIFF = 0x400454ca;
const TUNSETOFFLOAD = 0x400454d0;
const IFF_TUN = 0x0001;
const IFF_NO_PI = 0x1000;
const IFF_VNET_HDR = 0x4000;
const CHECKSUMS = 0x01;
const NEEDS_CHECKSUM = 0x01;
/** TCP over IPv4 and IPv6, with ECN. */
const LARGE_SEGMENTS = 0x02 | 0x04 | 0x08;

/**
 * What the kernel puts in front of each packet: checksum and segmentation left undone (struct
 * virtio_net_hdr).
 */
export const OFFLOAD_HEADER = 10;

/**
 * Makes the device in this thread's namespace. It is gone when the descriptor is closed, by whatever death.
 */
export function openTun(name: string): number {
  const fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  check(fd, "/dev/net/tun");
  const request = new Uint8Array(40);
  new TextEncoder().encodeInto(name, request);
  new DataView(request.buffer).setUint16(16, IFF_TUN | IFF_NO_PI | IFF_VNET_HDR, true);
  check(ioctlWith(fd, TUNSETIFF, request), `make the device ${name}`);
  return fd;
}

/**
 * Whoever receives this packet completes its checksum, so that a bit gone wrong on the way would go unseen.
 */
export const isChecksumLeft = (bytes: Uint8Array, packet: number): boolean =>
  ((bytes[packet] as number) & NEEDS_CHECKSUM) !== 0;

/** Whether the sending kernel may leave checksums and segmentation to whoever receives. */
export function offload(fd: number, how: "whole segments" | "nothing"): void {
  check(ioctl(fd, TUNSETOFFLOAD, how === "nothing" ? 0 : CHECKSUMS | LARGE_SEGMENTS), "set the offloads");
}
