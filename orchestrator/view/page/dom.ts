/**
 * Elements, made in one expression; what is put in is text or an element, so nothing that is told can be
 * code.
 */

export type Content = string | number | Node | null | readonly Content[];
type Attributes = Readonly<Record<string, string | number | boolean | null>>;

export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...content: readonly Content[]
): HTMLElementTagNameMap[Name] {
  return filled(document.createElement(name), attributes, content);
}

export function draw<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...content: readonly Content[]
): SVGElementTagNameMap[Name] {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, content);
}

export function set(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
  }
}

/** Only when it is another: a reader of screens is not told again what has not changed. */
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function table(
  caption: string,
  columns: readonly string[],
  rows: readonly (readonly Content[])[],
): HTMLTableElement {
  const head = columns.map((column) => make("th", { scope: "col" }, column));
  const body = rows.map(([first = "", ...rest]) =>
    make("tr", {}, make("th", { scope: "row" }, first), ...rest.map((cell) => make("td", {}, cell))),
  );
  return make(
    "table",
    {},
    make("caption", {}, caption),
    make("thead", {}, make("tr", {}, ...head)),
    make("tbody", {}, ...body),
  );
}

function filled<Of extends Element>(element: Of, attributes: Attributes, content: readonly Content[]): Of {
  set(element, attributes);
  element.append(...nodes(content));
  return element;
}

const isList = (content: Content): content is readonly Content[] => Array.isArray(content);

function nodes(content: readonly Content[]): (string | Node)[] {
  return content.flatMap((one) => {
    if (one === null) return [];
    if (isList(one)) return nodes(one);
    return [typeof one === "number" ? String(one) : one];
  });
}
