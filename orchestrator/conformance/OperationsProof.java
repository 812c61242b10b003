import static org.apache.zookeeper.CreateMode.CONTAINER;
import static org.apache.zookeeper.CreateMode.EPHEMERAL;
import static org.apache.zookeeper.CreateMode.PERSISTENT;
import static org.apache.zookeeper.CreateMode.PERSISTENT_WITH_TTL;
import static org.apache.zookeeper.ZooDefs.Ids.OPEN_ACL_UNSAFE;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.StatsTrack;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.admin.ZooKeeperAdmin;
import org.apache.zookeeper.cli.SetQuotaCommand;
import org.apache.zookeeper.data.Stat;

/**
 * What happens to sessions, watches and znodes that nobody touches, and at the limits. Takes a connection string of three
 * servers that know times to live and enforce quotas; prints a line for every proof that held, and leaves with an exception
 * at the first that did not.
 */
public final class OperationsProof {
  private static final int PATIENCE_SECONDS = 30;
  private static final int TIMEOUT_MS = 10_000;
  private static final byte[] NOTHING = new byte[0];

  private final String servers;
  private final String root = "/operations-" + UUID.randomUUID();
  private final ZooKeeper zk;

  private interface Proof {
    void run() throws Exception;
  }

  public static void main(String[] args) throws Exception {
    new OperationsProof(args[0]).run();
  }

  private OperationsProof(String servers) throws Exception {
    this.servers = servers;
    this.zk = connect(servers);
  }

  private void run() throws Exception {
    zk.create(root, NOTHING, OPEN_ACL_UNSAFE, PERSISTENT);
    prove("a request beyond a mebibyte ends its connection and nobody else's", this::limit);
    prove("watches are set again on a new connection, and what was missed fires", this::watchesAgain);
    prove("a watch may be taken away without asking the server", this::localRemoval);
    prove("a session that another has ended is expired", this::expired);
    prove("a session moves between servers while its old connection stands", this::moved);
    prove("hard limits hold", this::quotas);
    prove("the ensemble stays what it is", this::reconfiguration);
    prove("containers and what has outlived its time vanish", this::perishing);
    zk.close();
  }

  private void limit() throws Exception {
    String path = zk.create(root + "/limit", NOTHING, OPEN_ACL_UNSAFE, PERSISTENT);
    ZooKeeper other = connect(servers);
    same(other.setData(path, new byte[1_000_000], -1).getDataLength(), 1_000_000);
    sync(zk, path);
    same(zk.getData(path, false, null).length, 1_000_000);
    drop(other);
    same(again(() -> other.exists(path, false)).getVersion(), 1);
    same(zk.exists(path, false).getVersion(), 1);
    other.close();
  }

  private void watchesAgain() throws Exception {
    String path = zk.create(root + "/again", NOTHING, OPEN_ACL_UNSAFE, PERSISTENT);
    for (String name : List.of("/data", "/children", "/deep")) zk.create(path + name, NOTHING, OPEN_ACL_UNSAFE, PERSISTENT);
    ZooKeeper watcher = connect(servers);
    sync(watcher, path);
    Events data = new Events(), born = new Events(), children = new Events(), deep = new Events(), whole = new Events();
    watcher.getData(path + "/data", data, null);
    watcher.exists(path + "/born", born);
    watcher.getChildren(path + "/children", children);
    watcher.addWatch(path + "/deep", deep, AddWatchMode.PERSISTENT_RECURSIVE);
    watcher.addWatch(path + "/data", whole, AddWatchMode.PERSISTENT);
    // Nothing is sent on the new connection before the client has set its watches again.
    drop(watcher);
    zk.setData(path + "/data", NOTHING, -1);
    zk.create(path + "/born", NOTHING, OPEN_ACL_UNSAFE, PERSISTENT);
    zk.create(path + "/children/one", NOTHING, OPEN_ACL_UNSAFE, PERSISTENT);
    data.next(EventType.NodeDataChanged, path + "/data");
    born.next(EventType.NodeCreated, path + "/born");
    children.next(EventType.NodeChildrenChanged, path + "/children");
    again(() -> watcher.exists(path, false));
    // Persistent ones are not told what they missed, and go on.
    zk.create(path + "/deep/down", NOTHING, OPEN_ACL_UNSAFE, PERSISTENT);
    zk.setData(path + "/data", NOTHING, -1);
    deep.next(EventType.NodeCreated, path + "/deep/down");
    whole.last(EventType.NodeDataChanged, path + "/data");
    same(data.left(), 0);
    watcher.close();
  }

