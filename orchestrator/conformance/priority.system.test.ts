// lane: waits, 20 s
// The operator's command at our servers and at Apache's, about members that really stand there.
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, suite, test } from "node:test";
import { connect, PriorityElection } from "#node/recipe/recipe.ts";
import { runPriority } from "#node/recipe/priority-command.ts";
import { CONFORMING } from "./conforming.ts";
import { type Ensemble, startEnsemble } from "../system/ensemble.ts";

for (const system of CONFORMING) {
  suite(`polebench priority at ${system.name}`, { skip: system.missing() ?? false }, () => {
    let ensemble: Ensemble;
    let members: PriorityElection[] = [];
    const sites = { a: "amsterdam", b: "amsterdam", c: "berlin" };

    /** What it printed, and its exit code. */
    async function say(words: string): Promise<[code: number, printed: string]> {
      const lines: string[] = [];
      const print = (line: string): void => void lines.push(line);
      const args = [...words.split(" "), "--connect", ensemble.connectString];
      const code = await runPriority(args, { out: print, err: print });
      return [code, lines.join("\n")];
    }

    before(async () => {
      ensemble = await startEnsemble(system, 3);
      for (const [id, site] of Object.entries(sites)) {
        const member = new PriorityElection({
          servers: ensemble.connectString,
          path: "/cluster",
          id,
          site,
          lead: async ({ signal }) => {
            if (!signal.aborted) await once(signal, "abort");
          },
        });
        members.push(member);
        await once(member, "led");
      }
    });

    after(async () => {
      await Promise.all(members.map(async (member) => member.leave()));
      members = [];
      await ensemble[Symbol.asyncDispose]();
    });

    test("status: who stands, leads and elects", async () => {
      const [code, printed] = await say("status");
      assert.equal(code, 0, printed);
      assert.match(printed, /^a leads in term 1\na is elected in term 1\nlast ready: a at amsterdam/);
      assert.match(
        printed,
        /a {2}amsterdam {2}score 0 {2}elector\n {2}b {2}amsterdam {2}score 0\n {2}c {2}berlin/,
      );
      const [, json] = await say("status --json");
      assert.equal((JSON.parse(json) as { term: number }).term, 1);
    });

    test("transfer: another leads, when it is ready", async () => {
      const [code, printed] = await say("transfer b");
      assert.equal(code, 0, printed);
      assert.match(printed, /^b leads in term 2, after \d+\.\d\d s$/);
      assert.match((await say("transfer x"))[1], /x does not stand: a, b, c do/);
    });

    test("maintain: leadership leaves a site without a failure, and transfer there is refused", async () => {
      const led = once(members[2] ?? assert.fail("there is no third"), "led");
      const [code, printed] = await say("maintain amsterdam");
      assert.equal(code, 0, printed);
      assert.match(printed, /maintain: amsterdam/);
      await led;
      await until(async () => (await say("status"))[1].startsWith("c leads"));
      const [refused, why] = await say("transfer a");
      assert.equal(refused, 1);
      assert.match(why, /a may not lead: its site amsterdam is under maintenance/);
    });

    test("exclude: nobody is left, which is said; taken back, they lead", async () => {
      await say("exclude c");
      await until(async () => (await say("status"))[1].startsWith("nobody leads\nnobody is elected"));
      await say("maintain amsterdam --undo");
      await until(async () => (await say("status"))[1].startsWith("a leads"));
    });

    test("prefer: whoever is preferred leads", async () => {
      await say("prefer b");
      await until(async () => (await say("status"))[1].startsWith("b leads"));
    });

    test("a wish about somebody who is not there is taken, and it is said", async () => {
      for (const [wish, told] of [
        ["maintain atlantis", /^maintain: atlantis\nnobody who stands is at "atlantis"/m],
        ["exclude amsterdam", /^nobody who stands is called "amsterdam"/m],
        ["prefer berlin z", /^nobody who stands is called or is at "z"/m],
      ] as const) {
        const [code, printed] = await say(wish);
        assert.equal(code, 0, printed);
        assert.match(printed, told);
        assert.equal((await say(`${wish} --undo`))[0], 0);
      }
    });

    test("prefer who did not take over: that it is passed over is told; transfer asks it", async () => {
      let isWell = false;
      const standing = (id: string): PriorityElection =>
        new PriorityElection({
          servers: ensemble.connectString,
          path: "/unwell",
          id,
          site: "here",
          takeOver: async () => {
            if (id === "first" && !isWell) await Promise.reject(new Error("it is not well"));
          },
          lead: async ({ signal }) => {
            if (!signal.aborted) await once(signal, "abort");
          },
        });
      const at = "--path /unwell";
      await using stack = new AsyncDisposableStack();
      for (const id of ["first", "second"]) {
        const member = stack.adopt(standing(id), async (each) => each.leave());
        if (id === "first") await once(member, "failed");
      }
      await until(async () => (await say(`status ${at}`))[1].startsWith("second leads"));
      const [code, printed] = await say(`prefer first ${at}`);
      assert.equal(code, 0, printed);
      assert.match(printed, /^first did not take over when it was to: it is passed over/m);
      isWell = true;
      assert.match((await say(`transfer first ${at}`))[1], /^first leads in term/);
    });

    test("where nobody ever stood, and where another program wrote: it says so", async () => {
      const [absent, told] = await say("status --path /elsewhere");
      assert.equal(absent, 1);
      assert.match(told, /\/elsewhere\/leader\/elected is not there: no member ever stood here; see --path/);
      const client = await connect(ensemble.connectString);
      await client.createAll("/spoilt/leader");
      await client.create("/spoilt/leader/elected", "hello");
      await client.close();
      const [spoilt, where] = await say("status --path /spoilt");
      assert.equal(spoilt, 1);
      assert.match(
        where,
        /\/spoilt\/leader\/elected was written by another program: set it to \{"member":null/,
      );
      assert.equal((await say("transfer"))[0], 64);
      assert.equal((await say("status --path nonsense"))[0], 64);
    });
  });
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 30_000;
  while (!(await condition())) assert.ok(Date.now() < end, "not within 30 s");
}
