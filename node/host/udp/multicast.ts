/**
 * One socket that speaks to a multicast group and hears it, on one interface of this machine.
 *
 * It is bound to the group's address, so nothing else that is sent to the port reaches it. What it sends is
 * not given back to this machine: a second member here would hear without delay and without loss what the
 * network should have carried, so a machine has one member.
 */

import dgram, { type RemoteInfo } from "node:dgram";
import { once } from "node:events";

export interface MulticastOptions {
  /** IPv4: 239.x.x.x are for private use. */
  readonly group: string;
  readonly port: number;
  /** The IPv4 address of this machine on the network of the group. */
  readonly interface: string;
  /** How many routers may pass it on, and one more. */
  readonly ttl: number;
  /** Bytes that may wait to be read; the system's own choice when not given. */
  readonly receiveBuffer?: number;
}

export class Multicast {
  readonly #socket: dgram.Socket;
  readonly #options: MulticastOptions;

  private constructor(socket: dgram.Socket, options: MulticastOptions) {
    this.#socket = socket;
    this.#options = options;
  }

  /** Joins the group. Rejects when the address is no multicast address, or no interface has the other. */
  static async join(
    options: MulticastOptions,
    heard: (datagram: Uint8Array, sender: RemoteInfo) => void,
  ): Promise<Multicast> {
    const { group, port, receiveBuffer } = options;
    const socket = dgram.createSocket({
      type: "udp4",
      reuseAddr: true,
      ...(receiveBuffer === undefined ? {} : { recvBufferSize: receiveBuffer }),
      // Addresses are numbers here, so a datagram leaves within the call that sends it.
      lookup: (address, _options, found) => found(null, address, 4),
    });
    try {
      const listening = once(socket, "listening");
      socket.bind({ port, address: group, exclusive: true });
      await listening;
      socket.addMembership(group, options.interface);
      socket.setMulticastInterface(options.interface);
      socket.setMulticastTTL(options.ttl);
      socket.setMulticastLoopback(false);
    } catch (error) {
      socket.close();
      throw error;
    }
    socket.on("message", heard);
    // A datagram that cannot be sent is told where it is sent; no other error ends a member.
    socket.on("error", () => {});
    return new Multicast(socket, options);
  }

  get port(): number {
    return this.#socket.address().port;
  }

  send(datagram: Uint8Array, sent: (error: Error | null) => void): void {
    this.#socket.send(datagram, this.#options.port, this.#options.group, sent);
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#socket.close(resolve));
  }
}
