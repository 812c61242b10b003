/**
 * Connections between servers, encrypted: both sides show a certificate of the same authority.
 *
 * Which server it is, the greetings tell and the secret proves; a certificate says that it is one. So the
 * name in it is not looked at, and its authority must sign nothing but servers of this ensemble.
 */

import net, { type Socket } from "node:net";
import tls from "node:tls";
import type { Address } from "./link.ts";
import { addressOf } from "./reception.ts";

/** As PEM. */
export interface Certificates {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

const VERSIONS = { minVersion: "TLSv1.3" } as const;

export interface Callers {
  came(socket: Socket): void;
  refused(address: string, reason: string): void;
}

export function listenerFor(
  certificates: Certificates | null,
  patienceMs: number,
  callers: Callers,
): net.Server {
  const came = (socket: Socket): void => callers.came(socket);
  if (certificates === null) return net.createServer(came);
  const mutual = { requestCert: true, rejectUnauthorized: true, handshakeTimeout: patienceMs };
  const server = tls.createServer({ ...certificates, ...VERSIONS, ...mutual }, came);
  server.on("tlsClientError", (error, socket) => {
    callers.refused(addressOf(socket), error.message);
    socket.destroy();
  });
  return server;
}

export function connect(address: Address, certificates: Certificates | null): Socket {
  if (certificates === null) return net.connect(address);
  return tls.connect({ ...address, ...certificates, ...VERSIONS, checkServerIdentity: () => undefined });
}
