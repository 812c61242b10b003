import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { suite, test } from "node:test";
import { Script } from "node:vm";
import { madeRecording } from "../testing/made-recording.ts";
import { pageOf, script } from "./document.ts";
import { recordsOf } from "./from-recording.ts";
import type { StreamRecord } from "./record.ts";

const digest = (text: string): string => `sha256-${createHash("sha256").update(text).digest("base64")}`;
const inside = (page: string, tag: string): string =>
  new RegExp(`<${tag}(?: type="module")?>(.*?)</${tag.split(" ")[0]}>`, "s").exec(page)?.[1] ?? "";

suite("the page", () => {
  const records = recordsOf(madeRecording());
  const { text, policy } = pageOf("a <trial>", [{ name: "</script><b>", records }]);

  test("is code that a browser can read, with nothing of TypeScript and no module left to be fetched", () => {
    const code = script();
    assert.doesNotThrow(() => new Script(code));
    assert.doesNotMatch(code, /^\s*(?:import|export)\b/m);
    assert.ok(!code.includes("</script"));
  });

  test("lets nothing run but its own code, and nothing be loaded", () => {
    assert.equal(
      policy,
      `default-src 'none'; script-src '${digest(inside(text, "script"))}'; ` +
        `style-src '${digest(inside(text, "style"))}'; base-uri 'none'; form-action 'none'`,
    );
    assert.ok(text.includes(`content="${policy.replaceAll("'", "&#39;")}"`));
    assert.doesNotMatch(text, /(?:src|href)=|url\((?!#)|@import/);
  });

  test("holds the records whole, and no name in them ends the element in which they stand", () => {
    const [, data = ""] = /id="recorded">(.*?)<\/script>/s.exec(text) ?? [];
    const [trial] = JSON.parse(data) as { name: string; records: StreamRecord[] }[];
    assert.equal(trial?.name, "</script><b>");
    assert.equal(JSON.stringify(trial.records), JSON.stringify(records));
    assert.ok(text.includes("<title>a &#60;trial&#62;</title>"));
  });

  test("of a trial that runs holds no records, and its policy comes with it as a header", () => {
    const live = pageOf("live", null).text;
    assert.ok(!live.includes('id="recorded"') && !live.includes("http-equiv"));
  });
});
