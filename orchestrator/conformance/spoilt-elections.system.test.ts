// lane: waits, 60 s
// What people and other programs do to elections that really stand at our servers and at Apache's: znodes
// that are spoilt, gone or forbidden, strategies that fail. Members tell where and what to do, nobody leads
// by mistake, and when it is mended somebody leads.
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Acl,
  type Client,
  connect,
  Election,
  OPEN,
  PriorityElection,
  type Strategy,
} from "#node/recipe/recipe.ts";
import { PERMISSION } from "#node/wire/client/acl.ts";
import { CONFORMING } from "./conforming.ts";
import { type Ensemble, startEnsemble } from "../system/ensemble.ts";

/** `0` nobody, or one of both. */
type Leaders = 0 | 1;

interface Trouble {
  /** Before anybody stands. */
  readonly given?: (client: Client, root: string) => Promise<unknown>;
  readonly done?: (client: Client, root: string) => Promise<unknown>;
  /** What one of them tells then; null: nothing. */
  readonly told: RegExp | null;
  readonly leaders: Leaders;
  readonly mended?: (client: Client, root: string) => Promise<unknown>;
  readonly strategy?: Strategy;
}

const STEADY_MS = 500;

interface Member {
  readonly leads: boolean;
  leave(): Promise<void>;
}

const NOBODY = JSON.stringify({ member: null, previous: null, excluded: [], handover: false, rounds: 0 });
/** For everybody, who may also change that. */
const only = (...permissions: (keyof typeof PERMISSION)[]): readonly Acl[] => {
  const sum = permissions.reduce<number>((all, each) => all + PERMISSION[each], PERMISSION.admin);
  return [{ permissions: sum, id: { scheme: "world", id: "anyone" } }];
};

/** An operator's wish; who elects has to write then. */
const excluded = async (client: Client, root: string, ...exclude: string[]): Promise<unknown> =>
  client.set(`${root}/policy`, JSON.stringify({ exclude, maintain: [], prefer: [] }));

/** Their znodes, behind their backs. */
async function removed(client: Client, parent: string, ids: string): Promise<void> {
  for (const name of await client.children(parent))
    if (ids.includes(name.slice(0, 1))) await client.delete(`${parent}/${name}`);
}

