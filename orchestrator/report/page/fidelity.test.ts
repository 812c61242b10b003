import assert from "node:assert/strict";
import test from "node:test";
import { madeCertificate } from "../../testing/made-certificate.ts";
import { madeRecording } from "../../testing/made-recording.ts";
import type { Certificates } from "../../recording/recording.ts";
import { fidelity } from "./fidelity.ts";

const recording = madeRecording();
const live = { ...recording, plan: { ...recording.plan, runtime: "netns" as const } };
const shown = (certificates: Certificates): string =>
  fidelity({ ...live, certificates })
    .content.map(({ markup }) => markup)
    .join("\n");

test("both certificates are shown whole, with their verdicts and reasons", () => {
  const idle = madeCertificate([
    ["fnal", "slac", 53.3],
    ["slac", "fnal", 53.3],
  ]);
  const reason = "fnal to slac: the p99 is 1700 us too long";
  const loaded = { ...idle, condition: "loaded" as const, verdict: "invalid" as const, reasons: [reason] };
  const page = shown({ idle, loaded });
  assert.match(page, /<td>fnal and slac<\/td><td>53\.3 ms<\/td><td>53\.3 ms<\/td><td>53\.3 ms<\/td>/);
  assert.match(page, /Before the load, [^:]+: <strong class="badge valid">valid/);
  assert.match(
    page,
    /Under load, [^:]+: <strong class="badge invalid">invalid<\/strong> cubic; shaping process: 10 %/,
  );
  assert.match(page, /<li>fnal to slac: the p99 is 1700 us too long<\/li>/);
  for (const column of ["one-way error us", "p99 ms", "KS", "lost", "overtaken"]) {
    assert.equal(page.split(`<th scope="col">${column}</th>`).length - 1, 2, column);
  }
  assert.match(page, /<td>28\.650<\/td>/, "the p99, one way");
});

test("what was not measured is said", () => {
  assert.match(shown({ idle: null, loaded: null }), /Under load nothing was measured/);
});
