/**
 * What an operator sees and does of a priority election: who stands, leads and may lead, and wishes that the
 * elector heeds. Nothing is written over what another has changed meanwhile.
 */

import { CREATE_ANEW, SET_ANEW } from "../election/priority/elector.ts";
import { standingsOf } from "../election/medium/standing.ts";
import { below } from "../election/medium/way.ts";
import {
  type Current,
  describedAs,
  type Elected,
  idOf,
  type Last,
  layoutOf,
  NEVER,
  NO_POLICY,
  NOBODY,
  type Policy,
  printed,
  readCurrent,
  readDescription,
  readElected,
  readLast,
  readPolicy,
} from "../election/priority/layout.ts";
import type { Client, Read } from "./client.ts";
import { isRefusal } from "./service-error.ts";

export interface Standee {
  readonly id: string;
  /** Its znode. */
  readonly name: string;
  /** Null where its description is missing or cannot be read. */
  readonly site: string | null;
  readonly score: number | null;
  /** Null if it may lead. */
  readonly barred: string | null;
}

export interface Status {
  readonly term: number;
  /** The least of those who stand. */
  readonly elector: string | null;
  readonly elected: Elected;
  readonly current: Current | null;
  readonly last: Last;
  readonly policy: Policy;
  readonly members: readonly Standee[];
}

/** What is not as an election leaves it; the message says where, and what to do. */
export class SpoiltLayout extends Error {
  override readonly name = "SpoiltLayout";

  constructor(path: string, what: string, todo: string) {
    super(`${path} ${what}: ${todo}`);
  }
}

export type Wish = keyof Policy;

export class PriorityDesk {
  readonly #client: Client;
  readonly #layout;

  constructor(client: Client, root: string) {
    this.#client = client;
    this.#layout = layoutOf(root);
  }

  async status(): Promise<Status> {
    const { election, elected: electedPath, current: currentPath, last: lastPath } = this.#layout;
    const elected = await this.#read(electedPath, readElected);
    if (elected === null) {
      if ((await this.#client.exists(election)) !== null)
        throw new SpoiltLayout(electedPath, "was deleted", CREATE_ANEW);
      throw new SpoiltLayout(electedPath, "is not there", "no member ever stood here; see --path");
    }
    const current = await this.#read(currentPath, readCurrent);
    const last = (await this.#read(lastPath, readLast))?.value ?? NEVER;
    const policy = (await this.#read(this.#layout.policy, readPolicy))?.value ?? NO_POLICY;
    if (elected.version < last.term) {
      throw new SpoiltLayout(
        electedPath,
        "was made anew, and terms would fall",
        `set it until its version is above ${last.term}`,
      );
    }
    const names = standingsOf(await this.#client.children(election)).filter(({ owner }) => owner !== null);
    const members = await Promise.all(names.map(async ({ name }) => this.#standee(name, policy)));
    return {
      term: elected.version,
      elector: members[0]?.id ?? null,
      elected: elected.value,
      current: current?.value ?? null,
      last,
      policy,
      members,
    };
  }

  /** Adds to a wish, or takes back; what the policy is then. */
  async wish(wish: Wish, words: readonly string[], undo = false): Promise<Policy> {
    for (;;) {
      const known = await this.#read(this.#layout.policy, readPolicy);
      const policy = known?.value ?? NO_POLICY;
      const others = policy[wish].filter((word) => !words.includes(word));
      const next = { ...policy, [wish]: undo ? others : [...others, ...words] };
      try {
        if (known === null) await this.#client.create(this.#layout.policy, printed(next));
        else await this.#client.set(this.#layout.policy, printed(next), known.version);
        return next;
      } catch (error) {
        if (isRefusal(error, "noNode")) {
          throw new SpoiltLayout(
            this.#layout.policy,
            "cannot be made",
            "no member ever stood here; see --path",
          );
        }
        if (!isRefusal(error, "badVersion") && !isRefusal(error, "nodeExists")) throw error;
      }
    }
  }

  /** Which of these words nobody who stands goes by. */
  async strange(wish: Wish, words: readonly string[]): Promise<readonly string[]> {
    const { members } = await this.status();
    const ids = wish === "maintain" ? [] : members.map(({ id }) => id);
    const sites = wish === "exclude" ? [] : members.map(({ site }) => site);
    return words.filter((word) => !ids.includes(word) && !sites.includes(word));
  }

  /** Which members of these words did not take over when they were to, and are not asked for now. */
  async passedOver(words: readonly string[]): Promise<readonly string[]> {
    const { members, elected } = await this.status();
    return members
      .filter(({ name }) => elected.excluded.includes(name))
      .filter(({ id, site }) => words.includes(id) || (site !== null && words.includes(site)))
      .map(({ id }) => id);
  }

  /** Elects a member now; the term in which it shall lead. */
  async transfer(id: string): Promise<number> {
    for (;;) {
      const { members, term, elected, current, last } = await this.status();
      const to = members.findLast((member) => member.id === id);
      if (to === undefined)
        throw new Error(`${id} does not stand: ${listed(members.map((each) => each.id))} do`);
      if (to.barred !== null) throw new Error(`${id} may not lead: ${to.barred}`);
      if (elected.member === to.name) return term;
      const previous = last.term < 0 ? null : { id: last.id, site: last.site };
      const next: Elected = { ...NOBODY, member: to.name, previous, handover: current !== null };
      try {
        await this.#client.multi([
          { kind: "check", path: below(this.#layout.election, to.name), version: -1 },
          { kind: "setData", path: this.#layout.elected, data: printed(next), version: term },
        ]);
        return term + 1;
      } catch (error) {
        if (!isRefusal(error, "badVersion") && !isRefusal(error, "noNode")) throw error;
      }
    }
  }

  async #standee(name: string, { exclude, maintain }: Policy): Promise<Standee> {
    const id = idOf(name);
    const path = below(this.#layout.nodes, describedAs(name));
    const found = await this.#optional(path);
    const description = found === null ? null : readDescription(found.data);
    if (description === null)
      return { id, name, site: null, score: null, barred: `${path} does not describe it` };
    const { site, score } = description;
    const byPolicy = exclude.includes(id) ? "it is excluded" : `its site ${site} is under maintenance`;
    return {
      id,
      name,
      site,
      score,
      barred: exclude.includes(id) || maintain.includes(site) ? byPolicy : null,
    };
  }

  /** Null where it is not. */
  async #read<T>(
    path: string,
    read: (data: Uint8Array) => T | null,
  ): Promise<{ value: T; version: number } | null> {
    const found = await this.#optional(path);
    if (found === null) return null;
    const value = read(found.data);
    if (value === null) {
      throw new SpoiltLayout(
        path,
        "was written by another program",
        path === this.#layout.elected ? SET_ANEW : "delete it",
      );
    }
    return { value, version: found.stat.version };
  }

  async #optional(path: string): Promise<Read | null> {
    try {
      return await this.#client.get(path);
    } catch (error) {
      if (isRefusal(error, "noNode")) return null;
      throw error;
    }
  }
}

const listed = (ids: readonly string[]): string => (ids.length === 0 ? "none" : ids.join(", "));
