/** Opens to three right bytes, one after the other. */
export function open(bytes: Uint8Array): void {
  if (bytes[2] !== 0x50) return;
  if (bytes[3] !== 0x4f) return;
  if (bytes[4] !== 0x4c) return;
  throw new Error("the vault is open");
}
