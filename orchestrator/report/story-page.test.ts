// lane: works, 1 s
// The page of a story holds all that it needs, and what it plays is what was recorded.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Script } from "node:vm";
import { lectures } from "#node/theory/catalog.ts";
import { tell } from "../theory/story.ts";
import { storyPage } from "./story-page.ts";

const story = tell(lectures.hs, lectures.hs.example);

const scriptsOf = (page: string): readonly string[] =>
  [...page.matchAll(/<script[^>]*>(.*?)<\/script>/gs)].map(([, text]) => text ?? "");

test("it asks for no other file, and its player is a script that can be read", () => {
  const page = storyPage(story);
  assert.doesNotMatch(page, /(?:src|href)=|@import|url\(|fetch\(|https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
  const [, player = ""] = scriptsOf(page);
  assert.ok(new Script(player));
  for (const [, id = ""] of player.matchAll(/getElementById\("(\w+)"\)/g))
    assert.ok(page.includes(`id="${id}"`), `the player looks for ${id}`);
});

test("what is played is what was recorded", () => {
  const [recorded = ""] = scriptsOf(storyPage(story));
  const { names, flights, lines, end, isRing } = JSON.parse(recorded) as Record<string, unknown[]>;
  assert.deepEqual(names, ["p3", "p37", "p19", "p4", "p25"]);
  assert.deepEqual(flights, story.flights);
  assert.deepEqual(lines?.length, story.lines.length);
  assert.equal(end, 24);
  assert.equal(isRing, true);
});

test("what is said ends no script, whatever it is", () => {
  const lecture = { ...lectures.lcr, say: () => "</script><b>" };
  const scripts = scriptsOf(storyPage(tell(lecture, lecture.example)));
  assert.equal(scripts.length, 2);
  assert.match(scripts[0] ?? "", /\\u003c\/script>\\u003cb>/);
});
