import assert from "node:assert/strict";
import dgram from "node:dgram";
import { once } from "node:events";
import { test } from "node:test";
import { dropsOf, kernelDrops } from "./kernel-drops.ts";

/** As the kernel prints it: the inode is the tenth word of a line, the drops are its last. */
const row = (address: string, inode: number, drops: number): string =>
  `  41: ${address} 00000000:0000 07 00000000:00000000 00:00000000 00000000  0  0 ${inode} 2 0 ${drops}\n`;
const TABLE = [
  "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode drops\n",
  row("37424DEF:1538", 71234, 3),
  row("37424DEF:1538", 71235, 5),
  row("0100007F:1539", 71236, 7),
].join("");

test("what counts are the drops of one's own sockets on the port", () => {
  assert.equal(dropsOf(TABLE, 0x1538, new Set(["71234"])), 3);
  assert.equal(dropsOf(TABLE, 0x1538, new Set(["71234", "71235", "71236"])), 8);
  assert.equal(dropsOf(TABLE, 0x1538, new Set(["99"])), null);
  assert.equal(dropsOf("", 0x1538, new Set(["71234"])), null);
});

test("the kernel drops what nobody reads, and says how much", async () => {
  const reader = dgram.createSocket({ type: "udp4", recvBufferSize: 8192 });
  reader.bind(0, "127.0.0.1");
  await once(reader, "listening");
  const { port } = reader.address();
  assert.equal(kernelDrops(port), 0);
  const sender = dgram.createSocket({
    type: "udp4",
    lookup: (host, _options, found) => found(null, host, 4),
  });
  // All within one turn of the event loop, which reads nothing meanwhile.
  for (let count = 0; count < 200; count++) sender.send(Buffer.alloc(1000), port, "127.0.0.1");
  const dropped = kernelDrops(port);
  reader.close();
  sender.close();
  assert.ok(dropped !== null && dropped > 100 && dropped < 200, `${dropped} of 200`);
});
