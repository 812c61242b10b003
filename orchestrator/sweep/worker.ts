/** One thread that carries cells out: a cell in, its row out. */

import { parentPort } from "node:worker_threads";
import type { Cell } from "./cell.ts";
import { carriedOut } from "./trial.ts";

parentPort?.on("message", (cell: Cell) => parentPort?.postMessage(carriedOut(cell)));
