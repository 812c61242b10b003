import assert from "node:assert/strict";
import { test } from "node:test";
import { ERRORS } from "../wire/client/error.ts";
import { EVENT_TYPES, WATCH_TYPE } from "../wire/client/watch.ts";
import { WatchBook } from "./watch-book.ts";

const get = (path: string, watch = true) => ({ kind: "getData", path, watch }) as const;
const exists = (path: string) => ({ kind: "exists", path, watch: true }) as const;
const list = (path: string) => ({ kind: "getChildren2", path, watch: true }) as const;
const { created, deleted, dataChanged, childrenChanged } = EVENT_TYPES;

test("what is watched is set again as of what was seen: znodes that are there and that are not", () => {
  const book = new WatchBook();
  book.answered(get("/a"), ERRORS.ok);
  book.answered(exists("/b"), ERRORS.noNode);
  book.answered(exists("/c"), ERRORS.ok);
  book.answered(list("/d"), ERRORS.ok);
  const [{ relativeZxid, data, exist, child } = assert.fail(), ...more] = book.requests(9);
  assert.deepEqual([relativeZxid, data, exist, child], [9, ["/a", "/c"], ["/b"], ["/d"]]);
  assert.deepEqual(more, []);
});

test("nothing is set that was not asked for, was refused, or has fired", () => {
  const book = new WatchBook();
  book.answered(get("/a", false), ERRORS.ok);
  book.answered(get("/b"), ERRORS.noNode);
  book.answered(get("/c"), ERRORS.ok);
  book.fired(dataChanged, "/c");
  book.answered(list("/e"), ERRORS.ok);
  book.fired(childrenChanged, "/e");
  book.answered(exists("/f"), ERRORS.noNode);
  book.fired(created, "/f");
  assert.deepEqual(book.requests(9), []);
  book.answered(get("/d"), ERRORS.ok);
  book.clear();
  assert.deepEqual(book.requests(9), []);
});

test("an event fires what it is about: of one znode the data, the children, or with its end both", () => {
  const book = new WatchBook();
  const lists = (): unknown => book.requests(1).map(({ data, child }) => [data, child]);
  book.answered(get("/a"), ERRORS.ok);
  book.answered(list("/a"), ERRORS.ok);
  book.fired(dataChanged, "/a");
  assert.deepEqual(lists(), [[[], ["/a"]]]);
  book.answered(get("/a"), ERRORS.ok);
  book.fired(childrenChanged, "/a");
  assert.deepEqual(lists(), [[["/a"], []]]);
  book.answered(list("/a"), ERRORS.ok);
  book.fired(deleted, "/a");
  assert.deepEqual(lists(), []);
});

test("what was taken back is not set again", () => {
  const book = new WatchBook();
  book.answered(get("/a"), ERRORS.ok);
  book.answered(list("/a"), ERRORS.ok);
  book.answered({ kind: "addWatch", path: "/a", mode: 1 }, ERRORS.ok);
  const remove = (type: number) => ({ kind: "removeWatches", path: "/a", type }) as const;
  book.answered(remove(WATCH_TYPE.data), ERRORS.ok);
  book.answered(remove(WATCH_TYPE.any), ERRORS.noWatcher);
  const [{ data, child, recursive } = assert.fail()] = book.requests(1);
  assert.deepEqual([data, child, recursive], [[], ["/a"], ["/a"]]);
  book.answered(remove(WATCH_TYPE.any), ERRORS.ok);
  assert.deepEqual(book.requests(1), []);
});
