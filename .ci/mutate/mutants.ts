// The small mistakes that could have been made in a file: an operator beside the right one, a bound off by
// one, a condition forgotten, a call left out, two arguments in the wrong order, the field next to the one
// that was meant. Each is one change of the text; whether the compiler would take it, is asked by others.
import {
  type BinaryExpression,
  type CallExpression,
  isArrowFunction,
  isBinaryExpression,
  isBlock,
  isBreakStatement,
  isCallExpression,
  isConditionalExpression,
  isContinueStatement,
  isExpressionStatement,
  isIfStatement,
  isImportDeclaration,
  isNumericLiteral,
  isPostfixUnaryExpression,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  isReturnStatement,
  isSpreadAssignment,
  isTypeNode,
  type Node,
  type PrefixUnaryExpression,
  type SourceFile,
  SyntaxKind,
} from "typescript/unstable/ast";

export interface Mutant {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  /** What may stand there instead; the first that the compiler takes is tried. */
  readonly instead: readonly string[];
}

/** Names of other fields that the value before a dot has. */
export type Fields = (object: Node) => readonly string[];

const operators: Readonly<Record<string, readonly [kind: string, ...instead: string[]]>> = {
  "<": ["boundary", "<="],
  "<=": ["boundary", "<"],
  ">": ["boundary", ">="],
  ">=": ["boundary", ">"],
  "===": ["condition", "!=="],
  "!==": ["condition", "==="],
  "+": ["operator", "-"],
  "-": ["operator", "+"],
  "*": ["operator", "/"],
  "/": ["operator", "*"],
  "%": ["operator", "*"],
  "&": ["operator", "|"],
  "|": ["operator", "&"],
  "<<": ["operator", ">>"],
  ">>": ["operator", "<<"],
  ">>>": ["operator", "<<"],
  "+=": ["operator", "-=", "="],
  "-=": ["operator", "+="],
  "??=": ["operator", "="],
};
const methods: Readonly<Record<string, string>> = {
  some: "every",
  every: "some",
  min: "max",
  max: "min",
  floor: "ceil",
  ceil: "floor",
  round: "floor",
  push: "unshift",
  unshift: "push",
  shift: "pop",
  pop: "shift",
  find: "findLast",
  findLast: "find",
  startsWith: "endsWith",
  endsWith: "startsWith",
  indexOf: "lastIndexOf",
  lastIndexOf: "indexOf",
};
/** Without them a chain has the same type, and other values. */
const links = new Set(["filter", "toSorted", "toReversed", "slice", "subarray", "trim", "sort", "reverse"]);
/** From here on one more is no mistake that could matter. */
const many = 20;
const nothing = ["undefined", "[]", '""', "0", "false", "null", "{}"];

export function mutantsOf(file: SourceFile, fields: Fields = () => []): Mutant[] {
  const finder = new Finder(file, fields);
  finder.visit(file);
  return finder.found;
}

class Finder {
  readonly found: Mutant[] = [];
  readonly #file: SourceFile;
  readonly #fields: Fields;

  constructor(file: SourceFile, fields: Fields) {
    this.#file = file;
    this.#fields = fields;
  }

  visit(node: Node): void {
    if (isTypeNode(node) || isImportDeclaration(node)) return;
    this.#literal(node);
    this.#expression(node);
    this.#statement(node);
    node.forEachChild((child) => this.visit(child));
  }

  #literal(node: Node): void {
    if (node.kind === SyntaxKind.TrueKeyword) this.#mutate("constant", node, "false");
    if (node.kind === SyntaxKind.FalseKeyword) this.#mutate("constant", node, "true");
    if (!isNumericLiteral(node)) return;
    const value = Number(this.#text(node).replaceAll("_", ""));
    this.#mutate("constant", node, String(value < many ? value + 1 : 2 * value));
    if (value === 1) this.#mutate("constant", node, "0");
  }

