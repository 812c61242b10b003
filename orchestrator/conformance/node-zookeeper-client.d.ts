/** The part of node-zookeeper-client that is used here; it brings no types of its own. */
declare module "node-zookeeper-client" {
  interface Stat {
    readonly version: number;
    readonly dataLength: number;
    readonly ephemeralOwner: Buffer;
  }
  interface Exception extends Error {
    getCode(): number;
  }
  interface Event {
    readonly name: string;
    readonly path: string;
  }
  type Done<T> = (error: Exception | null, result: T) => void;
  interface Transaction {
    create(path: string): this;
    setData(path: string, data: Buffer, version: number): this;
    check(path: string, version: number): this;
    commit(callback: Done<readonly unknown[]>): void;
  }
  interface Client {
    once(event: "connected", listener: () => void): this;
    connect(): void;
    close(): void;
    getSessionId(): Buffer;
    create(path: string, data: Buffer, mode: number, callback: Done<string>): void;
    exists(path: string, watcher: (event: Event) => void, callback: Done<Stat | null>): void;
    getData(path: string, callback: (error: Exception | null, data: Buffer, stat: Stat) => void): void;
    setData(path: string, data: Buffer, version: number, callback: Done<Stat>): void;
    getChildren(path: string, callback: Done<string[]>): void;
    remove(path: string, version: number, callback: Done<void>): void;
    transaction(): Transaction;
  }
  const library: {
    createClient(connectString: string, options: { readonly sessionTimeout: number }): Client;
    readonly CreateMode: { readonly PERSISTENT: number; readonly EPHEMERAL_SEQUENTIAL: number };
  };
  export = library;
}
