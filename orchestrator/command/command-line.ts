/** As it was typed, for who wants to do it again. */
export const commandLine = (): string =>
  ["orchestrator/polebench", ...process.argv.slice(2).map(quoted)].join(" ");

const quoted = (word: string): string =>
  /^[\w./:,=+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
