// Who is told of what, when, and how often.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { clientId } from "../core/identity.ts";
import type { Zxid } from "../core/zxid.ts";
import { ERRORS } from "../wire/client/error.ts";
import type { ClientRequest } from "../wire/client/request.ts";
import { ADD_WATCH_MODES, EVENT_TYPES, type EventType, WATCH_TYPE } from "../wire/client/watch.ts";
import { erase, make, put, Stage } from "../testing/tree/stage.ts";
import { MODE, Watches } from "./watches.ts";

function begin() {
  const stage = new Stage();
  const [writer, watcher, third] = [stage.open(), stage.open(), stage.open()];
  const write = (request: ClientRequest) => stage.write(request, writer);
  const names = new Map([
    [watcher % 1000, "w"],
    [third % 1000, "t"],
  ]);
  /** `w:deleted /a` for each event since the last call. */
  const told = () =>
    stage.tree.takeEvents().flatMap((event) => {
      if (event.kind !== "watch") return [];
      const type = Object.keys(EVENT_TYPES).find((name) => EVENT_TYPES[name as EventType] === event.type);
      return [`${names.get(event.client)}:${type} ${event.path}`];
    });
  const watch = (kind: "exists" | "getData" | "getChildren" | "getChildren2", path: string, who = watcher) =>
    stage.read({ kind, path, watch: true }, who);
  const add = (path: string, mode: (typeof ADD_WATCH_MODES)[number], who = watcher) =>
    stage.read({ kind: "addWatch", path, mode: ADD_WATCH_MODES.indexOf(mode) }, who);
  const ask = (request: ClientRequest) => stage.read(request, watcher);
  return { stage, watcher, third, write, told, watch, add, ask };
}

suite("a watch set by a read", () => {
  test("fires once", () => {
    const { write, told, watch } = begin();
    write(make("/a"));
    watch("getData", "/a");
    write(put("/a", "x"));
    write(put("/a", "x"));
    assert.deepEqual(told(), ["w:dataChanged /a"]);
  });

  test("of what is not there yet fires when it comes; only exists leaves one", () => {
    const { write, told, watch, stage } = begin();
    watch("getData", "/a");
    watch("getChildren", "/a");
    assert.equal(stage.tree.watches.counts.watches, 0);
    watch("exists", "/a");
    write(make("/a"));
    assert.deepEqual(told(), ["w:created /a"]);
  });

  test("of children fires for those that come and go, and not for their data", () => {
    const { write, told, watch } = begin();
    write(make("/a"));
    watch("getChildren", "/a");
    write(put("/a", "x"));
    write(make("/a/b"));
    assert.deepEqual(told(), ["w:childrenChanged /a"]);
    watch("getChildren2", "/a");
    write(put("/a/b", "x"));
    write(erase("/a/b"));
    assert.deepEqual(told(), ["w:childrenChanged /a"]);
  });

  test("of data and of children tells of a deletion once, and the parent's watchers after that", () => {
    const { write, told, watch, third } = begin();
    write(make("/a"));
    watch("getChildren", "/a");
    watch("getData", "/a");
    watch("getChildren", "/a", third);
    watch("getChildren", "/", third);
    write(erase("/a"));
    assert.deepEqual(told(), ["w:deleted /a", "t:deleted /a", "t:childrenChanged /"]);
    write(make("/a"));
    assert.deepEqual(told(), []);
  });

  test("fires when a session takes its ephemerals along", () => {
    const { stage, third, told, watch } = begin();
    stage.write(make("/e", { flags: 1 }), third);
    watch("exists", "/e");
    stage.write({ kind: "closeSession" }, third);
    assert.deepEqual(told(), ["w:deleted /e"]);
  });
});

suite("a persistent watch", () => {
  test("tells of data and children again and again", () => {
    const { write, told, add } = begin();
    assert.deepEqual(add("/a", "persistent"), { kind: "addWatch" });
    write(make("/a"));
    write(put("/a", "x"));
    write(make("/a/b"));
    write(put("/a/b", "x"));
    write(erase("/a/b"));
    write(erase("/a"));
    assert.deepEqual(told(), [
      "w:created /a",
      "w:dataChanged /a",
      "w:childrenChanged /a",
      "w:childrenChanged /a",
      "w:deleted /a",
    ]);
  });

  test("that is recursive tells of everything below, but never of lists of children", () => {
    const { write, told, add } = begin();
    add("/", "recursive");
    write(make("/a"));
    write(make("/a/b"));
    write(put("/a/b", "x"));
    write(erase("/a/b"));
    assert.deepEqual(told(), ["w:created /a", "w:created /a/b", "w:dataChanged /a/b", "w:deleted /a/b"]);
  });

  test("and one of the same path that fires once together tell once", () => {
    const { write, told, add, watch } = begin();
    write(make("/a"));
    add("/a", "persistent");
    add("/", "recursive");
    watch("getData", "/a");
    write(put("/a", "x"));
    assert.deepEqual(told(), ["w:dataChanged /a"]);
    write(put("/a", "x"));
    assert.deepEqual(told(), ["w:dataChanged /a"], "the lasting ones outlive the other");
  });
});

