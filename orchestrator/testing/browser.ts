/**
 * Debian's Chromium, for tests of pages; a page that says an error or asks for anything outside fails its
 * test.
 */

import assert from "node:assert/strict";
import { type BrowserContextOptions, chromium, type Page } from "playwright-core";

const CHROMIUM = "/usr/bin/chromium";

export interface Browsing extends AsyncDisposable {
  /** A page in a window of its own. */
  open(link: string, options?: BrowserContextOptions): Promise<Page>;
  /** What went wrong on any page so far. */
  readonly problems: readonly string[];
}

export async function browse(): Promise<Browsing> {
  // Its sandbox wants user namespaces, which not every machine that tests gives; the pages are our own.
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  const problems: string[] = [];
  return {
    problems,
    open: async (link, options) => {
      const page = await browser.newPage(options);
      page.on("pageerror", (error) => problems.push(String(error.stack ?? error)));
      page.on("console", (said) => {
        if (said.type() === "error") problems.push(said.text());
      });
      page.on("request", (request) => {
        const isOwn = [link, "data:", new URL(link).origin].some((own) => request.url().startsWith(own));
        if (!isOwn) problems.push(`asked for ${request.url()}`);
      });
      await page.goto(link);
      return page;
    },
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      assert.deepEqual(problems, []);
    },
  };
}
