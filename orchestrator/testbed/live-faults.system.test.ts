import test, { suite } from "node:test";
import { planTrial } from "../trial/flags.ts";
import { STORIES } from "./fault-stories.ts";
import { runLive } from "./live.ts";

const OPTIONS = { command: "test", signal: new AbortController().signal };

suite("faults on real processes", () => {
  for (const { name, flags, check } of STORIES) {
    test(name, async () => check(await runLive(planTrial(flags, "netns"), OPTIONS)));
  }
});
