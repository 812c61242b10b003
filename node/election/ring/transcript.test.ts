// Elections as stories to read: testdata/*.txt. `make unit FILTER=transcript UPDATE=1` writes them anew.
import { ringStories } from "../../testing/election/ring-stories.ts";
import { ring } from "./entry.ts";

ringStories(
  ring,
  "without faults: all begin, runs of lower beginners end, and the greatest comes home in the highest",
  import.meta.dirname,
);
