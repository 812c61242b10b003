// A source file as the rules see it: once as written, once with comments and strings blanked, so
// that a rule about code cannot be set off by prose.

export type Source = {
  readonly path: string;
  readonly text: string;
  /** Same length and lines as `text`; the insides of comments, strings and regular expressions are spaces. */
  readonly code: string;
};

export type Finding = { readonly path: string; readonly line: number; readonly message: string };

export type Rule = (source: Source) => Finding[];

export function source(path: string, text: string): Source {
  return { path, text, code: /\.[cm]?[jt]s$/.test(path) ? blank(text) : text };
}

export function isTest(path: string): boolean {
  return path.endsWith(".test.ts");
}

/** One finding for every match of `pattern` in the code, or in the text as written. */
export function matches(
  { path, text, code }: Source,
  pattern: RegExp,
  message: string,
  where: "code" | "text" = "code",
): Finding[] {
  const searched = where === "code" ? code : text;
  return [...searched.matchAll(new RegExp(pattern, "gm"))].map((match) => ({
    path,
    line: lineOf(searched, match.index),
    message,
  }));
}

export function lineOf(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

/** What the file imports or re-exports, types included. */
export function imports({ text, code }: Source): { specifier: string; line: number }[] {
  const pattern =
    /\b(?:import|export)\b(?:[^;"'`()]*?\bfrom)?\s*["']([^"'\n]+)["']|\bimport\s*\(\s*["'`]([^"'`\n]+)["'`]/g;
  return [...text.matchAll(pattern)]
    .filter((match) => /^(?:import|export)\b/.test(code.slice(match.index)))
    .map((match) => ({ specifier: match[1] ?? match[2] ?? "", line: lineOf(text, match.index) }));
}

const lexemes = [
  /\/\/[^\n]*/,
  /\/\*[^]*?\*\//,
  /"(?:\\.|[^"\\\n])*"/,
  /'(?:\\.|[^'\\\n])*'/,
  /[`{}]/,
  /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/,
];
const token = new RegExp(lexemes.map((lexeme) => lexeme.source).join("|"), "g");

function blank(text: string): string {
  const spaces = (part: string) => part.replaceAll(/[^\n]/g, " ");
  let code = "";
  let at = 0;
  // For every open `${`, how many braces are open inside it.
  const templates: number[] = [];

  const template = (): void => {
    const rest = /(?:\\[^]|[^\\`$]|\$(?!\{))*(`|\$\{)/y;
    rest.lastIndex = at;
    const end = rest.exec(text);
    const stop = end ? rest.lastIndex : text.length;
    code += spaces(text.slice(at, stop));
    at = stop;
    if (end?.[1] === "${") templates.push(0);
  };

  for (;;) {
    token.lastIndex = at;
    const found = token.exec(text);
    if (!found) return code + text.slice(at);
    code += text.slice(at, found.index);
    at = found.index;
    const depth = templates.at(-1);
    const [part] = found;
    if (part.startsWith("/") && !/^\/[/*]/.test(part) && !opensExpression(code)) {
      code += "/";
      at += 1;
    } else if (part === "{" || part === "}") {
      code += part;
      at += 1;
      if (depth === undefined) continue;
      if (part === "}" && depth === 0) {
        templates.pop();
        template();
      } else templates[templates.length - 1] = depth + (part === "{" ? 1 : -1);
    } else if (part === "`") {
      code += " ";
      at += 1;
      template();
    } else {
      code += spaces(part);
      at += part.length;
    }
  }
}

/** Whether a `/` after this code begins a regular expression rather than a division. */
function opensExpression(code: string): boolean {
  const before = code.trimEnd();
  return before === "" || /[=(,:[!&|?{};+]$|=>$|\b(?:return|typeof|case)$/.test(before);
}
