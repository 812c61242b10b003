/**
 * What is answered to those who watch over a server: four-letter words, the same as JSON, and Prometheus. The
 * texts are the tree's; what only this process knows comes from `host-facts.ts`.
 */

import type { Instant } from "../core/time.ts";
import { FactsOfHost } from "./host-facts.ts";
import type { Page } from "../host/tcp/pages.ts";
import type { Server } from "../front/server.ts";
import type { Config } from "../config/settings.ts";
import { answerCommand, COMMANDS, type Command, commandNamed } from "./admin-commands.ts";
import { exposition } from "./exposition.ts";
import { answerWord, isWord, whitelist } from "./four-letter-words.ts";
import { type Status, statusOf } from "./status.ts";
import type { Tree } from "../tree/tree.ts";

const HTML = "text/html; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";
const EXPOSITION = "text/plain; version=0.0.4; charset=utf-8";
const PLAIN = "text/plain; charset=utf-8";

export class Words {
  readonly #server: Server;
  readonly #tree: Tree;
  readonly #config: Config;
  readonly #facts: FactsOfHost;

  constructor(server: Server, tree: Tree, config: Config, folder: string) {
    this.#server = server;
    this.#tree = tree;
    this.#config = config;
    this.#facts = new FactsOfHost(server, config, folder);
  }

  answer(word: string, now: Instant): string {
    if (!isWord(word)) return "";
    const { fourLetterWords, readOnly } = this.#config;
    const allowed = whitelist(fourLetterWords.join(","), readOnly);
    const status = this.#status(now);
    const text = answerWord(word, allowed, status);
    if (allowed.has(word) && status.serving) this.#reset(word);
    return text;
  }

  /** ZooKeeper's AdminServer: `/commands`, and each of them below. */
  command(path: string, now: Instant): Page {
    if (path === "/commands" || path === "/commands/") {
      const links = COMMANDS.map(({ name }) => `<a href="/commands/${name}">${name}</a>\n<br/>\n`);
      return { status: 200, type: HTML, text: links.join("") };
    }
    const name = /^\/commands\/([^/]+)$/.exec(path)?.[1];
    if (name === undefined) return nowhere("/commands");
    const command = commandNamed(name);
    const status = this.#status(now);
    const { code, body } = answerCommand(name, command, status);
    if (code === 200) this.#reset(command?.word ?? null);
    return { status: code, type: JSON_TYPE, text: `${JSON.stringify(body, null, 2)}\n` };
  }

  metrics(path: string, now: Instant): Page {
    if (path !== "/metrics") return nowhere("/metrics");
    return { status: 200, type: EXPOSITION, text: exposition(this.#status(now)) };
  }

  #reset(word: Command["word"]): void {
    if (word === "crst") this.#server.front.clearStatistics("connections");
    if (word === "srst") this.#server.front.clearStatistics("server");
  }

  #status(now: Instant): Status {
    const { front, status } = this.#server;
    const isServing = status.role !== "looking" || front.mode === "readOnly";
    // Nobody else is asked.
    const expiring = status.role === "leading" ? this.#server.expiring(now) : null;
    return statusOf(front, this.#tree, expiring, isServing, this.#facts.at(now));
  }
}

const nowhere = (where: string): Page => ({
  status: 404,
  type: PLAIN,
  text: `what there is is at ${where}\n`,
});
