import assert from "node:assert/strict";
import { test } from "node:test";
import { SETTINGS } from "./settings.ts";
import { clusterText } from "./cluster-text.ts";

const lines = (servers: string): string[] => clusterText(SETTINGS.servers.parse(servers)).split("\n");

test("the ensemble is told as it was said, with a version", () => {
  assert.deepEqual(lines("1=zoo1:2888:3889:participant;2181,2=zoo2:2888:3888;10.0.0.2:2182"), [
    "server.1=zoo1:2888:3889:participant;zoo1:2181",
    "server.2=zoo2:2888:3888:participant;10.0.0.2:2182",
    "version=0",
  ]);
});

test("no server has one port for both, whatever was said", () => {
  assert.deepEqual(lines("1=a:2888,2=b:2888:2888,3=c:65000"), [
    "server.1=a:2888:3888:participant",
    "server.2=b:2888:3888:participant",
    "server.3=c:65000:64000:participant",
    "version=0",
  ]);
});

test("clients are sent to the server itself when they may come by any of its addresses", () => {
  assert.deepEqual(lines("1=[fd00::1]:2888:3888;[::]:2181,2=b:2888:3888;0.0.0.0:2181,3=c:1:2;[fd00::3]:4"), [
    "server.1=[fd00::1]:2888:3888:participant;[fd00::1]:2181",
    "server.2=b:2888:3888:participant;b:2181",
    "server.3=c:1:2:participant;[fd00::3]:4",
    "version=0",
  ]);
});

test("a server alone tells nothing, as ZooKeeper does", () => {
  assert.equal(clusterText(new Map()), "");
});
