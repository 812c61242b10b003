/**
 * `polebench advise-timers`: which timers a group that announces and listens should have, and what they cost.
 */

import type { Command } from "commander";
import { type Consequence, consequences, type Need, timersFor } from "../experiments/announce/advice.ts";
import { printSample } from "../experiments/announce/sample.ts";
import { aligned } from "../terminal/table.ts";
import { RefusedInput } from "../terminal/problem.ts";
import { DURATION, duration, fraction, PERCENTAGE } from "../topology/quantity.ts";

interface Flags {
  readonly loss: string;
  readonly members: string;
  readonly delay: string;
  readonly shared?: boolean;
  readonly announce?: string;
  readonly falseAlarms: string;
  readonly runs: string;
  readonly json?: boolean;
}

export function addAdviseTimers(program: Command): void {
  program
    .command("advise-timers")
    .description(
      "timers for a group that announces and listens, with what they cost by formula and simulated",
    )
    .option("--loss <percentage>", "of every announcement on its way", "5%")
    .option("--members <count>", "2 to 1000", "20")
    .option("--delay <duration>", "one way", "40ms")
    .option("--shared", "what is lost is lost for all listeners at once")
    .option("--announce <duration>", "T_A, where that is decided already")
    .option("--false-alarms <percentage>", "of the time, for which members may differ for nothing", "0.1%")
    .option("--runs <count>", "groups in virtual time for each number", "500")
    .option("--json", "print one JSON document")
    .action((flags: Flags) => adviseTimers(flags));
}

function adviseTimers(flags: Flags): void {
  const need: Need = {
    members: whole("members", flags.members, 2, 1000),
    loss: share("loss", flags.loss),
    kind: flags.shared === true ? "shared" : "independent",
    delay: time("delay", flags.delay),
    announce: flags.announce ? time("announce", flags.announce) : null,
    falseAlarms: share("false-alarms", flags.falseAlarms),
  };
  if (need.falseAlarms === 0)
    throw new RefusedInput("--false-alarms: none at all cannot be had where something is lost; say 0.01%");
  if (need.announce !== null && need.announce <= need.delay)
    throw new RefusedInput("--announce: T_A is to be longer than a way takes, or nobody is silenced in time");
  const timers = timersFor(need);
  const found = consequences(need, timers, whole("runs", flags.runs, 10, 100_000));
  if (flags.json === true) {
    console.log(JSON.stringify({ need, timers, consequences: found }, null, 1));
    return;
  }
  const { announce, listen, suppress, bye } = timers;
  const ms = (of: number): string => `${Number((of / 1e3).toFixed(1))}ms`;
  const lost = `${100 * need.loss} % lost by ${need.kind === "shared" ? "all at once" : "each"}`;
  console.log(`${need.members} members, ${lost}, ${ms(need.delay)} a way:\n`);
  const rows = [
    ["T_A", `--announce ${ms(announce)}`],
    ["T_L", `--listen ${ms(listen)}`],
    ["T_S", `--suppress ${ms(suppress)}`],
    ["copies of Bye", `--bye ${bye}`],
  ];
  for (const line of aligned(rows)) console.log(`  ${line}`);
  console.log("");
  for (const line of aligned([["", "formula", "simulated"], ...found.map(row)])) console.log(line);
}

function row({ what, unit, formula, virtual }: Consequence): readonly string[] {
  const digits = unit === "share" ? 5 : 3;
  const suffix = unit === "s" ? " s" : "";
  return [
    what,
    formula === null ? "no formula" : `${formula.toFixed(digits)}${suffix}`,
    virtual === null ? "" : `${printSample(virtual, digits)}${suffix}`,
  ];
}

function whole(name: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (/^[0-9]+$/.test(text) && number >= least && number <= most) return number;
  throw new RefusedInput(`--${name}: "${text}" is no whole number from ${least} to ${most}`);
}

function share(name: string, text: string): number {
  if (PERCENTAGE.test(text) && fraction(text) < 1) return fraction(text);
  throw new RefusedInput(`--${name}: "${text}" is no percentage below 100%, such as 5%`);
}

function time(name: string, text: string) {
  if (DURATION.test(text)) return duration(text);
  throw new RefusedInput(`--${name}: "${text}" is no duration such as 40ms or 2s`);
}
