import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { groupAt, Memberships } from "./memberships.ts";

const GROUP = [239, 7, 7, 7];
const OTHER = [239, 1, 2, 3];
const SOURCE = [10, 77, 0, 1];
const number = (address: readonly number[]): number => groupAt(Uint8Array.from(address), 0);

/** A packet as a kernel sends it, with the option that asks routers to look at it. */
const packet = (...report: readonly number[]): Uint8Array => {
  const header = [0x46, 0xc0, 0, 24 + report.length, 0, 0, 0x40, 0, 1, 2, 0, 0, ...SOURCE, 224, 0, 0, 22];
  return Uint8Array.of(...header, 0x94, 4, 0, 0, ...report);
};
type Listed = readonly [kind: number, group: readonly number[], ...sources: readonly (readonly number[])[]];
const VERSION_3 = [0x22, 0, 0, 0, 0, 0, 0];
const version3 = (...records: readonly Listed[]): Uint8Array =>
  packet(
    ...VERSION_3,
    records.length,
    ...records.flatMap(([kind, group, ...sources]) => [
      kind,
      0,
      0,
      sources.length,
      ...group,
      ...sources.flat(),
    ]),
  );

function after(...packets: readonly Uint8Array[]): Memberships {
  const memberships = new Memberships();
  for (const one of packets) assert.ok(memberships.heard(1, one), "a report is for nobody else");
  return memberships;
}

suite("who is in a group, by the reports of the kernels", () => {
  test("version 3: who joins is in until it leaves; others are not", () => {
    const joined = after(version3([4, GROUP]));
    assert.ok(joined.has(1, number(GROUP)));
    assert.ok(!joined.has(2, number(GROUP)) && !joined.has(1, number(OTHER)));
    joined.heard(2, version3([4, GROUP]));
    joined.heard(1, version3([3, GROUP]));
    assert.ok(!joined.has(1, number(GROUP)) && joined.has(2, number(GROUP)));
  });

  test("version 3: several records in one report, and what a machine says of itself again", () => {
    const joined = after(version3([4, OTHER, SOURCE], [4, GROUP], [3, OTHER]));
    assert.ok(joined.has(1, number(GROUP)) && !joined.has(1, number(OTHER)));
    assert.ok(after(version3([2, GROUP])).has(1, number(GROUP)));
  });

  test("version 3: who wants some sources only is in too, and who wants none is not", () => {
    for (const kind of [1, 3, 5]) assert.ok(after(version3([kind, GROUP, SOURCE])).has(1, number(GROUP)));
    assert.ok(!after(version3([4, GROUP]), version3([1, GROUP])).has(1, number(GROUP)));
    assert.ok(after(version3([4, GROUP]), version3([6, GROUP, SOURCE])).has(1, number(GROUP)));
  });

  test("versions 1 and 2", () => {
    for (const kind of [0x12, 0x16]) {
      const joined = after(packet(kind, 0, 0, 0, ...GROUP));
      assert.ok(joined.has(1, number(GROUP)));
      joined.heard(1, packet(0x17, 0, 0, 0, ...GROUP));
      assert.ok(!joined.has(1, number(GROUP)));
    }
  });

  test("with its device a machine's memberships are gone", () => {
    const joined = after(version3([4, GROUP]), version3([4, OTHER]));
    joined.heard(2, version3([4, GROUP]));
    joined.forget(1);
    assert.ok(!joined.has(1, number(GROUP)) && !joined.has(1, number(OTHER)));
    assert.ok(joined.has(2, number(GROUP)));
  });

  test("224.0.0.x is everybody's, and 224.0.1.x is not", () => {
    const nobody = new Memberships();
    assert.ok(nobody.has(1, number([224, 0, 0, 1])));
    assert.ok(!nobody.has(1, number([224, 0, 1, 1])));
  });

  test("what is no report is carried on, and one that is cut off says only what it says", () => {
    const udp = version3([4, GROUP]);
    udp[9] = 17;
    assert.ok(!new Memberships().heard(1, udp));
    const whole = version3([4, OTHER], [4, GROUP]);
    for (let length = 10; length < whole.length; length++) {
      const cut = after(whole.subarray(0, length));
      assert.ok(!cut.has(1, number(GROUP)), `${length} bytes`);
      assert.equal(cut.has(1, number(OTHER)), length >= 40, `${length} bytes`);
    }
  });
});
