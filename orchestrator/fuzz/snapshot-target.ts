/**
 * A state in a snapshot's chunks, from the disk or from another server: it is refused with a word, or it is a
 * state that can be written and serves.
 */

import { epoch, zxid } from "#node/core/zxid.ts";
import { erase, make, put, Stage } from "#node/testing/tree/stage.ts";
import { Tree } from "#node/tree/tree.ts";
import type { Target } from "./target.ts";

export function snapshotTarget(): Target {
  const empty = new Stage();
  const stage = new Stage();
  const session = stage.open();
  for (const path of ["/a", "/a/b", "/a/c"]) stage.write(make(path, { data: new Uint8Array(30) }), session);
  stage.write(make("/e", { flags: 1 }), session);
  stage.write(make("/s-", { flags: 2, acl: [{ permissions: 1, id: { scheme: "ip", id: "::1" } }] }), session);
  stage.write(put("/a/b", "again"), session);
  stage.write(erase("/a/c"), session);
  return {
    seeds: [empty, stage].map(({ tree }) => contentsOf(tree)),
    feed(bytes) {
      const tree = new Tree();
      const restoration = tree.restore(zxid(epoch(1), 40));
      const middle = bytes.length >> 1;
      for (const chunk of [bytes.slice(0, middle), bytes.slice(middle)]) {
        if (restoration.accept(chunk) !== null) return;
      }
      if (restoration.finish() !== null) return;
      serve(new Stage(tree));
    },
  };
}

/** What was believed must be as good as what was written here. */
function serve(stage: Stage): void {
  const session = stage.open();
  for (const request of [make("/z"), put("/a", "x"), erase("/a/b"), make("/a/s-", { flags: 2 })]) {
    stage.write(request, session);
  }
  stage.write({ kind: "closeSession" }, session);
  const twin = new Tree();
  const restoration = twin.restore(stage.tree.applied);
  const fault = restoration.accept(contentsOf(stage.tree)) ?? restoration.finish();
  if (fault !== null) throw new Error(`what it was told it tells, and is not believed: ${fault}`);
  if (twin.digest() !== stage.tree.digest()) throw new Error("another state came out than went in");
}

function contentsOf(tree: Tree): Uint8Array {
  const snapshot = tree.snapshot();
  const chunks: Uint8Array[] = [];
  for (let chunk = snapshot.next(); chunk !== null; chunk = snapshot.next()) chunks.push(chunk);
  return Uint8Array.from(Buffer.concat(chunks));
}