  private void localRemoval() throws Exception {
    String path = zk.create(root + "/local", NOTHING, OPEN_ACL_UNSAFE, PERSISTENT);
    Events events = new Events();
    zk.getData(path, events, null);
    zk.removeWatches(path, events, WatcherType.Data, true);
    events.next(EventType.DataWatchRemoved, path);
    zk.setData(path, NOTHING, -1);
    sync(zk, path);
    same(events.left(), 0);
  }

  private void expired() throws Exception {
    Events states = new Events();
    ZooKeeper owner = new ZooKeeper(servers, TIMEOUT_MS, states);
    states.reach(KeeperState.SyncConnected);
    owner.create(root + "/gone", NOTHING, OPEN_ACL_UNSAFE, EPHEMERAL);
    Events thiefs = new Events();
    ZooKeeper thief = new ZooKeeper(servers, TIMEOUT_MS, thiefs, owner.getSessionId(), owner.getSessionPasswd());
    thiefs.reach(KeeperState.SyncConnected);
    thief.close();
    states.reach(KeeperState.Expired);
    try {
      owner.exists("/", false);
      throw new AssertionError("an expired session goes on");
    } catch (KeeperException.SessionExpiredException expected) {
      sync(zk, root);
      same(zk.exists(root + "/gone", false), null);
    }
  }

  private void moved() throws Exception {
    String[] each = servers.split(",");
    Events states = new Events();
    ZooKeeper here = new ZooKeeper(each[0], TIMEOUT_MS, states);
    states.reach(KeeperState.SyncConnected);
    String path = here.create(root + "/moved", NOTHING, OPEN_ACL_UNSAFE, EPHEMERAL);
    Events others = new Events();
    ZooKeeper there = new ZooKeeper(each[1], TIMEOUT_MS, others, here.getSessionId(), here.getSessionPasswd());
    others.reach(KeeperState.SyncConnected);
    // The old connection reads on; who writes takes the session, and no write is done by both.
    same(here.exists(path, false).getEphemeralOwner(), here.getSessionId());
    for (int version = 0; version < 4; version++) {
      ZooKeeper next = version % 2 == 0 ? there : here;
      int expected = version;
      same(again(() -> setOnce(next, path, expected)).getVersion(), version + 1);
    }
    same(again(() -> there.exists(path, false)).getEphemeralOwner(), here.getSessionId());
    here.close();
    there.close();
    sync(zk, root);
    same(zk.exists(path, false), null);
  }

  /** A lost answer shows in the version. */
  private static Stat setOnce(ZooKeeper zk, String path, int version) throws Exception {
    try {
      return zk.setData(path, NOTHING, version);
    } catch (KeeperException.BadVersionException done) {
      Stat stat = zk.exists(path, false);
      same(stat.getVersion(), version + 1);
      return stat;
    }
  }

  private void quotas() throws Exception {
    String path = zk.create(root + "/quota", NOTHING, OPEN_ACL_UNSAFE, PERSISTENT);
    StatsTrack limits = new StatsTrack();
    limits.setCountHardLimit(2);
    limits.setByteHardLimit(10);
    SetQuotaCommand.createQuota(zk, path, limits);
    zk.create(path + "/one", NOTHING, OPEN_ACL_UNSAFE, PERSISTENT);
    refused(KeeperException.Code.QUOTAEXCEEDED, () -> zk.create(path + "/two", NOTHING, OPEN_ACL_UNSAFE, PERSISTENT));
    refused(KeeperException.Code.QUOTAEXCEEDED, () -> zk.setData(path + "/one", new byte[11], -1));
    zk.setData(path + "/one", new byte[10], -1);
    byte[] counted = zk.getData("/zookeeper/quota" + path + "/zookeeper_stats", false, null);
    same(new StatsTrack(counted).getCount(), 2L);
    same(new StatsTrack(counted).getBytes(), 10L);
  }