const PRIORITY: Readonly<Record<string, Trouble>> = {
  "elected is spoilt": {
    done: async (client, root) => client.set(`${root}/leader/elected`, "hello"),
    told: /is spoilt.*leader\/elected.*set it to/,
    leaders: 0,
    mended: async (client, root) => client.set(`${root}/leader/elected`, NOBODY),
  },
  "elected is deleted": {
    done: async (client, root) => client.delete(`${root}/leader/elected`),
    told: /is spoilt.*leader\/elected.*it was deleted: create it as/,
    leaders: 0,
    mended: async (client, root) => {
      await client.create(`${root}/leader/elected`, NOBODY);
      for (let time = 0; time < 3; time++) await client.set(`${root}/leader/elected`, NOBODY);
    },
  },
  "elected is made anew": {
    done: async (client, root) => {
      await client.multi([
        { kind: "delete", path: `${root}/leader/elected`, version: -1 },
        {
          kind: "create",
          path: `${root}/leader/elected`,
          data: Buffer.from(NOBODY),
          acl: OPEN,
          flags: 0,
          ttl: -1,
        },
      ]);
    },
    told: /is spoilt.*leader\/elected.*made anew and terms would fall/,
    leaders: 0,
    mended: async (client, root) => {
      for (let time = 0; time < 3; time++) await client.set(`${root}/leader/elected`, NOBODY);
    },
  },
  "current is spoilt": {
    done: async (client, root) => client.set(`${root}/leader/current`, "mine"),
    told: /is spoilt.*leader\/current.*delete it/,
    leaders: 0,
    mended: async (client, root) => client.delete(`${root}/leader/current`),
  },
  "current is deleted": {
    done: async (client, root) => client.delete(`${root}/leader/current`),
    told: null,
    leaders: 1,
  },
  "current is another program's before anybody stands": {
    given: async (client, root) => {
      await client.createAll(`${root}/leader`);
      await client.create(`${root}/leader/current`, "mine");
    },
    told: /is spoilt.*leader\/current.*delete it/,
    leaders: 0,
    mended: async (client, root) => client.delete(`${root}/leader/current`),
  },
  "the policy is spoilt": {
    done: async (client, root) => client.set(`${root}/policy`, "[]"),
    told: /is spoilt.*\/policy.*delete it/,
    leaders: 1,
    mended: async (client, root) => client.delete(`${root}/policy`),
  },
  "the policy is deleted": {
    done: async (client, root) => client.delete(`${root}/policy`),
    told: null,
    leaders: 1,
  },
  "the last leader's znode is spoilt": {
    done: async (client, root) => {
      await client.set(`${root}/leader/last`, "?");
      // The next elector reads it.
      await removed(client, `${root}/election`, "a");
    },
    told: /^b .*is spoilt.*leader\/last.*delete it/,
    leaders: 0,
    mended: async (client, root) => client.delete(`${root}/leader/last`),
  },
  "what the last leader left is deleted": {
    done: async (client, root) => {
      await client.delete(`${root}/leader/last`);
      await excluded(client, root, "a");
      const isNext = async (): Promise<boolean> => {
        const { data } = await client.get(`${root}/leader/current`);
        return /"b-.*READY/.test(Buffer.from(data).toString());
      };
      while (!(await isNext().catch(() => false))) await sleep(5);
    },
    told: null,
    leaders: 1,
  },
  "children of other programs": {
    done: async (client, root) => {
      for (const name of ["readme", "x-0000000000", "_c_7-latch-0000000007"]) {
        await client.create(`${root}/election/${name}`);
        await client.create(`${root}/nodes/${name}`);
        await client.create(`${root}/leader/${name}`);
      }
    },
    told: null,
    leaders: 1,
  },
  "the znodes of all who stand are deleted": {
    done: async (client, root) => removed(client, `${root}/election`, "ab"),
    told: /^a .*its znode is gone/,
    leaders: 1,
  },
  "nobody may write below leader": {
    done: async (client, root) => {
      await client.setAcl(`${root}/leader`, only("read"));
      await excluded(client, root, "a");
    },
    told: /is refused.*noAuth.*\/leader.*widen the ACL/,
    leaders: 0,
    mended: async (client, root) => client.setAcl(`${root}/leader`, OPEN),
  },
  "nobody may read elected": {
    done: async (client, root) => {
      await client.setAcl(`${root}/leader/elected`, only());
      await excluded(client, root, "a");
    },
    told: /is refused.*noAuth.*leader.*widen the ACL/,
    leaders: 0,
    mended: async (client, root) => client.setAcl(`${root}/leader/elected`, OPEN),
  },
  "nobody may stand": {
    given: async (client, root) => {
      await client.createAll(`${root}/election`);
      await client.createAll(`${root}/nodes`);
      await client.setAcl(`${root}/nodes`, only("read"));
    },
    told: /is refused.*noAuth.*\/nodes".*widen the ACL/,
    leaders: 0,
    mended: async (client, root) => client.setAcl(`${root}/nodes`, OPEN),
  },
  "all are excluded": {
    done: async (client, root) => excluded(client, root, "a", "b"),
    told: /finds nobody to lead.*\/policy.*none of a, b may lead.*take back/,
    leaders: 0,
    mended: async (client, root) => excluded(client, root),
  },
  "a strategy throws": {
    strategy: {
      preempts: false,
      choose: () => {
        throw new Error("no idea");
      },
    },
    told: /has a strategy that fails.*leader\/elected.*no idea.*mend the strategy/,
    leaders: 0,
  },
  "a strategy names somebody who is not there": {
    strategy: { preempts: false, choose: () => "p9" },
    told: /finds nobody to lead.*names p9, who may not lead.*it must name one of/,
    leaders: 0,
  },
};

