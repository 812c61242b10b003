/** Work in virtual time that gives way to whatever else there is to do, such as to notice Ctrl-C. */

/** Pauses now and then to be told whether to stop. */
export type Steps<Result> = Generator<void, Result, boolean>;

export function atOnce<Result>(steps: Steps<Result>): Result {
  for (let step = steps.next(false); ; step = steps.next(false)) if (step.done === true) return step.value;
}

export async function untilAborted<Result>(steps: Steps<Result>, signal: AbortSignal): Promise<Result> {
  let step = steps.next(signal.aborted);
  while (step.done !== true) {
    await new Promise((resolve) => setImmediate(resolve));
    step = steps.next(signal.aborted);
  }
  return step.value;
}
