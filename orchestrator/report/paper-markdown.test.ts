import assert from "node:assert/strict";
import test from "node:test";
import { paperMarkdown } from "./paper-markdown.ts";
import type { PaperFigure } from "./paper-report.ts";

const provenance = { kernel: "6.1" };
const whole: PaperFigure = {
  figure: "6",
  section: "4.2",
  claim: "The leader decides the latency.",
  notRun: null,
  expectations: [
    {
      what: "the outage is within its bound",
      holdsIn: 2,
      runs: 3,
      except: [{ run: "p1-1", found: "300 ms" }],
    },
  ],
  omitted: ["250 MB: no time"],
  runs: 3,
  superseded: ["p4-1, attempt-1: broken"],
  discarded: ["p4-1: the network"],
  figures: [],
  comparison: [{ what: "fnal | p3", paper: "70 ms", physics: "64.3 ms", here: "65.1 ms" }],
  checks: [
    { what: "p3 is best", holds: true },
    { what: "p1 is worst", holds: false },
  ],
};

test("a figure has its claim, three numbers, what was checked, left out, and does not count", () => {
  const text = paperMarkdown("netns, 1 run a point", provenance, [whole]);
  assert.match(text, /## Figure 6\n\nSection 4\.2: The leader decides the latency\./);
  assert.match(text, /\| fnal \\\| p3 \| 70 ms \| 64\.3 ms \| 65\.1 ms \|/);
  assert.match(text, /- holds: p3 is best\n- \*\*differs\*\*: p1 is worst/);
  assert.match(text, /Not run: 250 MB: no time\./);
  assert.match(text, /3 of 5 attempts counted\. Not counted: p4-1, attempt-1: broken; p4-1: the network\./);
  assert.match(text, /Expected besides:\n\n- the outage is within its bound: in 2 of 3 runs/);
  assert.match(text, /- kernel: 6\.1/);
});

test("a figure that was not run says why and nothing else", () => {
  const text = paperMarkdown("netns", provenance, [{ ...whole, notRun: "no netem" }]);
  assert.match(text, /Not run here: no netem\./);
  assert.doesNotMatch(text, /counted/);
});
