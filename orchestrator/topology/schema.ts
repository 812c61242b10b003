/**
 * What may stand in a topology file. The same schema refuses bad files here and, published as
 * `topologies/topology.schema.json`, completes good ones in an editor.
 *
 * Run as a program it rewrites the published one: `node orchestrator/topology/schema.ts`.
 */

import { writeFileSync } from "node:fs";
import { z } from "zod";
import { DURATION, PERCENTAGE, RATE, SPREAD } from "./quantity.ts";

const SPREAD_EXPECTED = "expected a percentage of the one-way mean such as 2%, or a duration such as 200us";

const durationOf = (what: string) =>
  z
    .string(`expected a duration with its unit, such as 20.75ms`)
    .regex(DURATION, {
      message: "expected a duration that is not negative, with its unit: us, ms or s, such as 20.75ms",
    })
    .describe(what);

const percentageOf = (what: string) =>
  z
    .string("expected a percentage, such as 0.1%")
    .regex(PERCENTAGE, {
      message: "expected a percentage that is not negative, such as 0.1%",
    })
    .describe(what);

const spreadOf = (what: string) =>
  z
    .string(SPREAD_EXPECTED)
    .regex(SPREAD, {
      message: SPREAD_EXPECTED,
    })
    .describe(what);

const siteName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,30}$/, "a site's name is a small letter, then small letters, digits and hyphens");

const serverName = z.string().regex(/^p[1-9][0-9]{0,2}$/, "a server is named p1 to p255");

const jitterShape = z
  .strictObject({
    distribution: z
      .enum(["pareto", "normal", "uniform"])
      .describe("pareto: netem's table (a = 3), bounded at -0.67 and +4 scales; normal: cut at 4 scales."),
    scale: spreadOf(
      "What netem calls jitter, per direction: a Pareto's sd is 0.82 scales, a normal's one, a " +
        "uniform's half-width one. Either this or sd.",
    ).optional(),
    sd: spreadOf("The standard deviation itself, per direction. Either this or scale.").optional(),
    halfLife: durationOf(
      "After this time half of a deviation is left: slow swings instead of independent draws. " +
        "Only on the plane.",
    ).optional(),
  })
  .describe("How one-way delays spread around their mean; the mean itself stays what it is.");

const jitter = z.union([z.literal("none"), jitterShape]);
const rate = z
  .string("expected a rate, such as 100mbit")
  .regex(RATE, {
    message: "expected a rate with its unit: bit, kbit, mbit or gbit, such as 100mbit",
  })
  .describe("Of each directed pair of hosts, as a serialization delay. Without it: unlimited.");
const loss = percentageOf("Chance that a packet is lost, per direction.");

const site = z.strictObject({
  latitude: z.number().min(-90).max(90).optional(),
  longitude: z.number().min(-180).max(180).optional(),
  servers: z.array(serverName).optional(),
  load: z
    .number()
    .nonnegative()
    .optional()
    .describe(
      "This site's part of the client load, relative to the other sites'. No site has one: equal parts.",
    ),
});

const link = z.strictObject({
  between: z.tuple([siteName, siteName]).optional().describe("Both directions, half of the rtt each."),
  rtt: durationOf("Mean round-trip time; with between.").optional(),
  from: siteName.optional().describe("One direction; with to and delay."),
  to: siteName.optional(),
  delay: durationOf("Mean one-way delay; with from and to.").optional(),
  jitter: jitter.optional(),
  loss: loss.optional(),
  rate: rate.optional(),
  source: z.string().optional().describe("Where the number comes from."),
});

export const topologySchema = z
  .strictObject({
    description: z.string().optional(),
    source: z.string().optional().describe("Where the numbers come from."),
    sites: z.record(siteName, site.nullable()),
    lan: z
      .strictObject({
        rtt: durationOf("Between two hosts of one site."),
        jitter: jitter.optional(),
        loss: loss.optional(),
      })
      .optional()
      .describe("Inside a site; without it a round trip takes 100us."),
    jitter: jitter.optional().describe("Of every link that has none of its own. Without it: none."),
    loss: loss.optional().describe("Of every link that has none of its own. Without it: none."),
    rate: rate.optional().describe("Of every link that has none of its own. Without it: unlimited."),
    order: z
      .enum(["kept", "free"])
      .optional()
      .describe(
        "kept (default): packets of one link never overtake; free: each draws its own delay, as netem does.",
      ),
    multicastLoss: z
      .union([z.enum(["independent", "shared"]), loss])
      .optional()
      .describe(
        "A lost multicast is lost for each receiver by itself (default), or for all of them at once; " +
          "4%: so many for all, and for each the rest of what its link loses.",
      ),
    estimate: z
      .strictObject({
        rule: z.literal("great-circle"),
        stretch: z.number().min(1).describe("Cable way over great circle."),
      })
      .optional()
      .describe(
        "Pairs without a link get rtt = 2 * stretch * great circle / (200 km per ms), and are marked.",
      ),
    links: z.array(link).optional(),
  })
  .describe("Sites, how far they are apart, and who is where.");

export type TopologyFile = z.infer<typeof topologySchema>;
export type JitterFile = z.infer<typeof jitter>;

export function publishedSchema(): string {
  const schema = z.toJSONSchema(topologySchema, { target: "draft-7" });
  return `${JSON.stringify({ ...schema, title: "A polebench topology" }, null, 2)}\n`;
}

if (import.meta.main) {
  writeFileSync(new URL("../../topologies/topology.schema.json", import.meta.url), publishedSchema());
}