  private void reconfiguration() throws Exception {
    ZooKeeperAdmin admin = new ZooKeeperAdmin(servers, TIMEOUT_MS, event -> {});
    refused(KeeperException.Code.UNIMPLEMENTED,
        () -> admin.reconfigure("server.9=127.0.0.1:9:9;9", null, null, -1, new Stat()));
    admin.close();
  }

  private void perishing() throws Exception {
    String timed = zk.create(root + "/timed", NOTHING, OPEN_ACL_UNSAFE, PERSISTENT_WITH_TTL, new Stat(), 500);
    String container = zk.create(root + "/container", NOTHING, OPEN_ACL_UNSAFE, CONTAINER);
    String unused = zk.create(root + "/unused", NOTHING, OPEN_ACL_UNSAFE, CONTAINER);
    zk.create(container + "/child", NOTHING, OPEN_ACL_UNSAFE, PERSISTENT);
    Events ofTimed = new Events(), ofContainer = new Events();
    // It may be gone already.
    if (zk.exists(timed, ofTimed) != null) ofTimed.next(EventType.NodeDeleted, timed);
    require(zk.exists(container, ofContainer) != null, "a container in use is gone");
    zk.delete(container + "/child", -1);
    ofContainer.next(EventType.NodeDeleted, container);
    require(zk.exists(unused, false) != null, "a container is gone that never had a child");
  }

  /** Its server closes the connection; the session, and the client, find another. */
  private void drop(ZooKeeper client) throws Exception {
    try {
      client.setData(root, new byte[1_100_000], -1);
      throw new AssertionError("more than a mebibyte was taken");
    } catch (KeeperException.ConnectionLossException expected) {
      // The client is on its way to another server.
    }
  }

  private static <T> T again(Callable<T> call) throws Exception {
    for (int left = PATIENCE_SECONDS * 10; ; left--) {
      try {
        return call.call();
      } catch (KeeperException.ConnectionLossException | KeeperException.SessionMovedException lost) {
        if (left == 0) throw lost;
        Thread.sleep(100);
      }
    }
  }

  private static ZooKeeper connect(String servers) throws Exception {
    Events events = new Events();
    ZooKeeper made = new ZooKeeper(servers, TIMEOUT_MS, events);
    events.reach(KeeperState.SyncConnected);
    return made;
  }

  private static void sync(ZooKeeper client, String path) throws Exception {
    BlockingQueue<Integer> done = new LinkedBlockingQueue<>();
    client.sync(path, (code, asked, context) -> done.add(code), null);
    same(done.poll(PATIENCE_SECONDS, TimeUnit.SECONDS), 0);
  }

  private static final class Events implements Watcher {
    private final BlockingQueue<WatchedEvent> queue = new LinkedBlockingQueue<>();
    private final BlockingQueue<KeeperState> states = new LinkedBlockingQueue<>();

    @Override
    public void process(WatchedEvent event) {
      if (event.getType() == EventType.None) states.add(event.getState());
      else queue.add(event);
    }

    void next(EventType type, String path) throws Exception {
      WatchedEvent event = queue.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      require(event != null, "no event, expected " + type + " of " + path);
      same(event.getType() + " " + event.getPath(), type + " " + path);
    }

    /** All the same, and at least one. */
    void last(EventType type, String path) throws Exception {
      next(type, path);
      while (left() > 0) next(type, path);
    }

    void reach(KeeperState wanted) throws Exception {
      List<KeeperState> seen = new ArrayList<>();
      for (KeeperState state = null; state != wanted; seen.add(state)) {
        state = states.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        require(state != null, "never " + wanted + ", but " + seen);
      }
    }

    int left() {
      return queue.size();
    }
  }

  private static void prove(String name, Proof proof) throws Exception {
    proof.run();
    System.out.println("held: " + name);
  }

  private static void refused(KeeperException.Code code, Proof call) throws Exception {
    try {
      call.run();
    } catch (KeeperException refusal) {
      same(refusal.code(), code);
      return;
    }
    throw new AssertionError("not refused with " + code);
  }

  private static void same(Object actual, Object expected) {
    require(expected == null ? actual == null : expected.equals(actual), actual + " is not " + expected);
  }

  private static void require(boolean condition, String message) {
    if (!condition) throw new AssertionError(message);
  }
}