suite("removing and checking watches", () => {
  test("goes by type", () => {
    const { write, told, watch, ask } = begin();
    write(make("/a"));
    watch("getData", "/a");
    const check = (type: number) => ask({ kind: "checkWatches", path: "/a", type });
    const none = { kind: "error", error: ERRORS.noWatcher };
    assert.deepEqual(check(WATCH_TYPE.data), { kind: "done" });
    assert.deepEqual(check(WATCH_TYPE.children), none);
    assert.deepEqual(ask({ kind: "removeWatches", path: "/a", type: WATCH_TYPE.children }), none);
    assert.deepEqual(ask({ kind: "removeWatches", path: "/a", type: WATCH_TYPE.any }), { kind: "done" });
    assert.deepEqual(check(WATCH_TYPE.any), none);
    write(put("/a", "x"));
    assert.deepEqual(told(), []);
  });
});

suite("setting watches again after a reconnect", () => {
  test("fires at once what was missed, and arms the rest", () => {
    const { stage, write, told, ask } = begin();
    for (const path of ["/same", "/changed", "/gone", "/list"]) write(make(path));
    const relativeZxid = stage.tree.applied;
    write(put("/changed", "x"));
    write(erase("/gone"));
    write(make("/list/x"));
    write(make("/came"));
    const reply = ask({
      kind: "setWatches2",
      relativeZxid,
      data: ["/same", "/changed", "/gone"],
      exist: ["/came", "/not-yet"],
      child: ["/list", "/same"],
      persistent: ["/p"],
      recursive: ["/r"],
    });
    assert.deepEqual(reply, { kind: "done" });
    assert.deepEqual(told(), [
      "w:dataChanged /changed",
      "w:deleted /gone",
      "w:created /came",
      "w:childrenChanged /list",
    ]);
    for (const path of ["/same/x", "/not-yet", "/p", "/r", "/r/x"]) write(make(path));
    write(put("/same", "x"));
    assert.deepEqual(told(), [
      "w:childrenChanged /same",
      "w:created /not-yet",
      "w:created /p",
      "w:created /r",
      "w:created /r/x",
      "w:dataChanged /same",
    ]);
  });
});

suite("the table of watches", () => {
  test("forgets a connection with all it had", () => {
    const watches = new Watches();
    const [one, two] = [clientId(1), clientId(2)];
    watches.add(one, "/a", MODE.data);
    watches.add(two, "/a", MODE.data | MODE.child);
    watches.add(two, "/b", MODE.recursive);
    assert.deepEqual(watches.counts, { clients: 2, paths: 2, watches: 3 });
    watches.forget(two);
    assert.deepEqual(watches.counts, { clients: 1, paths: 1, watches: 1 });
    assert.ok(watches.has(one, "/a", WATCH_TYPE.data));
    watches.forget(one);
    assert.deepEqual(watches.counts, { clients: 0, paths: 0, watches: 0 });
  });
});

suite("watches of several modes on one path, to the letter of 3.8.0", () => {
  const WHO = clientId(1);
  const add = (watches: Watches, ...modes: readonly number[]): void => {
    for (const mode of modes) watches.add(WHO, "/a", mode, true);
  };
  const told = (watches: Watches, kind: "deleted" | "dataChanged" | "created", path: string): string[] =>
    watches
      .fire({ kind, path, acl: [], parentAcl: [] }, 7 as Zxid)
      .map(({ type, path: of }) => `${type} ${of}`);

  test("what is asked for last is what there is, of data and of children each", () => {
    const watches = new Watches();
    add(watches, MODE.persistent, MODE.data);
    assert.deepEqual(told(watches, "dataChanged", "/a"), ["3 /a"]);
    assert.deepEqual(told(watches, "dataChanged", "/a"), [], "it was for once");
    assert.deepEqual(told(watches, "created", "/a/b"), ["4 /a"], "that of children is still there");
  });

  test("one of everything below silences one of children", () => {
    const watches = new Watches();
    add(watches, MODE.child, MODE.recursive);
    assert.deepEqual(told(watches, "created", "/a/b"), ["1 /a/b"]);
  });

  test("and hears of deletions although one of data took its place there", () => {
    const watches = new Watches();
    add(watches, MODE.recursive, MODE.data);
    assert.deepEqual(told(watches, "created", "/a/b"), []);
    assert.deepEqual(told(watches, "deleted", "/a/b"), ["2 /a/b"]);
  });
});
