// lane: works, 6 s
import assert from "node:assert/strict";
import test from "node:test";
import { isRoot } from "./environment.ts";
import { findDaemon, isDaemonRunning } from "./infrastructure/daemon.ts";
import { provideImage } from "./infrastructure/image.ts";
import { newLabel } from "./label.ts";

// In a daemon of somebody else's there may be a node:24-slim, and it is not ours to replace.
const free = isRoot() && !(await isDaemonRunning());
const options = { skip: free ? false : "only root may start a daemon of its own, and only where none runs" };

test("the image takes node:24-slim where it is to be had, else what is at hand", options, async () => {
  await using daemon = await findDaemon(newLabel());
  const { docker } = daemon;
  const own = await provideImage(docker, "own");
  assert.match(own.remark, /on the pinned Node v24\S* and its libraries \(asked for\)/);

  const any = await provideImage(docker);
  assert.match(any.remark, /on node:24-slim, pulled|its libraries \(no registry can be reached\)/);
  assert.equal(any.name === own.name, any.remark.includes("libraries"), "another base is another image");

  await docker.getImage(`polebench-base:${process.version}`).tag({ repo: "node", tag: "24-slim" });
  const present = await provideImage(docker);
  assert.equal(present.remark, "on node:24-slim, present");
  assert.notEqual(present.name, own.name);
});
