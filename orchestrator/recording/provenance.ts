/**
 * How several runs were made, as one table: what all of them say stands once, and where they differ each
 * value is counted. Runs that an earlier call left behind may be of another commit, or another day.
 */

/** By name, for people and for programs. */
export type Provenance = Readonly<Record<string, string>>;

/** `command` is what was typed for all of them together. */
export function provenanceOf(command: string, runs: readonly Provenance[]): Provenance {
  const names = new Set(runs.flatMap((run) => Object.keys(run)));
  const facts = [...names]
    .filter((name) => name !== "command")
    .map((name): [string, string] => {
      const values = runs.map((run) => run[name] ?? "");
      return [name, name === "startedAt" ? span(values) : counted(values)];
    });
  return { command, ...Object.fromEntries(facts) };
}

/** The most frequent first. */
function counted(values: readonly string[]): string {
  const groups = [...Map.groupBy(values, (value) => value)].sort(([, a], [, b]) => b.length - a.length);
  const [only] = groups;
  if (groups.length === 1 && only !== undefined) return only[0];
  return groups
    .map(([value, { length }]) => `${value === "" ? "not told" : value} (${length} of ${values.length} runs)`)
    .join("; ");
}

function span(values: readonly string[]): string {
  const ascending = [...new Set(values)].sort();
  const [first = "", last = ""] = [ascending[0], ascending.at(-1)];
  return first === last ? first : `${first} to ${last}`;
}
