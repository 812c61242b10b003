/**
 * The data of all znodes, packed.
 *
 * A Uint8Array of its own costs about 200 bytes before its first byte, and a view of the frame that a value
 * came in keeps the whole frame. So small values lie side by side in slabs, each slab cut into slots of one
 * size; a value takes the smallest slot that holds it, at most a fourth larger than itself (sixteen bytes for
 * short ones), and a freed slot is used again by the next value of its size. Values beyond 16 KiB have an
 * array of their own, and lose nothing by it.
 */

const SLAB_BYTES = 1 << 18;
/** What is larger has an array of its own. */
export const LARGEST_SLOT = 1 << 14;

interface SizeClass {
  readonly slot: number;
  readonly perSlab: number;
  readonly slabs: Uint8Array[];
  readonly free: number[];
  used: number;
}

export class DataStore {
  readonly #classes: SizeClass[] = slotSizes().map((slot) => ({
    slot,
    perSlab: Math.floor(SLAB_BYTES / slot),
    slabs: [],
    free: [],
    used: 0,
  }));
  readonly #large: (Uint8Array | null)[] = [];
  readonly #largeFree: number[] = [];

  /** Copies the bytes in; the handle names them together with their length. */
  put(bytes: Uint8Array): number {
    if (bytes.length === 0) return 0;
    if (bytes.length > LARGEST_SLOT) {
      const handle = this.#largeFree.pop() ?? this.#large.length;
      this.#large[handle] = bytes.slice();
      return handle;
    }
    const sizeClass = this.#classOf(bytes.length);
    const handle = sizeClass.free.pop() ?? sizeClass.used++;
    if (handle === sizeClass.slabs.length * sizeClass.perSlab)
      sizeClass.slabs.push(new Uint8Array(SLAB_BYTES));
    slotOf(sizeClass, handle, bytes.length).set(bytes);
    return handle;
  }

  /** A view, good until the next change; an array of its own for ever, for it is never written to again. */
  get(handle: number, length: number): Uint8Array {
    if (length === 0) return NOTHING;
    if (length > LARGEST_SLOT) return this.#large[handle] as Uint8Array;
    return slotOf(this.#classOf(length), handle, length);
  }

  free(handle: number, length: number): void {
    if (length === 0) return;
    if (length > LARGEST_SLOT) {
      this.#large[handle] = null;
      this.#largeFree.push(handle);
    } else this.#classOf(length).free.push(handle);
  }

  #classOf(length: number): SizeClass {
    return this.#classes[classIndex(length)] as SizeClass;
  }
}

function slotOf({ slot, perSlab, slabs }: SizeClass, handle: number, length: number): Uint8Array {
  const offset = (handle % perSlab) * slot;
  return (slabs[Math.floor(handle / perSlab)] as Uint8Array).subarray(offset, offset + length);
}

/** 16, 32, ... 128, then four steps to each power of two: 160, 192, 224, 256, 320, ... */
function slotSizes(): number[] {
  const sizes = [16, 32, 48, 64, 80, 96, 112, 128];
  for (let base = 128; base < LARGEST_SLOT; base *= 2) {
    for (let quarter = 5; quarter <= 8; quarter++) sizes.push((base / 4) * quarter);
  }
  return sizes;
}

function classIndex(length: number): number {
  if (length <= 128) return (length - 1) >> 4;
  const power = 31 - Math.clz32(length - 1);
  return 8 + (power - 7) * 4 + (((length - 1) >> (power - 2)) & 3);
}

const NOTHING = new Uint8Array(0);
