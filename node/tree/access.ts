/**
 * May this client do that? ZooKeeper's rules for the schemes `world`, `auth`, `digest`, `ip`, and for
 * `super`, who may do everything.
 */

import { type Acl, type Id, PERMISSION } from "../wire/client/acl.ts";

/** Every bit of `permission` need not be there: one of them is enough. */
export function permits(acl: readonly Acl[], permission: number, ids: readonly Id[]): boolean {
  if (ids.some(({ scheme }) => scheme === "super")) return true;
  return acl.some(({ permissions, id }) => {
    if ((permissions & permission) === 0) return false;
    if (id.scheme === "world") return id.id === "anyone";
    return ids.some((own) => own.scheme === id.scheme && matches(own, id));
  });
}

/**
 * The ACL to store for the one that a client sent: `auth` becomes the client's own identities, doubles go.
 * Null when it is empty, or names a scheme or an id that cannot be.
 */
export function storable(acl: readonly Acl[], ids: readonly Id[]): Acl[] | null {
  const stored: Acl[] = [];
  for (const entry of acl) {
    const { permissions, id } = entry;
    if (id.scheme === "auth") {
      const own = ids.filter(({ scheme }) => scheme === "digest");
      if (own.length === 0) return null;
      for (const each of own) addOnce(stored, { permissions, id: each });
    } else if (isStorable(id)) addOnce(stored, entry);
    else return null;
  }
  return stored.length === 0 ? null : stored;
}

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

function addOnce(stored: Acl[], entry: Acl): void {
  const same = ({ permissions, id }: Acl): boolean =>
    permissions === entry.permissions && id.scheme === entry.id.scheme && id.id === entry.id.id;
  if (!stored.some(same)) stored.push(entry);
}

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

function matches(own: Id, wanted: Id): boolean {
  if (own.scheme !== "ip") return own.id === wanted.id;
  const [net, address] = [network(wanted.id), ipv4(own.id)];
  if (net === null || address === null) return own.id === wanted.id;
  return (address & net.mask) >>> 0 === (net.address & net.mask) >>> 0;
}

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
