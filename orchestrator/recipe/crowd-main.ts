/**
 * A thousand members of one election in one process, each with a session of its own:
 *
 *   node crowd-main.ts <recipe> <servers> <root> <count> <session timeout ms>
 *
 * Prints `all stand` when each knows who leads, and ends the leader at every line that it reads; then `led`.
 */

import { once } from "node:events";
import { createInterface } from "node:readline";
import { Election, PriorityElection, type Takeover } from "#node/recipe/recipe.ts";

const [recipe = "", servers = "", root = "", count = "", timeout = ""] = process.argv.slice(2);
const all = new Map<string, Election | PriorityElection>();
const knows = new Set<string>();
let isTold = false;

function led(id: string, by: string): void {
  knows.add(id);
  if (!isTold && knows.size === Number(count)) {
    isTold = true;
    console.log("all stand");
  } else if (isTold && id === by) console.log("led");
}

for (let index = 1; index <= Number(count); index++) {
  const id = `m${index}`;
  const candidature = { servers, path: root, id, timeout: Number(timeout) };
  if (recipe === "priority") {
    const lead = async ({ signal }: Takeover): Promise<void> => {
      if (!signal.aborted) await once(signal, "abort");
    };
    const member = new PriorityElection({ ...candidature, site: "here", lead });
    all.set(
      id,
      member.on("led", ({ by }) => led(id, by)),
    );
  } else {
    const wakes = recipe === "herd" ? "all" : "next";
    const member = new Election({ ...candidature, wakes });
    member.on("led", ({ by }) => led(id, by)).on("elected", () => led(id, id));
    all.set(id, member);
  }
}

createInterface({ input: process.stdin }).on("line", () => {
  const [id, leader] = [...all].find(([, each]) => each.leads) ?? [];
  if (id !== undefined) all.delete(id);
  void leader?.leave();
});
