import { utf8Bytes, utf8String } from "./utf8.ts";
import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";

test("writes what the platform writes", () => {
  const anything = fc.string({ unit: "binary" });
  fc.assert(
    fc.property(anything, (text) => deepEqual([...utf8Bytes(text)], [...new TextEncoder().encode(text)])),
  );
  deepEqual([...utf8Bytes("\ud800")], [0xef, 0xbf, 0xbd], "a lone surrogate");
});

test("reads what the platform reads, and refuses what it refuses", () => {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const platform = (bytes: Uint8Array): string | null => {
    try {
      return strict.decode(bytes);
    } catch {
      return null;
    }
  };
  const likely = fc.constantFrom(
    0x00,
    0x41,
    0x7f,
    0x80,
    0x9f,
    0xa0,
    0xbf,
    0xc1,
    0xc2,
    0xe0,
    0xed,
    0xef,
    0xf0,
    0xf4,
    0xf5,
  );
  const bytes = fc.array(fc.oneof(likely, fc.integer({ min: 0, max: 255 })), { maxLength: 6 });
  fc.assert(
    fc.property(bytes, (some) => equal(utf8String(Uint8Array.from(some)), platform(Uint8Array.from(some)))),
    { numRuns: 5000 },
  );
});
