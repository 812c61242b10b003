/**
 * May this client do that? ZooKeeper's rules for the schemes `world`, `auth`, `digest`, `ip`, and for
 * `super`, who may do everything.
 */

import { type Acl, type Id, PERMISSION } from "../wire/client/acl.ts";

/** Every bit of `permission` need not be there: one of them is enough. */
export const permits = (acl: readonly Acl[], permission: number, ids: readonly Id[]): boolean =>
  (grantsOf(ids).of(acl) & permission) !== 0;

/**
 * The ACL to store for the one that a client sent: `auth` becomes the client's own identities, doubles go.
 * Null when it is empty, names a scheme or an id that cannot be, or is beyond the bounds, for which a
 * character counts as three bytes.
 */
export function storable(acl: readonly Acl[], ids: readonly Id[], most: AclBounds): Acl[] | null {
  const own = ids.filter(({ scheme }) => scheme === "digest");
  const stored = new Map<string, Acl>();
  const expanded = new Set<number>();
  let [bytes, expandedBytes] = [0, 0];
  const add = (entry: Acl, isExpanded: boolean): boolean => {
    const { permissions, id } = entry;
    const key = `${permissions} ${keyOf(id)}`;
    const more = stored.has(key) ? 0 : ENTRY_BYTES + 3 * (id.scheme.length + id.id.length);
    bytes += more;
    if (isExpanded) expandedBytes += more;
    stored.set(key, entry);
    return bytes <= most.bytes && expandedBytes <= most.expandedBytes;
  };
  for (const entry of acl) {
    const { permissions, id } = entry;
    if (id.scheme !== "auth") {
      if (!isStorable(id) || !add(entry, false)) return null;
    } else if (!expanded.has(permissions)) {
      expanded.add(permissions);
      if (own.length === 0 || !own.every((each) => add({ permissions, id: each }, true))) return null;
    }
  }
  return stored.size === 0 ? null : [...stored.values()];
}

export interface AclBounds {
  readonly bytes: number;
  /** Of what `auth` stands for: seventeen bytes of a request say it. */
  readonly expandedBytes: number;
}

/** A thousand entries of any kind, hundreds of people; and everybody that one client can be. */
export const ACL_BOUNDS: AclBounds = { bytes: 64 * 1024, expandedBytes: 16 * 1024 };

/** Without ADMIN permission nobody sees the hash of a password. */
export const withoutSecrets = (acl: readonly Acl[]): Acl[] =>
  acl.map(({ permissions, id }) => ({ permissions, id: id.scheme === "digest" ? hideSecret(id) : id }));

/** The name of a user, without any secret. */
export const userOf = ({ scheme, id }: Id): Id => ({
  scheme,
  id: scheme === "digest" ? (id.split(":")[0] as string) : id,
});

export const mayRead = (acl: readonly Acl[], ids: readonly Id[]): boolean =>
  permits(acl, PERMISSION.read, ids);

const hideSecret = ({ scheme, id }: Id): Id => ({ scheme, id: id.replace(/:.*/s, ":x") });

function isStorable({ scheme, id }: Id): boolean {
  switch (scheme) {
    case "world":
      return id === "anyone";
    case "digest": {
      // `name:hash`: no more and no less than one colon, and something after it.
      const parts = id.split(":");
      return parts.length === 2 && parts[1] !== "";
    }
    case "ip":
      return network(id) !== null;
    default:
      return false;
  }
}

/**
 * What one client is granted. Each ACL is gone through once, however many operations of a `multi` ask for it,
 * and each of its entries is looked up among the client's own identities, however many those are.
 */
class Grants {
  readonly #own: ReadonlySet<string>;
  readonly #addresses: readonly number[];
  readonly #byAcl = new WeakMap<readonly Acl[], number>();

  constructor(ids: readonly Id[]) {
    this.#own = new Set(ids.map(keyOf));
    this.#addresses = ids.flatMap(({ scheme, id }) => (scheme === "ip" ? (ipv4(id) ?? []) : []));
  }

  /** All permissions that the ACL gives, in one number. */
  of(acl: readonly Acl[]): number {
    const known = this.#byAcl.get(acl);
    if (known !== undefined) return known;
    let granted = this.#own.has(SUPER) ? -1 : 0;
    for (const { permissions, id } of acl) if (this.#matches(id)) granted |= permissions;
    this.#byAcl.set(acl, granted);
    return granted;
  }

  #matches(id: Id): boolean {
    if (id.scheme === "world") return id.id === "anyone";
    if (this.#own.has(keyOf(id))) return true;
    const net = id.scheme === "ip" ? network(id.id) : null;
    return net !== null && this.#addresses.some((own) => ((own ^ net.address) & net.mask) === 0);
  }
}

/** Kept with the identities, which never change. */
const GRANTS = new WeakMap<readonly Id[], Grants>();

function grantsOf(ids: readonly Id[]): Grants {
  const known = GRANTS.get(ids) ?? new Grants(ids);
  GRANTS.set(ids, known);
  return known;
}

const keyOf = ({ scheme, id }: Id): string => `${scheme} ${id}`;
const SUPER = keyOf({ scheme: "super", id: "" });
/** Of permissions and two lengths. */
const ENTRY_BYTES = 12;

/** `10.1.0.0/16` or a single address. */
function network(text: string): { readonly address: number; readonly mask: number } | null {
  const [host = "", length = "32", ...rest] = text.split("/");
  const address = ipv4(host);
  const bits = /^\d+$/.test(length) ? Number(length) : -1;
  if (address === null || bits < 0 || bits > 32 || rest.length > 0) return null;
  return { address, mask: bits === 0 ? 0 : -1 << (32 - bits) };
}

function ipv4(text: string): number | null {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255))
    return null;
  return parts.reduce((address, part) => (address << 8) | Number(part), 0);
}
