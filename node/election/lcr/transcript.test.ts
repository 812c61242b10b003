// Elections as stories to read: testdata/*.txt. `make unit FILTER=transcript UPDATE=1` writes them anew.
import { ringStories } from "../../testing/election/ring-stories.ts";
import { lcr } from "./entry.ts";

ringStories(
  lcr,
  "without faults: the greatest goes all around, every other one until it meets a greater",
  import.meta.dirname,
);
