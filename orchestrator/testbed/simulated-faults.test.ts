import test, { suite } from "node:test";
import { planTrial } from "../trial/flags.ts";
import { STORIES } from "./fault-stories.ts";
import { simulate } from "./simulated.ts";

suite("faults in virtual time", () => {
  for (const { name, flags, check } of STORIES) test(name, () => check(simulate(planTrial(flags, "sim"))));
});
