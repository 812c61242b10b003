/** What a client can ask for, by ZooKeeper's numbers (`ZooDefs.OpCode`). */

export const OPERATIONS = {
  create: 1,
  delete: 2,
  exists: 3,
  getData: 4,
  setData: 5,
  getAcl: 6,
  setAcl: 7,
  getChildren: 8,
  sync: 9,
  ping: 11,
  getChildren2: 12,
  check: 13,
  multi: 14,
  create2: 15,
  reconfig: 16,
  checkWatches: 17,
  removeWatches: 18,
  createContainer: 19,
  deleteContainer: 20,
  createTtl: 21,
  multiRead: 22,
  auth: 100,
  setWatches: 101,
  sasl: 102,
  getEphemerals: 103,
  getAllChildrenNumber: 104,
  setWatches2: 105,
  addWatch: 106,
  whoAmI: 107,
  createSession: -10,
  closeSession: -11,
} as const;

export type Operation = keyof typeof OPERATIONS;

export const operationOf = (code: number): Operation | undefined => BY_CODE.get(code);

const BY_CODE: ReadonlyMap<number, Operation> = new Map(
  Object.entries(OPERATIONS).map(([name, code]) => [code, name as Operation]),
);
