// lane: works, 12 s
// The desk and the tasks that come to it, over real connections: all that happens between them but a swarm.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type Cell, cellsOf, idOf, type SweepAsked } from "../cell.ts";
import { outcomeOf, type Row } from "../row.ts";
import { sourcesOfSweep } from "../sources.ts";
import { carriedOut } from "../trial.ts";
import { Desk } from "./desk.ts";
import { HEADER, type Question, type Says } from "./message.ts";
import { proofOfAnswer, proofOfQuestion } from "./proof.ts";
import { type TaskPlan, work } from "./task.ts";

const SOURCES = sourcesOfSweep();
const asked = (maps: number): SweepAsked => ({
  places: Array.from({ length: maps }, (_, index) => ({ kind: "drawn", map: index + 1 })),
  oracles: ["latency"],
  elections: ["pole"],
  seeds: 1,
  conditions: { servers: 3, rate: "20/s", duration: "10s" },
});

interface Scene extends AsyncDisposable {
  /** Time that passes at once. */
  readonly wait: (ms: number) => void;
  readonly desk: Desk;
  readonly said: string[];
  readonly rows: Row[];
  readonly lost: string[];
  readonly differing: string[];
  readonly sweep: (maps: number, signal?: AbortSignal) => Promise<void>;
  readonly plan: (node: string) => TaskPlan;
  /** As a task would, by hand. */
  readonly ask: (
    who: string,
    says: Says,
    as?: Partial<Question> & { readonly secret?: string },
  ) => Promise<Response>;
}

async function scene(): Promise<Scene> {
  let now = 0;
  const [said, rows, lost, differing]: [string[], Row[], string[], string[]] = [[], [], [], []];
  const desk = await Desk.open({
    address: "127.0.0.1",
    port: 0,
    idOf: (cell: Cell) => idOf(cell, SOURCES),
    say: (text) => said.push(text),
    now: () => now,
  });
  let number = 0;
  const { port, secret } = desk;
  return {
    wait: (ms) => {
      now += ms;
    },
    desk,
    said,
    rows,
    lost,
    differing,
    sweep: (maps, signal = new AbortController().signal) =>
      desk.carryOut({
        cells: cellsOf(asked(maps)),
        signal,
        done: (row) => rows.push(row),
        lost: (_, reason) => lost.push(reason),
        differs: (first, second) => differing.push(`${first} ${second}`),
      }),
    plan: (node) => ({ address: "127.0.0.1", port, secret, sources: SOURCES, workers: 1, node }),
    ask: (who, says, { secret: other = secret, ...as } = {}) => {
      number += 1;
      const body = JSON.stringify({ who, node: `${who}'s`, number, says, ...as });
      const headers = { [HEADER]: proofOfQuestion(other, body) };
      return fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body });
    },
    [Symbol.asyncDispose]: () => desk[Symbol.asyncDispose](),
  };
}

const cellsIn = async (response: Response): Promise<readonly Cell[]> =>
  ((await response.json()) as { cells: readonly Cell[] }).cells;

