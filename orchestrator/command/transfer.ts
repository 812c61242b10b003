/**
 * `polebench transfer`: has a running ensemble led by a server of the operator's choice, without an outage.
 */

import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { EXIT } from "#node/core/exit-code.ts";
import { orderTransfer } from "../system/polebench/hand-over.ts";
import { RefusedInput } from "../terminal/problem.ts";

interface Flags {
  readonly admin: string;
  readonly to: string;
  readonly tokenFile: string;
}

export function addTransfer(program: Command): void {
  program
    .command("transfer")
    .description("has the leader give its place to another server while it serves")
    .requiredOption("--admin <host:port>", "of the server that leads (--admin-server yes)")
    .requiredOption("--to <server>", "who is to lead, such as p3")
    .requiredOption("--token-file <file>", "the pages' token")
    .action(async (flags: Flags) => {
      process.exitCode = await transfer(flags);
    });
}

async function transfer({ admin, to, tokenFile }: Flags): Promise<number> {
  const server = /^p?(\d+)$/.exec(to)?.[1];
  if (server === undefined) throw new RefusedInput(`--to ${to}: a server is p1, p2, ...`);
  const { status, body } = await orderTransfer(admin, Number(server), tokenIn(tokenFile));
  if (status === 200) {
    console.log(`p${server} leads epoch ${body.epoch}, ${body.milliseconds} ms after it was ordered`);
    return EXIT.passed;
  }
  console.error(`${admin}: ${ANSWERS[status] ?? body.error ?? `status ${status}`}`);
  return EXIT.unknown;
}

const ANSWERS: Readonly<Record<number, string>> = {
  401: "it does not know this token",
  405: "it takes no orders: give it a token (--pages-token-file)",
};

function tokenIn(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new RefusedInput(
      `--token-file ${file}: ${(error as NodeJS.ErrnoException).code ?? "it"} cannot be read`,
    );
  }
}
