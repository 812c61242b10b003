// Elections as stories to read: testdata/*.txt. `make unit FILTER=transcript UPDATE=1` writes them anew.
import { ringStories } from "../../testing/election/ring-stories.ts";
import { hs } from "./entry.ts";

ringStories(hs, "without faults: two phases of neighbourhoods, then all around", import.meta.dirname);