suite("tasks on nodes", () => {
  test("take cells, give rows, and come to what this machine alone comes to", async () => {
    const { desk, rows, said, sweep, plan, lost } = await scene();
    const never = new AbortController().signal;
    const tasks = [work(plan("one"), never), work(plan("two"), never)];
    await sweep(4);
    await desk[Symbol.asyncDispose]();
    await Promise.all(tasks);
    const alone = [...cellsOf(asked(4))].map((cell) => outcomeOf(carriedOut(cell)));
    assert.deepEqual(rows.map(outcomeOf).sort(), alone.sort());
    assert.deepEqual([said.sort(), lost], [["one takes cells", "two takes cells"], []]);
  });

  test("one that falls silent loses its cells; when it is back its rows are compared", async () => {
    await using at = await scene();
    const { rows, sweep, ask, said, differing, desk, wait } = at;
    const sweeping = sweep(2);
    const first = await cellsIn(await ask("lame", { kind: "take", count: 2 }));
    assert.equal(first.length, 2);
    wait(21_000);
    while (said.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(said, ["lame's takes cells", "lame's is silent; 2 cells go to others"]);
    const again = await cellsIn(await ask("quick", { kind: "take", count: 2 }));
    assert.deepEqual(again, first);
    const [a, b] = first.map(carriedOut) as [Row, Row];
    await ask("quick", { kind: "row", row: a });
    await ask("lame", { kind: "row", row: { ...a, processor_s: 9 } });
    assert.deepEqual([desk.same, differing], [1, []], `${said.join("; ")}`);
    await ask("quick", { kind: "row", row: b });
    await sweeping;
    assert.equal(rows.length, 2);
  });

  test("two outcomes of one cell are told", async () => {
    await using at = await scene();
    const { sweep, ask, differing } = at;
    const sweeping = sweep(2);
    const [cell, other] = (await cellsIn(await ask("a", { kind: "take", count: 2 }))) as [Cell, Cell];
    await ask("b", { kind: "take", count: 2 });
    const row = carriedOut(cell);
    await ask("a", { kind: "row", row });
    await ask("b", { kind: "row", row: { ...row, outage_ms: 7 } });
    await ask("b", { kind: "row", row: carriedOut(other) });
    await sweeping;
    assert.equal(differing.length, 1);
    assert.match(differing[0] ?? "", /\["outage_ms",7\].*\(b's\)$/);
  });

  test("an image of other sources cannot work, and says so", async () => {
    await using at = await scene();
    await work({ ...at.plan("stale"), sources: "others" }, new AbortController().signal);
    assert.match(at.desk.unable.get("stale") ?? "", /^its image is of other sources \(\w{12}\)$/);
  });

  test("one that is told to end gives back what it has not done", async () => {
    await using at = await scene();
    const sweeping = at.sweep(3);
    const stop = new AbortController();
    const leaving = work(at.plan("drained"), stop.signal);
    while (at.rows.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort();
    await leaving;
    const staying = work(at.plan("stays"), new AbortController().signal);
    await sweeping;
    assert.equal(new Set(at.rows.map(({ id }) => id)).size, 3);
    await at.desk[Symbol.asyncDispose]();
    await staying;
  });

  test("when a sweep is stopped nothing more is given out, and what is under way still counts", async () => {
    await using at = await scene();
    const stop = new AbortController();
    const sweeping = at.sweep(5, stop.signal);
    const [cell] = await cellsIn(await at.ask("a", { kind: "take", count: 1 }));
    stop.abort();
    assert.deepEqual(await cellsIn(await at.ask("b", { kind: "take", count: 1 })), []);
    await at.ask("b", { kind: "leave" });
    await at.ask("a", { kind: "row", row: carriedOut(cell as Cell) });
    await sweeping;
    assert.equal(at.rows.length, 1);
  });
});

suite("strangers", () => {
  test("without the secret get nothing, nor who repeats what another said", async () => {
    await using at = await scene();
    const sweeping = at.sweep(1);
    const status = async (...words: Parameters<Scene["ask"]>): Promise<number> =>
      (await at.ask(...words)).status;
    assert.equal(await status("mallory", { kind: "take", count: 1 }, { secret: "guessed" }), 403);
    assert.equal(await status("a", { kind: "take", count: 1 }, { number: 5 }), 200);
    assert.equal(await status("a", { kind: "leave" }, { number: 5 }), 409);
    assert.equal(await status("a", { kind: "steal" } as unknown as Says, { number: 8 }), 400);
    assert.equal(await status("a", { kind: "take", count: 1e9 }, { number: 9 }), 400);
    const long = await fetch(`http://127.0.0.1:${at.desk.port}/`, {
      method: "POST",
      body: "x".repeat(2 << 20),
    });
    assert.equal(long.status, 413);
    await at.ask(
      "a",
      { kind: "lost", id: idOf([...cellsOf(asked(1))][0] as Cell, SOURCES), reason: "ended" },
      { number: 9 },
    );
    await sweeping;
    assert.deepEqual(at.lost, ["a's: ended"]);
  });

  test("an answer proves that it belongs to its question", async () => {
    await using at = await scene();
    const body = JSON.stringify({ who: "a", node: "n", number: 1, says: { kind: "alive" } });
    const proof = proofOfQuestion(at.desk.secret, body);
    const response = await fetch(`http://127.0.0.1:${at.desk.port}/`, {
      method: "POST",
      headers: { [HEADER]: proof },
      body,
    });
    const text = await response.text();
    assert.equal(response.headers.get(HEADER), proofOfAnswer(at.desk.secret, proof, text));
    assert.notEqual(response.headers.get(HEADER), proofOfAnswer(at.desk.secret, "another", text));
  });

  test("a port in use, and an address that is not here, are sentences", async () => {
    await using at = await scene();
    const open = (address: string, port: number) =>
      Desk.open({ address, port, idOf: () => "", say: () => {} });
    await assert.rejects(
      open("127.0.0.1", at.desk.port),
      /^CannotRun: --at: port \d+ of 127\.0\.0\.1 is in use$/,
    );
    await assert.rejects(open("192.0.2.7", 0), /this machine has no address 192\.0\.2\.7; say one at which/);
  });
});
