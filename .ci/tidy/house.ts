// The rules of the house that hold in every file.
import { basename } from "node:path";
import { needOf } from "../lane.ts";
import { type Finding, isTest, matches, type Rule, type Source } from "./source.ts";

const longestFile = 400;
export const longestLine = 110;

const topLevel = (
  "node orchestrator topologies docker reports package.json package-lock.json tsconfig.json Makefile " +
  "README.md ARCHITECTURE.md CHANGELOG.md SECURITY.md"
).split(" ");

const isCode = (path: string) =>
  /\.(?:ts|cjs)$/.test(path) || /^\.ci\/\w+$/.test(path) || path === "Makefile";

function place({ path }: Source): Finding[] {
  const [first = ""] = path.split("/");
  return topLevel.includes(first) || first.startsWith(".")
    ? []
    : [{ path, line: 1, message: `${first} is not one of the top-level entries of .ci/tidy/house.ts` }];
}

function fileName({ path }: Source): Finding[] {
  return /^(?:utils?|helpers?|common|misc|index)\.ts$/.test(basename(path))
    ? [{ path, line: 1, message: "a file is named after what it holds" }]
    : [];
}

function fileLength({ path, text }: Source): Finding[] {
  const lines = text.trimEnd().split("\n");
  const excused = lines.slice(0, 5).some((line) => /^\/\/ Long because: \S/.test(line));
  return path.endsWith(".ts") && lines.length > longestFile && !excused
    ? [
        {
          path,
          line: lines.length,
          message: `over ${longestFile} lines without "// Long because:" at the top`,
        },
      ]
    : [];
}

function lineLength({ path, text }: Source): Finding[] {
  if (!isCode(path)) return [];
  return text.split("\n").flatMap((line, index) => {
    const length = Array.from(line).length;
    return length > longestLine
      ? [{ path, line: index + 1, message: `${length} columns, ${longestLine} is the most` }]
      : [];
  });
}

function barrel({ path, code }: Source): Finding[] {
  const statements = code.split(";").map((statement) => statement.trim());
  const said = statements.filter((statement) => statement !== "");
  return path.endsWith(".ts") &&
    said.length > 0 &&
    said.every((statement) => /^export\b.*\bfrom$/s.test(statement))
    ? [{ path, line: 1, message: "a file that only passes on others: import them where they are" }]
    : [];
}

function unfinished(source: Source): Finding[] {
  return isCode(source.path)
    ? matches(
        source,
        /\b(?:TO[D]O|FIX[M]E|XX[X])\b/,
        "finish it, or say in ARCHITECTURE.md what is missing",
        "text",
      )
    : [];
}

function testsRun(source: Source): Finding[] {
  if (!isTest(source.path)) return [];
  return [
    ...matches(
      source,
      /\b(?:test|suite|it|describe)\s*\.\s*only\b|\bonly:\s*true\b/,
      ".only hides other tests",
    ),
    ...matches(
      source,
      /\b(?:test|suite|it|describe)\s*\.\s*(?:skip|todo)\b|\b(?:skip|todo):\s*true\b|\bskip\(\s*\)/,
      "a skipped test says why: { skip: reason }",
    ),
  ];
}

function documentedTargets({ path, text }: Source): Finding[] {
  if (path !== "Makefile") return [];
  const message = 'a target has its sentence: "name: needs ## Says what it does."';
  return text.split("\n").flatMap((line, index) => {
    const isTarget = /^[a-z][\w-]*:(?!=)/.test(line);
    return isTarget && !/ ## [A-Z].*\.$/.test(line) ? [{ path, line: index + 1, message }] : [];
  });
}

/**
 * What a system is like, its folder says; whoever asks for its name would have to be found for the next one.
 */
function systemsByValue(source: Source): Finding[] {
  if (source.path.startsWith("orchestrator/system/") || isTest(source.path)) return [];
  const message = "ask the system what it is like, not for its name: orchestrator/system/system.ts";
  return isCode(source.path) ? matches(source, /\bsystem\s*[!=]==?\s*["'`]/, message, "text") : [];
}

function noMachine(source: Source): Finding[] {
  return [
    ...matches(source, /(?<![\w.}*-])\/(?:work|home|root|Users)\//, "a path of one machine", "text"),
    ...matches(source, /https?:\/\/[^\s"'/]*registry/, "the address of a package registry", "text"),
    ...matches(source, /"resolved":\s*"https?:/, "a download address; see .npmrc", "text"),
  ];
}

/** One line that is not understood would keep all tests from running. */
function lanes({ path, text }: Source): Finding[] {
  if (!path.endsWith(".test.ts")) return [];
  try {
    needOf(path, text);
    return [];
  } catch (error) {
    return [{ path, line: 1, message: (error as Error).message }];
  }
}

export const house: readonly Rule[] = [
  place,
  fileName,
  fileLength,
  lineLength,
  barrel,
  unfinished,
  testsRun,
  lanes,
  documentedTargets,
  systemsByValue,
  noMachine,
];