  #expression(node: Node): void {
    if (isBinaryExpression(node)) this.#binary(node);
    else if (isCallExpression(node)) this.#call(node);
    else if (isConditionalExpression(node)) {
      this.#mutate("condition", node, this.#text(node.whenTrue));
      this.#mutate("condition", node, this.#text(node.whenFalse));
    } else if (isPrefixUnaryExpression(node)) this.#prefix(node);
    else if (isPostfixUnaryExpression(node)) {
      const other = this.#text(node).endsWith("++") ? "--" : "++";
      this.#between("operator", node.end - 2, node.end, other);
    } else if (isArrowFunction(node) && !isBlock(node.body)) this.#empty(node.body);
    else if (isPropertyAccessExpression(node) && !isCallee(node)) {
      const name = this.#text(node.name);
      this.#mutate("field", node.name, ...this.#fields(node.expression).filter((each) => each !== name));
    } else if (isSpreadAssignment(node)) this.#mutate("field", node, "...{}");
  }

  #statement(node: Node): void {
    if (isIfStatement(node)) {
      const said = this.#text(node.expression);
      // A module that took itself for a program would write into the sources.
      if (said === "import.meta.main") return;
      this.#mutate("condition", node.expression, "true", `${said} || true`);
      this.#mutate("condition", node.expression, "false", `${said} && false`);
    } else if (isReturnStatement(node) && node.expression !== undefined) this.#empty(node.expression);
    else if (isExpressionStatement(node) && /^assert\w*\(/.test(this.#text(node))) return;
    else if (isLeftOut(node)) this.#mutate("statement", node, ";");
  }

  #binary(node: BinaryExpression): void {
    const { left, operatorToken, right } = node;
    const sign = this.#text(operatorToken);
    const known = operators[sign];
    if (known !== undefined) this.#mutate(known[0], operatorToken, ...known.slice(1));
    if (/^[<>]=?$/.test(sign)) this.#mutate("condition", operatorToken, sign.startsWith("<") ? ">" : "<");
    if (sign !== "&&" && sign !== "||" && sign !== "??") return;
    this.#mutate("condition", node, this.#text(left));
    this.#mutate("condition", node, this.#text(right));
  }

  #prefix(node: PrefixUnaryExpression): void {
    const said = this.#text(node);
    const start = node.getStart(this.#file);
    if (said.startsWith("++")) this.#between("operator", start, start + 2, "--");
    else if (said.startsWith("--")) this.#between("operator", start, start + 2, "++");
    else this.#mutate(said.startsWith("!") ? "condition" : "operator", node, said.slice(1));
  }

  #call(node: CallExpression): void {
    const { expression: callee, arguments: given } = node;
    const isOrdered = !/^Math\.(?:max|min)$/.test(this.#text(callee));
    given.slice(1).forEach((second, index) => {
      const first = given[index];
      if (first === undefined || !isOrdered) return;
      const start = second.getStart(this.#file);
      const gap = this.#file.text.slice(first.end, start);
      const swapped = `${this.#text(second)}${gap}${this.#text(first)}`;
      this.#between("arguments", first.getStart(this.#file), second.end, swapped);
    });
    if (!isPropertyAccessExpression(callee)) return;
    const name = this.#text(callee.name);
    this.#mutate("method", callee.name, methods[name] ?? name);
    if (links.has(name)) this.#mutate("method", node, this.#text(callee.expression));
  }

  #empty(node: Node): void {
    const isConstant = node.kind === SyntaxKind.TrueKeyword || nothing.includes(this.#text(node));
    if (!isConstant) this.#mutate("result", node, ...nothing);
  }

  #mutate(kind: string, node: Node, ...instead: string[]): void {
    this.#between(kind, node.getStart(this.#file), node.end, ...instead);
  }

  #between(kind: string, start: number, end: number, ...instead: string[]): void {
    const others = instead.filter((each) => each !== this.#file.text.slice(start, end));
    if (others.length > 0) this.found.push({ kind, start, end, instead: others });
  }

  #text(node: Node): string {
    return node.getText(this.#file);
  }
}

const isLeftOut = (node: Node): boolean =>
  [isExpressionStatement, isBreakStatement, isContinueStatement, isReturnStatement].some((is) => is(node));

const isCallee = (node: Node): boolean => isCallExpression(node.parent) && node.parent.expression === node;
