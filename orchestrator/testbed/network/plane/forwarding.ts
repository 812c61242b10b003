/**
 * Packets in, packets out: reads what the machines send, asks the way when it is due, keeps it in the slab
 * and its time in the agenda, and writes it to its destination then. Knows no clock and no control channel;
 * `main.ts` turns the crank.
 */

import { assert } from "#node/core/assert.ts";
import { Random } from "#node/core/random.ts";
import type { LinkShape } from "../../../topology/topology.ts";
import { addressOf, close, read, write } from "../libc.ts";
import { isPlain, NEUTRAL } from "../network.ts";
import { Agenda } from "./agenda.ts";
import { machineOfAddress, type PlaneSettings } from "./control.ts";
import { Forgetting } from "./forgetting.ts";
import { groupAt, Memberships } from "./memberships.ts";
import { LARGEST_PACKET, NO_SLOT, Slab, SLOTS, SMALL_PACKET } from "./slab.ts";
import { isChecksumLeft, OFFLOAD_HEADER, offload } from "./tun.ts";
import { LOST, NO_BIT, Way } from "./way.ts";

/** Packets of one machine read in a row, and delivered in a row, before the others have their turn. */
const BATCH = 64;
/** Later than this is counted as late, or as very late, in microseconds. */
const LATE = 1000;
const VERY_LATE = 2000;

export class Forwarding {
  collected = 0;
  delivered = 0;
  late = 0;
  veryLate = 0;
  /** The most that anything was late by, in microseconds. */
  latest = 0;
  unroutable = 0;
  /** Microseconds by which everything is delivered early. */
  compensation = 0;
  #forgetting: Forgetting | null = null;
  readonly #memberships = new Memberships();
  readonly #settings: PlaneSettings;
  readonly #slab = new Slab();
  readonly #address = addressOf(this.#slab.bytes);
  readonly #agenda = new Agenda(SLOTS);
  readonly #devices: Int32Array;
  readonly #ways: Way[] = [];
  readonly #shapes: LinkShape[] = [];
  readonly #random: Random;
  /** Of each slot in use: the way it is on, that way's generation when it entered, and when it is due. */
  readonly #wayOf = new Int32Array(SLOTS);
  readonly #generationOf = new Int32Array(SLOTS);
  readonly #dueOf = new Float64Array(SLOTS);
  #staging = this.#slab.take(LARGEST_PACKET);

  constructor(settings: PlaneSettings) {
    this.#settings = settings;
    this.#random = new Random(settings.seed);
    this.#devices = new Int32Array(settings.machines).fill(-1);
    for (let index = 0; index < settings.machines ** 2; index++) {
      this.#ways.push(new Way(NEUTRAL, settings.ordered, this.#random.fork()));
      this.#shapes.push(NEUTRAL);
    }
  }

  /** When something is due next, in microseconds; Infinity when nothing is under way. */
  get nextDue(): number {
    return this.#agenda.first - this.compensation;
  }

  way(from: number, to: number): Way {
    const way = this.#ways[from * this.#settings.machines + to];
    assert(way !== undefined, `no way from ${from} to ${to}`);
    return way;
  }

  shape(from: number, to: number, shape: LinkShape): void {
    this.way(from, to).shape(shape);
    this.#shapes[from * this.#settings.machines + to] = shape;
    this.#setOffload(from);
  }

  /** Of their connections one is forgotten, from when it speaks next. */
  forget(from: number, to: number, which: "bulk" | "any", now: number): void {
    this.#forgetting ??= new Forgetting();
    this.#forgetting.forget(from, to, which, now);
  }

  attach(machine: number, device: number): void {
    const before = this.#devices[machine] as number;
    if (before >= 0) close(before);
    this.#devices[machine] = device;
    this.#memberships.forget(machine);
    this.#setOffload(machine);
  }

