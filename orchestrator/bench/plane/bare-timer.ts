/**
 * How late this machine wakes the most urgent of all processes that asked for nothing but the time: a program
 * of its own, in the plane's place and with its priority. No plane, and no kernel's netem either, is nearer.
 */

import { addressOf, ppoll, urgent } from "../../testbed/network/libc.ts";

const NAPS = 20_000;
/** Microseconds; about what lies between two packets of the certificate. */
const SHORTEST = 200;
const LONGEST = 800;

urgent("carrier");
const timeout = new Int32Array(4);
const address = addressOf(timeout);
const late = new Float64Array(NAPS);
for (let nap = 0; nap < NAPS; nap++) {
  const wanted = SHORTEST + ((nap * 7919) % (LONGEST - SHORTEST));
  timeout[2] = wanted * 1000;
  const since = performance.now();
  ppoll(0, 0, address, 0);
  late[nap] = (performance.now() - since) * 1000 - wanted;
}
console.log(JSON.stringify([...late]));
