// What the compiler knows: the tree of a file, the fields of a value, and whether it would take a changed
// text. It runs once as a process of its own and is told one changed file at a time, so an answer takes
// milliseconds.
import { resolve } from "node:path";
import type { SourceFile } from "typescript/unstable/ast";
import { API, type Project } from "typescript/unstable/sync";
import { type Mutant, mutantsOf } from "./mutants.ts";

/** A mutant that compiles: the text of the whole file, and what is different in it. */
export interface Changed {
  readonly path: string;
  readonly kind: string;
  readonly line: number;
  readonly start: number;
  readonly was: string;
  readonly instead: string;
  readonly text: string;
}

export class Compiler implements Disposable {
  readonly #changed = new Map<string, string>();
  readonly #api: API;
  readonly #root: string;
  #project: Project;

  constructor(root = process.cwd()) {
    this.#root = root;
    this.#api = new API({ cwd: root, fs: { readFile: (path) => this.#changed.get(path) } });
    this.#project = this.#look({ openProjects: [this.#settings()] });
  }

  [Symbol.dispose](): void {
    this.#api.close();
  }

  mutants(path: string): { file: SourceFile; mutants: Mutant[] } {
    const { program, checker } = this.#project;
    const file = program.getSourceFile(resolve(this.#root, path));
    if (file === undefined) throw new Error(`${path} is not in tsconfig.json`);
    const mutants = mutantsOf(file, (object) => {
      const type = checker.getTypeAtLocation(object);
      if (type === undefined || checker.isArrayLikeType(type)) return [];
      return checker.getPropertiesOfType(type).map(({ name }) => name);
    });
    return { file, mutants };
  }

  /** The file with the first change that compiles. */
  take(path: string, file: SourceFile, { kind, start, end, instead: choices }: Mutant): Changed | undefined {
    const { text: before } = file;
    for (const instead of choices) {
      const text = before.slice(0, start) + instead + before.slice(end);
      if (!this.#compiles(resolve(this.#root, path), text)) continue;
      const line = file.getLineAndCharacterOfPosition(start).line + 1;
      return { path, kind, line, start, was: before.slice(start, end), instead, text };
    }
    return undefined;
  }

  #compiles(path: string, text: string): boolean {
    this.#changed.set(path, text);
    try {
      const { program } = this.#look({ fileChanges: { changed: [path] } });
      return (
        program.getSyntacticDiagnostics(path).length === 0 &&
        program.getSemanticDiagnostics(path).length === 0
      );
    } finally {
      this.#changed.delete(path);
      this.#project = this.#look({ fileChanges: { changed: [path] } });
    }
  }

  #look(change: Parameters<API["updateSnapshot"]>[0]): Project {
    const project = this.#api.updateSnapshot(change).getProject(this.#settings());
    if (project === undefined) throw new Error(`${this.#settings()} is missing`);
    return project;
  }

  #settings(): string {
    return resolve(this.#root, "tsconfig.json");
  }
}
