/**
 * What became of one request, and the file that remembers it.
 *
 * Every request of the schedule ends in exactly one line: acknowledged (ok), surely not done (failed), or
 * nobody knows (unknown: its server died, or the run ended before it was answered). Nothing is sent twice
 * behind the reader's back.
 *
 *   id,client,site,server,intended_us,sent_us,completed_us,outcome,zxid
 *
 * Times are microseconds since the load began, all on one clock. A line is appended when its request ends, so
 * the file is in order of completion, and a file that was cut off anywhere is good up to its last whole line.
 */

export type Outcome = "ok" | "failed" | "unknown";

export interface WriteOperation {
  /** Its place in the schedule. */
  readonly id: number;
  readonly client: number;
  readonly site: string;
  /** The server that was asked last. */
  readonly server: number;
  readonly intended: number;
  readonly sent: number;
  /** When its outcome was known. */
  readonly completed: number;
  readonly outcome: Outcome;
  /** Of the state that contains it; 0 unless ok. */
  readonly zxid: number;
}

/** From when it should have been sent: waiting for one's turn to be sent is waiting too. */
export const latencyMs = ({ intended, completed }: WriteOperation): number => (completed - intended) / 1e3;

export const OPERATIONS_HEADER = "id,client,site,server,intended_us,sent_us,completed_us,outcome,zxid\n";

export const printOperation = (operation: WriteOperation): string => {
  const { id, client, site, server, intended, sent, completed, outcome, zxid } = operation;
  return `${id},${client},${site},${server},${intended},${sent},${completed},${outcome},${zxid}\n`;
};

/** The operations, or what is wrong with the file and in which line. An unfinished last line is left out. */
export function parseOperations(text: string): readonly WriteOperation[] | string {
  if (!text.startsWith(OPERATIONS_HEADER)) return `line 1: expected ${OPERATIONS_HEADER.trimEnd()}`;
  const lines = text.slice(OPERATIONS_HEADER.length, text.lastIndexOf("\n")).split("\n");
  const operations: WriteOperation[] = [];
  for (const [index, line] of lines.entries()) {
    if (line === "") continue;
    const operation = parseLine(line);
    if (operation === null) return `line ${index + 2}: "${line}" is no operation`;
    operations.push(operation);
  }
  return operations;
}

function parseLine(line: string): WriteOperation | null {
  const [id, client, site = "", server, intended, sent, completed, outcome = "", zxid, ...rest] =
    line.split(",");
  const numbers = [id, client, server, intended, sent, completed, zxid].map((text) =>
    text === undefined || text === "" ? Number.NaN : Number(text),
  );
  if (rest.length > 0 || numbers.some((value) => !Number.isFinite(value)) || !isOutcome(outcome)) return null;
  const [idOf = 0, clientOf = 0, serverOf = 0, intendedAt = 0, sentAt = 0, completedAt = 0, zxidOf = 0] =
    numbers;
  return {
    id: idOf,
    client: clientOf,
    site,
    server: serverOf,
    intended: intendedAt,
    sent: sentAt,
    completed: completedAt,
    outcome,
    zxid: zxidOf,
  };
}

const isOutcome = (text: string): text is Outcome => text === "ok" || text === "failed" || text === "unknown";
