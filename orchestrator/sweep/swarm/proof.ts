/**
 * Who has the sweep's secret says so of every message, and the secret itself never travels. Asked and
 * answered are proved apart, and an answer belongs to one question.
 */

import { createHmac, timingSafeEqual } from "node:crypto";

export const proofOfQuestion = (secret: string, body: string): string => sealed(secret, `asked\n${body}`);

export const proofOfAnswer = (secret: string, question: string, body: string): string =>
  sealed(secret, `answered\n${question}\n${body}`);

export function isSame(proof: string, expected: string): boolean {
  const [a, b] = [Buffer.from(proof), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const sealed = (secret: string, text: string): string =>
  createHmac("sha256", secret).update(text).digest("base64url");
