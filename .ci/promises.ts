// What the README says of the product is proved by tests. One that is skipped proves nothing: on somebody's
// machine that is told, in CI it is a failure.

/** What the README says, and the test files that prove it. */
export const PROMISES: Readonly<Record<string, RegExp>> = {
  "kazoo with its own test suite": /\/kazoo-[\w-]+\.system\.test\.ts$/,
  "zkCli, the Java and C clients, Curator's recipes and node-zookeeper-client":
    /\/conformance\/.*\.system\.test\.ts$/,
  "containers where a Docker daemon answers":
    /docker\.system\.test\.ts$|\/interrupt\w+(?:-verdict)?\.system\.test\.ts$/,
  "network namespaces": /\/live\b.*\.system\.test\.ts$/,
  "ours, ZooKeeper and etcd, in turn": /\/bench[\w-]*\.system\.test\.ts$/,
  "sets Apache ZooKeeper and an oracle of one's own beside ours": /\/live\b.*\.system\.test\.ts$/,
  "real servers under twenty-seven kinds of faults": /\/torture\/.*\.system\.test\.ts$/,
  "crowds, and three times the capacity": /\/load[\w-]*\.system\.test\.ts$/,
};

/** Of tests that were skipped, as `file: test: why`, those that had something to prove, and what. */
export function brokenPromises(skipped: readonly string[]): string[] {
  return skipped.flatMap((skip) => {
    const [file = ""] = skip.split(": ", 1);
    const promised = Object.entries(PROMISES).filter(([, proof]) => proof.test(file));
    const words = promised.map(([promise]) => `"${promise}"`).join(", and ");
    return words === "" ? [] : [`${skip}\n    skipped, but the README says ${words}`];
  });
}
