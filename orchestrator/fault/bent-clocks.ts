/**
 * The clocks of this process, wrong by what is ordered. The wall clock may show any time; the monotonic one
 * only ever leaps ahead, as a machine sees it that was asleep.
 */

import type { Orders } from "./orders.ts";

export function bendClocks(orders: () => Orders): void {
  const wall = Date.now;
  const monotonic = performance.now.bind(performance);
  Date.now = () => wall() + orders().wallMs;
  performance.now = () => monotonic() + orders().leaptMs;
}
