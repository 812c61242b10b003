// Wraps comment prose that is wider than a line may be; the formatter leaves comments alone.
// Only a paragraph with such a line is touched, and neither lists nor anything aligned by spaces.

const prose = /^(\s*(?:\/\/|\*) )([^\s@|].*)$/;
const oneLine = /^(\s*)\/\*\* (.*) \*\/$/;
const item = /^(?:[-*] |\d+[.)] )/;

export function reflow(text: string, width: number): string {
  const lines = text.split("\n").flatMap((line) => unfold(line, width));
  const wrapped: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const paragraph = lines.slice(at, endOfParagraph(lines, at));
    wrapped.push(...(paragraph.some((line) => line.length > width) ? wrap(paragraph, width) : paragraph));
    at += paragraph.length;
  }
  return wrapped.join("\n");
}

function unfold(line: string, width: number): string[] {
  const [, indent = "", words = ""] = oneLine.exec(line) ?? [];
  return line.length > width && words !== ""
    ? [`${indent}/**`, `${indent} * ${words}`, `${indent} */`]
    : [line];
}

function endOfParagraph(lines: readonly string[], start: number): number {
  const prefix = plain(lines[start]);
  let end = start + 1;
  if (prefix !== undefined) while (end < lines.length && plain(lines[end]) === prefix) end += 1;
  return end;
}

/** The prefix of a line of prose that may be wrapped. */
function plain(line = ""): string | undefined {
  const [, prefix, words = ""] = prose.exec(line) ?? [];
  return item.test(words) || / {2}/.test(words.replaceAll(/(?<=[.:;]) {2}/g, " ")) ? undefined : prefix;
}

function wrap(paragraph: readonly string[], width: number): readonly string[] {
  const prefix = plain(paragraph[0]);
  if (prefix === undefined) return paragraph;
  const lines: string[] = [];
  let line = "";
  for (const word of paragraph.flatMap((written) => written.slice(prefix.length).trim().split(" "))) {
    if (line !== "" && prefix.length + line.length + 1 + word.length > width) {
      lines.push(prefix + line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, prefix + line];
}
