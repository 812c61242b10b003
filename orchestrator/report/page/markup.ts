/**
 * HTML by template, in which whatever is put in is text, unless it is markup already: nothing a topology says
 * can be code.
 */

export interface Markup {
  readonly markup: string;
}

type Content = Markup | string | number | null | undefined | readonly Content[];

export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  const markup = parts.map((part, index) => part + (index < contents.length ? print(contents[index]) : ""));
  return { markup: markup.join("") };
}

function print(content: Content): string {
  if (content === null || content === undefined) return "";
  if (typeof content === "number") return String(content);
  if (typeof content === "string") return escaped(content);
  if (isList(content)) return content.map(print).join("");
  return content.markup;
}

const isList = (content: Markup | readonly Content[]): content is readonly Content[] =>
  Array.isArray(content);

export const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

export function table(
  columns: readonly string[],
  rows: readonly (readonly Content[])[],
  className = "",
): Markup {
  return html`<div class="scroll"><table class="${className}">
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`;
}
