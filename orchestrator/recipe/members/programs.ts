/** How a member of each recipe is run, and what must be installed for those that nobody here wrote. */

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isInstalled, isKazooHere, KAZOO_PACKAGE } from "../../testbed/environment.ts";
import type { MemberOrders } from "../member-line.ts";
import type { Recipe } from "../plan.ts";

const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const PYTHON = "/usr/bin/python3";
const JARS = ["curator-recipes", "curator-framework", "curator-client", "guava", "zookeeper"].map(
  (name) => `/usr/share/java/${name}.jar`,
);
/** A small virtual machine that does not compile much: there are many of them. */
const SMALL = ["-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"];

const isCurators = (recipe: Recipe): boolean => recipe.startsWith("curator");

/** As a sentence for people, or null. */
export function missingFor(recipe: Recipe): string | null {
  if (recipe === "kazoo" && !isKazooHere()) return `kazoo is missing: ${KAZOO_PACKAGE}`;
  if (!isCurators(recipe)) return null;
  if (!isInstalled("java") || !existsSync("/usr/bin/javac"))
    return "a JDK is missing: apt-get install default-jdk-headless";
  const gone = JARS.find((jar) => !existsSync(jar));
  return gone === undefined ? null : `${gone} is missing: apt-get install libcurator-recipes-java`;
}

/** Whatever has to be built before members can be run, into this folder. */
export function prepare(recipes: readonly Recipe[], folder: string): void {
  if (!recipes.some(isCurators)) return;
  const args = ["-cp", JARS.join(":"), "-d", folder, beside("CuratorMember.java")];
  execFileSync("javac", args, { stdio: ["ignore", "ignore", "pipe"] });
}

/** `folder`: where `prepare` has built. */
export function commandFor(orders: MemberOrders, folder: string): readonly [string, ...string[]] {
  const { recipe, servers, id, root, fence, timeout } = orders;
  if (recipe === "kazoo") return [PYTHON, beside("kazoo_member.py"), JSON.stringify(orders)];
  if (!isCurators(recipe)) return [process.execPath, beside("member-main.ts"), JSON.stringify(orders)];
  const classes = [folder, ...JARS].join(":");
  const words = [recipe, servers, id, root, fence, String(timeout)];
  return ["java", ...SMALL, "-cp", classes, "CuratorMember", ...words];
}
