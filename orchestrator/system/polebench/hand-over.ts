/** Has one server lead, while another does: whoever leads is asked to give its place away, at its pages. */

import { takeHandOvers } from "../hand-over.ts";

export interface Handing {
  /** `host:port` of all servers' pages. */
  readonly places: readonly string[];
  readonly token: string;
}

export interface Answer {
  /** 0 where nobody answered. */
  readonly status: number;
  readonly body: { readonly error?: string; readonly epoch?: number; readonly milliseconds?: number };
}

export async function orderTransfer(place: string, to: number, token: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}` };
  try {
    const response = await fetch(`http://${place}/commands/transfer?to=${to}`, { method: "POST", headers });
    const text = await response.text();
    const body = (text.startsWith("{") ? JSON.parse(text) : {}) as Answer["body"];
    return { status: response.status, body };
  } catch (error) {
    const why = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    return { status: 0, body: { error: `cannot be asked: ${why}` } };
  }
}

/** All at once, since who leads is not known; why nobody did it, or null. */
export async function handOver({ places, token }: Handing, to: number): Promise<string | null> {
  const answers = await Promise.all(places.map((place) => orderTransfer(place, to, token)));
  if (answers.some(({ status }) => status === 200)) return null;
  return places.map((place, at) => `${place}: ${answers[at]?.body.error ?? answers[at]?.status}`).join("; ");
}

if (import.meta.main) {
  const told = JSON.parse(process.argv[2] ?? "") as Handing;
  // Node loads what fetches with the first that is fetched.
  await fetch("data:,");
  await takeHandOvers((to) => handOver(told, to));
  process.exit(0);
}