const CHAIN: Readonly<Record<string, Trouble>> = {
  "another program stands before them": {
    given: async (client, root) => {
      await client.createAll(root);
      await client.create(`${root}/x-`, "", { mode: "persistentSequential" });
    },
    told: /is led by another program.*x-0000000000.*delete the znode/,
    leaders: 0,
    mended: async (client, root) => client.delete(`${root}/x-0000000000`),
  },
  "children without a number": {
    done: async (client, root) => client.create(`${root}/readme`),
    told: null,
    leaders: 1,
  },
  "the znodes of all who stand are deleted": {
    done: async (client, root) => removed(client, root, "ab"),
    told: /^a .*its znode is gone/,
    leaders: 1,
  },
  "nobody may stand": {
    given: async (client, root) => {
      await client.createAll(root);
      await client.setAcl(root, only("read"));
    },
    told: /is refused.*noAuth.*widen the ACL/,
    leaders: 0,
    mended: async (client, root) => client.setAcl(root, OPEN),
  },
  "nobody may see who stands": {
    given: async (client, root) => {
      await client.createAll(root);
      await client.setAcl(root, only("create", "delete"));
    },
    told: /is refused.*noAuth.*widen the ACL/,
    leaders: 0,
    mended: async (client, root) => client.setAcl(root, OPEN),
  },
  "a znode above goes with its session": {
    given: async (client, root) => client.create(root, "", { mode: "ephemeral" }),
    told: /is refused.*noChildrenForEphemerals.*elect elsewhere/,
    leaders: 0,
    mended: async (client, root) => client.delete(root),
  },
};

for (const system of CONFORMING) {
  suite(`elections that are spoilt, at ${system.name}`, { skip: system.missing() ?? false }, () => {
    let ensemble: Ensemble;
    let client: Client;
    let at = 0;
    let told: string[] = [];
    /** Who knows who leads. */
    const follows = new Set<string>();

    before(async () => {
      ensemble = await startEnsemble(system, 3);
      client = await connect(ensemble.connectString);
    });

    after(async () => {
      await client.close();
      await ensemble[Symbol.asyncDispose]();
    });

    const priority = (path: string, id: string, { strategy }: Trouble): Member =>
      new PriorityElection({
        servers: ensemble.connectString,
        path,
        id,
        site: id === "a" ? "amsterdam" : "berlin",
        ...(strategy !== undefined && { strategy }),
        lead: async ({ signal }) => {
          if (!signal.aborted) await once(signal, "abort");
        },
      })
        .on("told", (facts) => told.push(`${id} ${JSON.stringify(facts)}`))
        .on("led", () => follows.add(id));

    const chain = (path: string, id: string): Member =>
      new Election({ servers: ensemble.connectString, path, id })
        .on("told", (facts) => told.push(`${id} ${JSON.stringify(facts)}`))
        .on("led", () => follows.add(id));

    for (const [kind, troubles, make] of [
      ["priority", PRIORITY, priority],
      ["chain", CHAIN, chain],
    ] as const) {
      for (const [name, trouble] of Object.entries(troubles)) {
        test(`${kind}: ${name}`, async () => {
          const root = `/spoilt-${++at}`;
          told = [];
          follows.clear();
          await trouble.given?.(client, root);
          const until = async (what: string, condition: () => boolean): Promise<void> => {
            const end = Date.now() + 30_000;
            while (!condition()) {
              assert.ok(Date.now() < end, `not within 30 s: ${what}; ${told.join("\n")}`);
              await sleep(5);
            }
          };
          const a = make(root, "a", trouble);
          if (trouble.done !== undefined) await until("the first leads", () => a.leads);
          const b = make(root, "b", trouble);
          const count = (): number => Number(a.leads) + Number(b.leads);
          if (trouble.done !== undefined) {
            await until("the second follows", () => follows.has("b"));
            await trouble.done(client, root);
          }
          const { told: expected, leaders, mended } = trouble;
          if (expected !== null) await until("it is told", () => told.some((each) => expected.test(each)));
          // Who is deposed is told so later than who looks here.
          let since = Date.now();
          await until(`${leaders} lead, and so it stays`, () => {
            if (count() !== leaders) since = Date.now();
            return Date.now() - since > STEADY_MS;
          });
          await mended?.(client, root);
          if (mended !== undefined) await until("one leads again", () => count() === 1);
          await Promise.all([a.leave(), b.leave()]);
        });
      }
    }
  });
}
