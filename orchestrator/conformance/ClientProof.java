import static org.apache.zookeeper.CreateMode.EPHEMERAL_SEQUENTIAL;
import static org.apache.zookeeper.CreateMode.PERSISTENT;
import static org.apache.zookeeper.CreateMode.PERSISTENT_SEQUENTIAL;
import static org.apache.zookeeper.ZooDefs.Ids.OPEN_ACL_UNSAFE;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/**
 * What Java programs rely on, asked with ZooKeeper's own client. Takes a connection string, prints one line for every proof
 * that held, and leaves with an exception at the first that did not. Run from its source: java -cp zookeeper.jar this.
 */
public final class ClientProof {
  private static final int PATIENCE_SECONDS = 15;
  private static final byte[] NOTHING = new byte[0];

  private final String servers;
  private final String root = "/java-" + UUID.randomUUID();
  private final ZooKeeper zk;

  private interface Proof {
    void run() throws Exception;
  }

  public static void main(String[] args) throws Exception {
    new ClientProof(args[0]).run();
  }

  private ClientProof(String servers) throws Exception {
    this.servers = servers;
    this.zk = connect();
  }

  private void run() throws Exception {
    zk.create(root, NOTHING, OPEN_ACL_UNSAFE, PERSISTENT);
    prove("basics", this::basics);
    prove("multi", this::multi);
    prove("one-shot watches", this::oneShotWatches);
    prove("persistent watches", this::persistentWatches);
    prove("ephemerals", this::ephemerals);
    prove("sessions", this::sessions);
    prove("counts", this::counts);
    prove("asynchronous", this::asynchronous);
    zk.close();
  }

  private void basics() throws Exception {
    Stat stat = new Stat();
    String path = zk.create(root + "/basics", "first".getBytes(), OPEN_ACL_UNSAFE, PERSISTENT, stat);
    same(new String(zk.getData(path, false, stat)), "first");
    same(zk.setData(path, "second".getBytes(), 0).getVersion(), 1);
    refused(KeeperException.Code.BADVERSION, () -> zk.setData(path, NOTHING, 0));
    refused(KeeperException.Code.NODEEXISTS, () -> zk.create(path, NOTHING, OPEN_ACL_UNSAFE, PERSISTENT));
    refused(KeeperException.Code.NONODE, () -> zk.getData(path + "/missing", false, null));
    same(zk.create(path + "/s-", NOTHING, OPEN_ACL_UNSAFE, PERSISTENT_SEQUENTIAL), path + "/s-0000000000");
    refused(KeeperException.Code.NOTEMPTY, () -> zk.delete(path, -1));
    same(zk.getACL(path, new Stat()), OPEN_ACL_UNSAFE);
    same(zk.getChildren(path, false), List.of("s-0000000000"));
  }

  private void multi() throws Exception {
    String path = zk.create(root + "/multi", NOTHING, OPEN_ACL_UNSAFE, PERSISTENT);
    List<OpResult> results = zk.multi(List.of(
        Op.create(path + "/a", NOTHING, OPEN_ACL_UNSAFE, PERSISTENT),
        Op.setData(path, "x".getBytes(), 0),
        Op.check(path + "/a", 0),
        Op.delete(path + "/a", 0)));
    same(((OpResult.CreateResult) results.get(0)).getPath(), path + "/a");
    same(((OpResult.SetDataResult) results.get(1)).getStat().getVersion(), 1);
    try {
      zk.multi(List.of(Op.create(path + "/b", NOTHING, OPEN_ACL_UNSAFE, PERSISTENT), Op.check(path, 9)));
      throw new AssertionError("a multi with a wrong version went through");
    } catch (KeeperException.BadVersionException refusal) {
      same(((OpResult.ErrorResult) refusal.getResults().get(1)).getErr(), KeeperException.Code.BADVERSION.intValue());
    }
    same(zk.exists(path + "/b", false), null);
    List<OpResult> reads = zk.multi(List.of(Op.getData(path), Op.getData(path + "/missing"), Op.getChildren(path)));
    same(new String(((OpResult.GetDataResult) reads.get(0)).getData()), "x");
    same(((OpResult.ErrorResult) reads.get(1)).getErr(), KeeperException.Code.NONODE.intValue());
  }

  private void oneShotWatches() throws Exception {
    String path = root + "/one-shot";
    Events events = new Events();
    same(zk.exists(path, events), null);
    zk.create(path, NOTHING, OPEN_ACL_UNSAFE, PERSISTENT);
    events.next(EventType.NodeCreated, path);
    zk.getData(path, events, null);
    zk.setData(path, NOTHING, -1);
    events.next(EventType.NodeDataChanged, path);
    zk.getChildren(path, events);
    zk.create(path + "/child", NOTHING, OPEN_ACL_UNSAFE, PERSISTENT);
    events.next(EventType.NodeChildrenChanged, path);
    zk.setData(path, NOTHING, -1);
    zk.getData(path, events, null);
    zk.removeWatches(path, events, WatcherType.Data, false);
    events.next(EventType.DataWatchRemoved, path);
    refused(KeeperException.Code.NOWATCHER, () -> zk.removeWatches(path, events, WatcherType.Any, false));
    same(events.left(), 0);
  }

