/**
 * Operations on the session itself. No client sends the first two: a server makes them of a handshake.
 *
 *   createSession => timeout:i32 seal:ustring      reply: session:i64 timeout:i32
 *   closeSession  => nothing            reply: nothing
 *   ping          => nothing            reply: nothing
 *   reconfig      => joining, leaving, newMembers: ustring, currentConfig:i64
 */

import type { JuteReader, JuteWriter } from "./jute.ts";

export interface OpenSession {
  readonly kind: "createSession";
  readonly timeoutMs: number;
  /** Of the password that its client has or shows. */
  readonly seal: string;
}

export const writeOpenSession = (writer: JuteWriter, { timeoutMs, seal }: OpenSession): JuteWriter =>
  writer.int(timeoutMs).ustring(seal);

export const readOpenSession = (reader: JuteReader): OpenSession => ({
  kind: "createSession",
  timeoutMs: reader.int(),
  seal: reader.text(),
});

export interface SessionOpened {
  readonly kind: "createSession";
  readonly session: number;
  readonly timeoutMs: number;
}

export const writeSessionOpened = (writer: JuteWriter, { session, timeoutMs }: SessionOpened): JuteWriter =>
  writer.long(session).int(timeoutMs);

export const readSessionOpened = (reader: JuteReader): SessionOpened => ({
  kind: "createSession",
  session: reader.long(),
  timeoutMs: reader.int(),
});

export interface Reconfig {
  readonly kind: "reconfig";
  readonly joining: string | null;
  readonly leaving: string | null;
  readonly newMembers: string | null;
  readonly currentConfig: number;
}

export const writeReconfig = (writer: JuteWriter, request: Reconfig): JuteWriter =>
  writer
    .ustring(request.joining)
    .ustring(request.leaving)
    .ustring(request.newMembers)
    .long(request.currentConfig);

export const readReconfig = (reader: JuteReader): Reconfig => ({
  kind: "reconfig",
  joining: reader.ustring(),
  leaving: reader.ustring(),
  newMembers: reader.ustring(),
  currentConfig: reader.long(),
});

/** What needs no more words than its name. */
export interface Bare {
  readonly kind: "ping" | "closeSession" | "whoAmI";
}
