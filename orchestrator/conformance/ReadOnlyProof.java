import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/**
 * The same as kazoo_read_only.py, with ZooKeeper's own client: says in a line each when it could write, only read, and
 * write again, always in one session.
 */
public final class ReadOnlyProof {
  private static final int PATIENCE_SECONDS = 60;
  private static final int TIMEOUT_MS = 30_000;
  private static final String PATH = "/java-read-only";

  private static final BlockingQueue<KeeperState> STATES = new LinkedBlockingQueue<>();

  public static void main(String[] args) throws Exception {
    ZooKeeper zk = new ZooKeeper(args[0], TIMEOUT_MS, event -> STATES.add(event.getState()), true);
    reach(KeeperState.SyncConnected);
    zk.create(PATH, "seen".getBytes(), ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
    long session = zk.getSessionId();
    System.out.println("writes");

    reach(KeeperState.ConnectedReadOnly);
    same(new String(zk.getData(PATH, false, null)), "seen");
    same(zk.getChildren("/", false).contains(PATH.substring(1)), true);
    try {
      zk.setData(PATH, new byte[0], -1);
      throw new AssertionError("a server without a quorum takes a write");
    } catch (KeeperException.NotReadOnlyException expected) {
      same(zk.getSessionId(), session);
    }
    System.out.println("reads");

    reach(KeeperState.SyncConnected);
    Stat stat = write(zk);
    same(List.of(zk.getSessionId(), stat.getEphemeralOwner()), List.of(session, session));
    System.out.println("writes again");
    zk.close();
  }

  /** The first one may be lost with a connection to a server that had no quorum yet. */
  private static Stat write(ZooKeeper zk) throws Exception {
    while (true) {
      try {
        return zk.setData(PATH, "and written".getBytes(), -1);
      } catch (KeeperException.ConnectionLossException lost) {
        Thread.sleep(100);
      }
    }
  }

  private static void reach(KeeperState wanted) throws Exception {
    for (KeeperState state = null; state != wanted; ) {
      state = STATES.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (state == null || state == KeeperState.Expired) throw new AssertionError("not " + wanted + " but " + state);
    }
  }

  private static void same(Object actual, Object expected) {
    if (!expected.equals(actual)) throw new AssertionError(actual + " is not " + expected);
  }
}
