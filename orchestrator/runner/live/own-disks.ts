/** The servers' own disks, in trials in which one of them stands still. */

import type { ServerId } from "#node/core/identity.ts";
import type { ServicePlan } from "../../plan/plan.ts";
import { homeOf } from "../../system/system.ts";
import { OwnDisk } from "../../testbed/own-disk.ts";

export class OwnDisks implements AsyncDisposable {
  readonly #disks: ReadonlyMap<ServerId, OwnDisk>;
  readonly #stack: AsyncDisposableStack;

  private constructor(disks: ReadonlyMap<ServerId, OwnDisk>, stack: AsyncDisposableStack) {
    this.#disks = disks;
    this.#stack = stack;
  }

  /** All servers have one where the plan asks it of any; else none has. */
  static async of({ topology, faults }: ServicePlan, folder: string): Promise<OwnDisks> {
    await using stack = new AsyncDisposableStack();
    const disks = new Map<ServerId, OwnDisk>();
    if (faults.some(({ fault }) => fault.kind === "disk-stuck")) {
      for (const server of topology.servers.keys())
        disks.set(server, stack.use(await OwnDisk.at(homeOf(folder, server))));
    }
    return new OwnDisks(disks, stack.move());
  }

  async hold(server: ServerId): Promise<void> {
    await this.#disks.get(server)?.hold();
  }

  async release(server: ServerId): Promise<void> {
    await this.#disks.get(server)?.release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}
