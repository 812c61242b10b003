/**
 * Which machine wants which multicast group, learned as a switch learns it: by listening to the reports with
 * which every kernel says so (IGMP, RFC 3376 and 2236) when a first socket joins and a last one leaves, also
 * when its process is killed. Who has not joined gets nothing, and nothing is lost on its way.
 *
 *   machine p2 --"I join 239.7.7.7"--> plane       and from then on       239.7.7.7 --> p2
 *
 * The groups 224.0.0.x are of one network each, and everybody's on it: machines need not say that they are
 * in.
 */

const IGMP = 2;
const REPORTED_BY_VERSION_1 = 0x12;
const REPORTED_BY_VERSION_2 = 0x16;
const LEFT_BY_VERSION_2 = 0x17;
const REPORTED_BY_VERSION_3 = 0x22;
/** Of a version 3 record: only the sources that follow are wanted, from now on or as before. */
const INCLUDES = [1, 3];
/** All sources but those that follow. */
const EXCLUDES = [2, 4];
/** These sources too. */
const ALLOWS = 5;

export class Memberships {
  /** By address: the machines that are in. */
  readonly #groups = new Map<number, Set<number>>();

  /** Whether the packet was a report; whoever carries packets keeps it to himself. */
  heard(machine: number, packet: Uint8Array): boolean {
    if (packet[9] !== IGMP) return false;
    const report = packet.subarray(((packet[0] ?? 0) & 15) * 4);
    switch (report[0] ?? 0) {
      case REPORTED_BY_VERSION_1:
      case REPORTED_BY_VERSION_2:
        this.#set(machine, groupAt(report, 4), true);
        break;
      case LEFT_BY_VERSION_2:
        this.#set(machine, groupAt(report, 4), false);
        break;
      case REPORTED_BY_VERSION_3:
        this.#records(machine, report);
        break;
    }
    return true;
  }

  /** Its device is a new one, and with the old one all that it had joined went. */
  forget(machine: number): void {
    for (const machines of this.#groups.values()) machines.delete(machine);
  }

  /** Whether a packet to this group is for the machine. */
  has(machine: number, group: number): boolean {
    return isOfOneNetwork(group) || (this.#groups.get(group)?.has(machine) ?? false);
  }

  #records(machine: number, report: Uint8Array): void {
    let at = 8;
    for (let left = pair(report, 6); left > 0 && at + 8 <= report.length; left--) {
      const kind = report[at] as number;
      const sources = pair(report, at + 2);
      const group = groupAt(report, at + 4);
      if (INCLUDES.includes(kind)) this.#set(machine, group, sources > 0);
      else if (EXCLUDES.includes(kind) || kind === ALLOWS) this.#set(machine, group, true);
      at += 8 + 4 * sources + 4 * (report[at + 1] as number);
    }
  }

  #set(machine: number, group: number, isIn: boolean): void {
    const machines = this.#groups.get(group) ?? new Set();
    if (isIn) machines.add(machine);
    else machines.delete(machine);
    if (machines.size > 0) this.#groups.set(group, machines);
    else this.#groups.delete(group);
  }
}

/** The address whose four bytes begin here, as a number. */
export const groupAt = (bytes: Uint8Array, at: number): number =>
  pair(bytes, at) * 0x1_0000 + pair(bytes, at + 2);

const pair = (bytes: Uint8Array, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);

/** 224.0.0.x */
const isOfOneNetwork = (group: number): boolean => group >>> 8 === 0xe0_0000;
