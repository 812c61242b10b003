import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import tls from "node:tls";
import { ClientListener } from "./client-listener.ts";

test("clients speak TLS where there is a certificate; one who does not is dropped", async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "polebench-client-tls-"));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const [key, cert] = [path.join(folder, "key"), path.join(folder, "cert")];
  const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  execFileSync("openssl", [...request, "-keyout", key, "-out", cert, "-subj", "/CN=localhost"], {
    stdio: "ignore",
  });
  const [certPem, keyPem] = [fs.readFileSync(cert, "utf8"), fs.readFileSync(key, "utf8")];
  let opened = 0;
  const listener: ClientListener = await ClientListener.open(
    {
      opened: () => (opened += 1),
      received: (client, bytes) => listener.send(client, bytes),
      wrote: () => {},
      closed: () => {},
    },
    { address: { host: "127.0.0.1", port: 0 }, tls: { cert: certPem, key: keyPem } },
  );
  t.after(() => listener.stop());

  const plain = net.connect({ host: "127.0.0.1", port: listener.port });
  const dropped = new Promise((resolve) => plain.once("close", resolve));
  plain.on("error", () => {}).write("ruok ruok");
  await dropped;
  assert.equal(opened, 0);

  const client = tls.connect({
    port: listener.port,
    host: "127.0.0.1",
    ca: certPem,
    servername: "localhost",
  });
  client.write("hello");
  const echo = await new Promise((resolve) => client.once("data", resolve));
  assert.equal(String(echo), "hello");
  client.destroy();
});