  private void persistentWatches() throws Exception {
    String path = zk.create(root + "/persistent", NOTHING, OPEN_ACL_UNSAFE, PERSISTENT);
    Events events = new Events();
    zk.addWatch(path, events, AddWatchMode.PERSISTENT_RECURSIVE);
    zk.setData(path, NOTHING, -1);
    zk.create(path + "/a", NOTHING, OPEN_ACL_UNSAFE, PERSISTENT);
    zk.create(path + "/a/b", NOTHING, OPEN_ACL_UNSAFE, PERSISTENT);
    zk.delete(path + "/a/b", -1);
    events.next(EventType.NodeDataChanged, path);
    events.next(EventType.NodeCreated, path + "/a");
    events.next(EventType.NodeCreated, path + "/a/b");
    events.next(EventType.NodeDeleted, path + "/a/b");
    zk.removeWatches(path, events, WatcherType.Any, false);
    events.next(EventType.PersistentWatchRemoved, path);
  }

  private void ephemerals() throws Exception {
    ZooKeeper owner = connect();
    String path = owner.create(root + "/e-", NOTHING, OPEN_ACL_UNSAFE, EPHEMERAL_SEQUENTIAL);
    same(owner.getEphemerals(root), List.of(path));
    same(owner.exists(path, false).getEphemeralOwner(), owner.getSessionId());
    refused(KeeperException.Code.NOCHILDRENFOREPHEMERALS,
        () -> owner.create(path + "/child", NOTHING, OPEN_ACL_UNSAFE, PERSISTENT));
    sync();
    Events events = new Events();
    require(zk.exists(path, events) != null, "another session does not see the ephemeral");
    owner.close();
    events.next(EventType.NodeDeleted, path);
    sync();
    same(zk.exists(path, false), null);
  }

  /** A session is taken over with its password; whoever had it before is told that it is lost. */
  private void sessions() throws Exception {
    ZooKeeper first = connect();
    String path = first.create(root + "/mine-", NOTHING, OPEN_ACL_UNSAFE, EPHEMERAL_SEQUENTIAL);
    Events events = new Events();
    ZooKeeper second = new ZooKeeper(servers, 10_000, events, first.getSessionId(), first.getSessionPasswd());
    events.connected();
    same(second.getSessionId(), first.getSessionId());
    require(second.exists(path, false) != null, "the ephemeral is gone");
    second.close();
    sync();
    same(zk.exists(path, false), null);
    Events strange = new Events();
    ZooKeeper stranger = new ZooKeeper(servers, 10_000, strange, zk.getSessionId(), new byte[16]);
    same(strange.state(), KeeperState.Expired);
    stranger.close();
    first.close();
  }

  private void counts() throws Exception {
    String path = zk.create(root + "/counts", NOTHING, OPEN_ACL_UNSAFE, PERSISTENT);
    zk.create(path + "/a", NOTHING, OPEN_ACL_UNSAFE, PERSISTENT);
    zk.create(path + "/a/b", NOTHING, OPEN_ACL_UNSAFE, PERSISTENT);
    same(zk.getAllChildrenNumber(path), 2);
    require(!zk.whoAmI().isEmpty(), "nobody");
    same(zk.getConfig(false, new Stat()).length > 0, true);
  }

  /** A thousand writes on their way at once are answered in the order in which they were asked. */
  private void asynchronous() throws Exception {
    String path = zk.create(root + "/many", NOTHING, OPEN_ACL_UNSAFE, PERSISTENT);
    int count = 1000;
    List<Integer> versions = new ArrayList<>();
    CountDownLatch answered = new CountDownLatch(count);
    for (int i = 0; i < count; i++) {
      zk.setData(path, new byte[100], -1, (code, asked, context, stat) -> {
        if (code == 0) versions.add(stat.getVersion());
        answered.countDown();
      }, null);
    }
    require(answered.await(PATIENCE_SECONDS, TimeUnit.SECONDS), "not all were answered");
    same(versions, java.util.stream.IntStream.rangeClosed(1, count).boxed().collect(Collectors.toList()));
  }

  private ZooKeeper connect() throws Exception {
    Events events = new Events();
    ZooKeeper made = new ZooKeeper(servers, 10_000, events);
    events.connected();
    return made;
  }

  private void sync() throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    zk.sync(root, (code, path, context) -> done.countDown(), null);
    require(done.await(PATIENCE_SECONDS, TimeUnit.SECONDS), "sync was not answered");
  }

  private static final class Events implements Watcher {
    private final BlockingQueue<WatchedEvent> queue = new LinkedBlockingQueue<>();

    @Override
    public void process(WatchedEvent event) {
      queue.add(event);
    }

    void next(EventType type, String path) throws Exception {
      WatchedEvent event = queue.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      require(event != null, "no event, expected " + type + " of " + path);
      same(event.getType() + " " + event.getPath(), type + " " + path);
    }

    void connected() throws Exception {
      same(state(), KeeperState.SyncConnected);
    }

    KeeperState state() throws Exception {
      WatchedEvent event = queue.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      return event == null ? null : event.getState();
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
