import assert from "node:assert/strict";
import { test } from "node:test";
import { ERRORS } from "#node/wire/client/error.ts";
import { get } from "./request.ts";
import { WatchBook } from "./watch-book.ts";

const exists = (path: string) => ({ kind: "exists", path, watch: true }) as const;

test("what is watched is set again as of what was seen: znodes that are there and that are not", () => {
  const book = new WatchBook();
  book.answered(get("/a", true), ERRORS.ok);
  book.answered(exists("/b"), ERRORS.noNode);
  book.answered(exists("/c"), ERRORS.ok);
  book.answered({ kind: "getChildren", path: "/d", watch: true }, ERRORS.ok);
  const { relativeZxid, data, exist, child } = book.request(9) ?? {};
  assert.deepEqual([relativeZxid, data, exist, child], [9, ["/a", "/c"], ["/b"], ["/d"]]);
});

test("nothing is set that was not asked for, was refused, or has fired", () => {
  const book = new WatchBook();
  book.answered(get("/a"), ERRORS.ok);
  book.answered(get("/b", true), ERRORS.noNode);
  book.answered(get("/c", true), ERRORS.ok);
  book.fired("/c");
  book.answered({ kind: "getChildren", path: "/e", watch: true }, ERRORS.ok);
  book.fired("/e");
  assert.equal(book.request(9), null);
  book.answered(get("/d", true), ERRORS.ok);
  book.clear();
  assert.equal(book.request(9), null);
});
