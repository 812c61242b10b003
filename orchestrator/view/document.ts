/**
 * The page as one document that needs nothing but itself: its code and its looks are inside, and a policy
 * lets nothing else run, nor anything be loaded. With records it is a replay, a file that works offline;
 * without, it asks the server that it came from.
 *
 * The code is this project's TypeScript with its types taken out: each module is a function that gives what
 * it exports, and stands after those it imports.
 */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { html } from "../report/page/markup.ts";
import type { StreamRecord } from "./record.ts";

export interface Trial {
  readonly name: string;
  readonly records: readonly StreamRecord[];
}

export interface Page {
  readonly text: string;
  /** What the page may do, for a header; in a file it stands in the page. */
  readonly policy: string;
}

const MAIN = new URL("page/main.ts", import.meta.url);
const STYLE = new URL("page/style.css", import.meta.url);

/** `trials`: null for a trial that runs. */
export function pageOf(title: string, trials: readonly Trial[] | null): Page {
  const [code, style] = [script(), readFileSync(STYLE, "utf8")];
  const policy = [
    "default-src 'none'",
    `script-src '${digestOf(code)}'`,
    `style-src '${digestOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const data = trials === null ? null : json(trials);
  const { markup } = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
${data === null ? "" : html`<meta http-equiv="Content-Security-Policy" content="${policy}">`}
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${{ markup: style }}</style></head>
<body><noscript><p>This page draws by itself, so it needs JavaScript; it loads nothing.</p></noscript>
${data === null ? "" : html`<script type="application/json" id="recorded">${{ markup: data }}</script>`}
<script type="module">${{ markup: code }}</script>
</body></html>
`;
  return { text: markup, policy };
}

/** `main.ts` and all that it stands on. */
export function script(): string {
  const parts: string[] = [];
  const names = new Map<string, string>();
  const add = (module: URL): string => {
    const known = names.get(module.href);
    if (known !== undefined) return known;
    const code = withoutTypes(readFileSync(module, "utf8")).replaceAll(
      IMPORT,
      (_, what: string, path: string) => `const ${what} = ${add(new URL(path, module))};`,
    );
    const exported = [...code.matchAll(EXPORT)].map(([, name]) => name);
    const name = `module${names.size}`;
    names.set(module.href, name);
    const body = code.replaceAll(EXPORT, (declared) => declared.slice("export ".length));
    parts.push(`const ${name} = (() => {\n${body}\nreturn { ${exported.join(", ")} };\n})();\n`);
    return name;
  };
  add(MAIN);
  return parts.join("");
}

const IMPORT = /^import\s+(\{[^}]*\})\s+from\s+"(\.[^"]+)";$/gm;
const EXPORT = /^export (?:async )?(?:function|class|const) (\w+)/gm;

/** What Node does with every file of this project; that one may call it by oneself is new, and warned of. */
function withoutTypes(code: string): string {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(code);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Nothing in it can end the element that it stands in. */
const json = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");

const digestOf = (text: string): string => `sha256-${createHash("sha256").update(text).digest("base64")}`;
