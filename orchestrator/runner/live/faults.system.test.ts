// lane: alone, 90 s: when a fault takes hold is a moment that another test must not move
import test, { suite } from "node:test";
import { planTrial } from "../../plan/flags.ts";
import { STORIES, TO_THE_END } from "../../testing/fault-stories.ts";
import { runLive } from "./trial.ts";

const OPTIONS = { command: "test", signal: new AbortController().signal };

// One after the other: three ensembles at once leave none of them the processor when its fault is due.
suite("faults on real processes", () => {
  for (const { name, flags, check } of STORIES) {
    test(name, async () => check(await runLive(planTrial(flags, "netns"), OPTIONS)));
  }
});

test(TO_THE_END.name, async () => {
  TO_THE_END.check(await runLive(planTrial(TO_THE_END.flags, "netns"), OPTIONS));
});
