/** What people rely on who type into ZooKeeper's own command line. */

import assert from "node:assert/strict";
import { execa } from "execa";

const PROGRAM = "/usr/share/zookeeper/bin/zkCli.sh";

/** Each command and what its answer must hold; the answers come in the order of the commands. */
const CONVERSATION: readonly (readonly [command: string, answer: RegExp])[] = [
  ["config", /^server\.3=127\.0\.0\.1:\d+:\d+:participant;127\.0\.0\.1:\d+\nversion=0$/m],
  ["config -c", /^0 127\.0\.0\.1:\d+,127\.0\.0\.1:\d+,127\.0\.0\.1:\d+$/m],
  ["create /cli first", /^Created \/cli$/m],
  ["create /cli again", /^Node already exists: \/cli$/m],
  ["get -s /cli", /^first\ncZxid = 0x\w+\n[^]*^dataVersion = 0\n[^]*^dataLength = 5\nnumChildren = 0$/m],
  ["set -s -v 0 /cli second", /^dataVersion = 1$/m],
  ["set -v 0 /cli third", /^version No is not valid : \/cli$/m],
  ["get /cli", /^second$/m],
  ["create -s -e /cli/e-", /^Created \/cli\/e-0000000000$/m],
  ["create /cli/child x", /^Created \/cli\/child$/m],
  ["ls /cli", /^\[child, e-0000000000\]$/m],
  ["ls -R /cli", /^\/cli\n\/cli\/child\n\/cli\/e-0000000000$/m],
  ["stat /cli", /^cversion = 2$/m],
  ["getEphemerals /cli", /^\[\/cli\/e-0000000000\]$/m],
  ["getAllChildrenNumber /cli", /^2$/m],
  ["getAcl /cli", /^'world,'anyone\n: cdrwa$/m],
  ["addauth digest user:secret", /^/],
  ["setAcl /cli/child auth::r", /^/],
  ["getAcl /cli/child", /^'digest,'user:x\n: r$/m],
  ["set /cli/child y", /^Insufficient permission : \/cli\/child$/m],
  ["setquota -n 3 /cli", /^/],
  ["listquota /cli", /^Output quota for \/cli [^\n]*count=3/m],
  ["delquota /cli", /^/],
  ["sync /", /^Sync is OK$/m],
  ["delete /cli", /^Node not empty: \/cli$/m],
  ["deleteall /cli", /^/],
  ["get /cli", /^Node does not exist: \/cli$/m],
];

export async function proveCommandLine(connectString: string): Promise<void> {
  const input = CONVERSATION.map(([command]) => `${command}\n`).join("");
  // It complains on stderr and leaves with the last command's code; one pipe keeps the order of what it says.
  const { stdout } = await execa("/bin/sh", ["-c", 'exec "$0" -server "$1" 2>&1', PROGRAM, connectString], {
    input: `${input}quit\n`,
    reject: false,
    timeout: 60_000,
  });
  let said = stdout;
  for (const [command, answer] of CONVERSATION) {
    const found = answer.exec(said);
    assert.ok(found !== null, `${command}: expected ${answer} in\n${said}`);
    said = said.slice(found.index + found[0].length);
  }
}
