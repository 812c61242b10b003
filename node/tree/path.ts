/**
 * Names of znodes. The rules are ZooKeeper's (`PathUtils`): a path begins with a slash and does not end with
 * one, has no empty, `.` or `..` element, and none of the characters that cannot be printed or compared
 * reliably.
 */

export const ROOT = "/";
export const RESERVED = "/zookeeper";
export const QUOTA = "/zookeeper/quota";
/** Who is in the ensemble. Every server fills it in for itself: it is no part of the replicated state. */
export const CONFIG = "/zookeeper/config";

/** These four are always there. */
export const isReserved = (path: string): boolean =>
  path === ROOT || path === RESERVED || path === QUOTA || path === CONFIG;

export function isValidPath(path: string): boolean {
  if (path === ROOT) return true;
  if (!path.startsWith("/") || path.endsWith("/")) return false;
  for (let index = 1; index < path.length; index++) {
    const code = path.charCodeAt(index);
    if (code === SLASH && path.charCodeAt(index - 1) === SLASH) return false;
    if (isForbidden(code)) return false;
  }
  return !RELATIVE.test(path);
}

/** Of a path with a slash in it; what comes before the last one, or the root. */
export function parentOf(path: string): string {
  const last = path.lastIndexOf("/");
  return last <= 0 ? ROOT : path.slice(0, last);
}

export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** The counter that makes a sequential name, as wide as in ZooKeeper: sorting the names sorts the numbers. */
export function sequentialSuffix(counter: number): string {
  return counter < 0 ? `-${String(-counter).padStart(9, "0")}` : String(counter).padStart(10, "0");
}

/** U+0000-001F, 007F-009F, D800-F8FF (surrogates, private use), FFF0-FFFF. */
const isForbidden = (code: number): boolean =>
  code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0xd800 && code <= 0xf8ff) || code >= 0xfff0;

const SLASH = 0x2f;
const RELATIVE = /\/\.{1,2}(?:\/|$)/;
