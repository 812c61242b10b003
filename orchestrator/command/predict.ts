/** `polebench predict`: what physics allows, and whom each oracle would elect. Needs no run. */

import { type Command, Option } from "commander";
import { unaidedOracles } from "#node/oracle/catalog.ts";
import { choice, printMs, prospects } from "../topology/model.ts";
import { planTrial } from "../plan/flags.ts";
import { aligned } from "../terminal/table.ts";

interface PredictFlags {
  readonly topology?: string;
  readonly load?: string;
  readonly firstLeader?: string;
  readonly json?: boolean;
}

export function addPredict(program: Command): void {
  program
    .command("predict")
    .description("what physics allows each possible leader, and whom each oracle would elect")
    .addOption(
      new Option("--topology <name>", "a name from topologies/, or a file").env("POLEBENCH_TOPOLOGY"),
    )
    .option("--load <shares>", "such as caltech:1,slac:1,fnal:2")
    .option("--first-leader <server>", "who dies; the highest id when not given")
    .option("--json", "print one JSON document")
    .action((flags: PredictFlags) => predict(flags));
}

function predict(flags: PredictFlags): void {
  const { topology, subject } = planTrial(flags, "sim");
  const dead = [subject.firstLeader];
  const offers = prospects(topology, dead);
  const choices = unaidedOracles.map((name) => ({ name, chosen: choice(topology, name, dead) }));
  if (flags.json === true) {
    const leaders = offers.map((offer) => ({ ...offer, sites: Object.fromEntries(offer.sites) }));
    const elected = choices.map(({ name, chosen }) => [name, chosen?.leader ?? null]);
    console.log(
      JSON.stringify(
        { topology: topology.name, leaders, elected: Object.fromEntries(elected) as unknown },
        null,
        1,
      ),
    );
    return;
  }
  const sites = [...topology.sites.keys()];
  console.log(`${topology.name}, after the death of p${subject.firstLeader}, in ms:\n`);
  const head = ["leader", "site", "quorum", "mean", "worst", ...sites.map((site) => `at ${site}`), "outage"];
  const rows = offers.map(({ leader, site, consensusMs, meanMs, worstMs, sites: at, outageMs }) => [
    `p${leader}`,
    site,
    ...[consensusMs, meanMs, worstMs].map(printMs),
    ...sites.map((name) => printMs(at.get(name) ?? Number.POSITIVE_INFINITY)),
    printMs(outageMs),
  ]);
  for (const line of aligned([head, ...rows])) console.log(line);
  console.log("\noutage: until a first write, where nothing but the ways takes time");
  console.log("\noracle would elect:\n");
  const lines = choices.map(({ name, chosen }) => {
    if (chosen === null) return [name, "nobody: there is no quorum"];
    const others = chosen.tied.filter((server) => server !== chosen.leader).map((server) => `p${server}`);
    return [
      name,
      `p${chosen.leader}${others.length === 0 ? "" : `, or ${others.join(", ")}: as good but for noise`}`,
    ];
  });
  for (const line of aligned(lines)) console.log(line);
}