  /** Reads what machine `from` has sent, up to a batch; it arrived at `now`. */
  collect(from: number, now: number): void {
    const device = this.#devices[from] as number;
    for (let count = 0; count < BATCH; count++) {
      const length = read(device, this.#address + this.#slab.offset(this.#staging), LARGEST_PACKET);
      if (length <= 0) return;
      this.collected += 1;
      this.#slab.length[this.#staging] = length;
      this.#route(from, length, now);
    }
  }

  /** Delivers what is due within `lead`, up to a batch. */
  deliver(now: number, lead: number): void {
    for (let count = 0; count < BATCH && this.nextDue <= now + lead; count++) {
      const slot = this.#agenda.take();
      const index = this.#wayOf[slot] as number;
      const way = this.#ways[index] as Way;
      if (way.generation === this.#generationOf[slot]) {
        const device = this.#devices[index % this.#settings.machines] as number;
        write(device, this.#address + this.#slab.offset(slot), this.#slab.length[slot] as number);
        way.counters.delivered += 1;
        this.delivered += 1;
        const late = now - (this.#dueOf[slot] as number);
        if (late > LATE) this.late += 1;
        if (late > VERY_LATE) this.veryLate += 1;
        if (late > this.latest) this.latest = late;
      } else way.counters.cut += 1;
      this.#slab.release(slot);
    }
  }

  #route(from: number, length: number, now: number): void {
    const packet = this.#slab.offset(this.#staging) + OFFLOAD_HEADER;
    const { bytes } = this.#slab;
    if ((bytes[packet] as number) >> 4 !== 4) {
      this.unroutable += 1;
      return;
    }
    const isMulticast = (bytes[packet + 16] as number) >> 4 === 14;
    if (isMulticast) {
      this.#toGroup(from, groupAt(bytes, packet + 16), length, now);
      return;
    }
    const to = machineOfAddress(bytes[packet + 18] as number, bytes[packet + 19] as number);
    if (to < 0 || to >= this.#settings.machines || (this.#devices[to] as number) < 0) this.unroutable += 1;
    else this.#send(from, to, length, now, this.#random.unit(), false);
  }

  #toGroup(from: number, group: number, length: number, now: number): void {
    if (this.#memberships.heard(from, this.#packet(length))) return;
    const luck = this.#multicastLuck();
    for (let to = 0; to < this.#settings.machines; to++) {
      if (to !== from && this.#memberships.has(to, group)) this.#send(from, to, length, now, luck(), true);
    }
  }

  /**
   * Of each receiver of one multicast: it is lost to those whose luck is below what their way loses. What is
   * lost for all is below the shared part of that; else each draws from the rest.
   */
  #multicastLuck(): () => number {
    const { multicastLoss } = this.#settings;
    const own = (): number => this.#random.unit();
    if (multicastLoss === "independent") return own;
    const ofAll = own();
    if (multicastLoss === "shared" || ofAll < multicastLoss) return () => ofAll;
    return () => multicastLoss + (1 - multicastLoss) * own();
  }

  /** Puts the staged packet on its way. */
  #send(from: number, to: number, length: number, now: number, luck: number, keep: boolean): void {
    const index = from * this.#settings.machines + to;
    const way = this.#ways[index] as Way;
    if (this.#forgetting !== null && this.#forgetting.swallows(from, to, this.#packet(length), now)) {
      way.counters.cut += 1;
      return;
    }
    const due = way.enter(now, length - OFFLOAD_HEADER, luck);
    if (due === LOST) return;
    if (way.isTwice()) this.#enter(this.#slab.copy(this.#staging), index, due);
    const bit = way.wrongBit(length - OFFLOAD_HEADER);
    const isSpoilt = bit !== NO_BIT && !isChecksumLeft(this.#slab.bytes, this.#slab.offset(this.#staging));
    const slot = keep || length <= SMALL_PACKET ? this.#slab.copy(this.#staging) : this.#staged();
    if (isSpoilt && slot !== NO_SLOT) this.#flip(slot, bit);
    this.#enter(slot, index, due);
  }

  /** What is staged, as IP has it. */
  #packet(length: number): Uint8Array {
    const start = this.#slab.offset(this.#staging);
    return this.#slab.bytes.subarray(start + OFFLOAD_HEADER, start + length);
  }

  /** Only in what goes this way: others may get the same packet as it is. */
  #flip(slot: number, bit: number): void {
    const at = this.#slab.offset(slot) + OFFLOAD_HEADER + (bit >> 3);
    this.#slab.bytes[at] = (this.#slab.bytes[at] as number) ^ (1 << (bit & 7));
  }

  #enter(slot: number, index: number, due: number): void {
    const way = this.#ways[index] as Way;
    if (slot === NO_SLOT) {
      way.counters.overflowed += 1;
      return;
    }
    this.#wayOf[slot] = index;
    this.#generationOf[slot] = way.generation;
    this.#dueOf[slot] = due;
    this.#agenda.add(due, slot);
  }

  /** The staged packet itself, another slot taking its place: nothing large is ever copied. */
  #staged(): number {
    const next = this.#slab.take(LARGEST_PACKET);
    if (next === NO_SLOT) return NO_SLOT;
    const slot = this.#staging;
    this.#staging = next;
    return slot;
  }

  /** Whole segments, and checksums left undone, only where every way out of the machine is plain. */
  #setOffload(machine: number): void {
    const device = this.#devices[machine] as number;
    if (device < 0) return;
    const { machines, offloads } = this.#settings;
    const out = this.#shapes.slice(machine * machines, (machine + 1) * machines);
    offload(device, offloads && out.every(isPlain) ? "whole segments" : "nothing");
  }
}
