import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import { Random } from "#node/core/random.ts";
import { agreement, PlayedServer } from "../workload/load/played-server.ts";
import type { Entry } from "../check/history.ts";
import { TortureSession } from "./session.ts";

/** Says yes to whatever it is asked, and hangs up. */
class Agreeable extends PlayedServer {
  constructor() {
    super(Uint8Array.of(0, 0, 0, 1, 0, 0, 0, 2), 30_000);
  }

  protected override answer(socket: Socket, request: Buffer): void {
    socket.end(agreement(request));
  }
}

test("a session that is opened only to be closed is over once a server says so", async (t) => {
  await using server = await new Agreeable().listen("127.0.0.1", 0);
  const history: Entry[] = [];
  const session = new TortureSession(
    [{ host: "127.0.0.1", clientPort: server.port }],
    4000,
    new Random(1),
    history,
  );
  t.after(() => session.stop());
  assert.equal(await session.close(), true);
  assert.deepEqual(
    history.map((entry) => entry.kind === "end" && entry.session),
    ["0000000100000002"],
  );
});
