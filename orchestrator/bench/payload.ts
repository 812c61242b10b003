/** What ZooKeeper's own benchmarks write, and what its documentation takes for typical. */
export const PAYLOAD_BYTES = 1024;
