// Loaded before a test: gives one module another text than its file has, in this process and those it starts.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import process from "node:process";

const { MUTANT_OF: url, MUTANT_TEXT: textFile } = process.env;
if (url !== undefined && textFile !== undefined) {
  const source = readFileSync(textFile, "utf8");
  registerHooks({
    load: (asked, context, next) =>
      asked === url ? { format: "module-typescript", source, shortCircuit: true } : next(asked, context),
  });
}
