import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.imps.EnsembleTracker;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.curator.framework.recipes.atomic.DistributedAtomicLong;
import org.apache.curator.framework.recipes.barriers.DistributedBarrier;
import org.apache.curator.framework.recipes.barriers.DistributedDoubleBarrier;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.framework.recipes.nodes.GroupMember;
import org.apache.curator.framework.recipes.nodes.PersistentNode;
import org.apache.curator.framework.recipes.shared.SharedCount;
import org.apache.curator.framework.recipes.watch.PersistentWatcher;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;

/**
 * What programs written with Curator rely on. Takes a connection string, prints one line for every proof that held, and
 * leaves with an exception at the first that did not.
 */
public final class CuratorProof {
  private static final int PATIENCE_SECONDS = 30;

  private final String servers;
  private final String root = "/curator-" + UUID.randomUUID();
  private final CuratorFramework one;
  private final CuratorFramework other;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  private interface Proof {
    void run() throws Exception;
  }

  public static void main(String[] args) throws Exception {
    new CuratorProof(args[0]).run();
    System.exit(0);
  }

  private CuratorProof(String servers) throws Exception {
    this.servers = servers;
    this.one = connect(servers);
    this.other = connect(servers);
  }

  private void run() throws Exception {
    prove("the ensemble", this::ensemble);
    prove("znodes", this::znodes);
    prove("transactions", this::transactions);
    prove("mutexes", this::mutexes);
    prove("read-write locks", this::readWriteLocks);
    prove("semaphores", this::semaphores);
    prove("leader latches", this::latches);
    prove("leader selectors", this::selectors);
    prove("counters", this::counters);
    prove("barriers", this::barriers);
    prove("caches", this::caches);
    prove("persistent watchers", this::watchers);
    prove("persistent nodes and groups", this::nodes);
    one.delete().deletingChildrenIfNeeded().forPath(root);
    one.close();
    other.close();
  }

  /** Curator follows what it reads there, and connects to nothing else from then on. */
  private void ensemble() throws Exception {
    until("the ensemble is known", () -> one.getCurrentConfig() != null && one.getCurrentConfig().getAllMembers().size() == 3);
    String[] told = EnsembleTracker.configToConnectionString(one.getCurrentConfig()).split(",");
    same(java.util.Set.of(told), java.util.Set.of(servers.split(",")));
  }

  private void znodes() throws Exception {
    String path = root + "/znodes/deep";
    one.create().orSetData().creatingParentContainersIfNeeded().forPath(path, "first".getBytes());
    one.create().orSetData().forPath(path, "second".getBytes());
    other.sync().forPath(path);
    Stat stat = new Stat();
    same(new String(other.getData().storingStatIn(stat).forPath(path)), "second");
    same(stat.getVersion(), 1);
    String guarded = one.create().withProtection().withMode(CreateMode.EPHEMERAL_SEQUENTIAL).forPath(path + "/p-");
    require(guarded.matches(".*/_c_.*-p-\\d{10}"), guarded);
    one.delete().guaranteed().forPath(guarded);
    CountDownLatch done = new CountDownLatch(100);
    for (int i = 0; i < 100; i++) one.create().inBackground((client, event) -> done.countDown()).forPath(path + "/b" + i);
    require(done.await(PATIENCE_SECONDS, TimeUnit.SECONDS), "not all were answered");
    same(one.getChildren().forPath(path).size(), 100);
  }

  private void transactions() throws Exception {
    String path = one.create().forPath(root + "/transactions");
    Collection<CuratorTransactionResult> results = one.transaction().forOperations(
        one.transactionOp().create().forPath(path + "/a"),
        one.transactionOp().setData().withVersion(0).forPath(path, "x".getBytes()),
        one.transactionOp().delete().forPath(path + "/a"));
    same(results.size(), 3);
    require(results.stream().allMatch(each -> each.getError() == 0), "an error in what was done");
  }

  private void mutexes() throws Exception {
    AtomicInteger inside = new AtomicInteger(), entered = new AtomicInteger();
    together(4, client -> {
      InterProcessMutex mutex = new InterProcessMutex(client, root + "/mutex");
      for (int i = 0; i < 5; i++) {
        mutex.acquire();
        same(inside.incrementAndGet(), 1);
        entered.incrementAndGet();
        inside.decrementAndGet();
        mutex.release();
      }
    });
    same(entered.get(), 20);
  }

  private void readWriteLocks() throws Exception {
    InterProcessReadWriteLock here = new InterProcessReadWriteLock(one, root + "/rw");
    InterProcessReadWriteLock there = new InterProcessReadWriteLock(other, root + "/rw");
    here.readLock().acquire();
    require(there.readLock().acquire(PATIENCE_SECONDS, TimeUnit.SECONDS), "two cannot read");
    there.readLock().release();
    require(!there.writeLock().acquire(100, TimeUnit.MILLISECONDS), "one writes while another reads");
    here.readLock().release();
    require(there.writeLock().acquire(PATIENCE_SECONDS, TimeUnit.SECONDS), "nobody can write");
    there.writeLock().release();
  }

  private void semaphores() throws Exception {
    Lease lease = new InterProcessSemaphoreV2(one, root + "/semaphore", 1).acquire();
    InterProcessSemaphoreV2 second = new InterProcessSemaphoreV2(other, root + "/semaphore", 1);
    same(second.acquire(200, TimeUnit.MILLISECONDS), null);
    lease.close();
    second.acquire(PATIENCE_SECONDS, TimeUnit.SECONDS).close();
  }

  private void latches() throws Exception {
    LeaderLatch first = new LeaderLatch(one, root + "/latch", "one"), second = new LeaderLatch(other, root + "/latch", "other");
    first.start();
    require(first.await(PATIENCE_SECONDS, TimeUnit.SECONDS), "nobody leads");
    second.start();
    require(!second.await(200, TimeUnit.MILLISECONDS), "two lead");
    first.close();
    require(second.await(PATIENCE_SECONDS, TimeUnit.SECONDS), "nobody leads after the first");
    second.close();
  }

  private void selectors() throws Exception {
    List<String> led = new CopyOnWriteArrayList<>();
    CountDownLatch both = new CountDownLatch(2);
    List<LeaderSelector> selectors = new ArrayList<>();
    for (CuratorFramework client : List.of(one, other)) {
      String name = "selector-" + selectors.size();
      selectors.add(new LeaderSelector(client, root + "/selector", new LeaderSelectorListenerAdapter() {
        @Override
        public void takeLeadership(CuratorFramework leader) {
          led.add(name);
          both.countDown();
        }
      }));
    }
    for (LeaderSelector selector : selectors) selector.start();
    require(both.await(PATIENCE_SECONDS, TimeUnit.SECONDS), "not both led: " + led);
    for (LeaderSelector selector : selectors) selector.close();
  }

  private void counters() throws Exception {
    together(2, client -> {
      DistributedAtomicLong counter =
          new DistributedAtomicLong(client, root + "/atomic", new ExponentialBackoffRetry(10, 50));
      for (int added = 0; added < 20; ) if (counter.increment().succeeded()) added++;
    });
    other.sync().forPath(root + "/atomic");
    same(new DistributedAtomicLong(other, root + "/atomic", new ExponentialBackoffRetry(10, 3)).get().postValue(), 40L);
    SharedCount mine = new SharedCount(one, root + "/shared", 7), yours = new SharedCount(other, root + "/shared", 7);
    mine.start();
    yours.start();
    mine.setCount(8);
    until("a shared count is seen by all", () -> yours.getCount() == 8);
    mine.close();
    yours.close();
  }

  private void barriers() throws Exception {
    DistributedBarrier barrier = new DistributedBarrier(one, root + "/barrier");
    barrier.setBarrier();
    Future<Boolean> waiting = threads.submit(
        () -> new DistributedBarrier(other, root + "/barrier").waitOnBarrier(PATIENCE_SECONDS, TimeUnit.SECONDS));
    barrier.removeBarrier();
    same(waiting.get(), true);
    together(2, client -> {
      DistributedDoubleBarrier both = new DistributedDoubleBarrier(client, root + "/double", 2);
      require(both.enter(PATIENCE_SECONDS, TimeUnit.SECONDS), "not all came in");
      require(both.leave(PATIENCE_SECONDS, TimeUnit.SECONDS), "not all went out");
    });
  }

  private void caches() throws Exception {
    String path = one.create().forPath(root + "/cached", new byte[0]);
    one.create().forPath(path + "/before", "1".getBytes());
    CuratorCache cache = CuratorCache.build(other, path);
    CountDownLatch filled = new CountDownLatch(1);
    List<String> seen = new CopyOnWriteArrayList<>();
    cache.listenable().addListener(CuratorCacheListener.builder().forInitialized(filled::countDown)
        .forAll((type, old, data) -> seen.add(type + " " + (data == null ? old : data).getPath())).build());
    other.sync().forPath(path);
    cache.start();
    require(filled.await(PATIENCE_SECONDS, TimeUnit.SECONDS), "the cache was never filled");
    one.create().forPath(path + "/after", "2".getBytes());
    one.setData().forPath(path + "/before", "3".getBytes());
    // A cache fetches what it was told of: what is gone by then was, for it, never there.
    until("what is new is seen", () -> seen.contains("NODE_CREATED " + path + "/after"));
    one.delete().forPath(path + "/after");
    until("all changes are seen", () -> seen.contains("NODE_DELETED " + path + "/after"));
    until("the last value is there", () -> "3".equals(new String(cache.get(path + "/before").get().getData())));
    cache.close();
  }

  private void watchers() throws Exception {
    String path = one.create().forPath(root + "/watched", new byte[0]);
    List<String> seen = new CopyOnWriteArrayList<>();
    PersistentWatcher watcher = new PersistentWatcher(other, path, true);
    watcher.getListenable().addListener(event -> seen.add(event.getType() + " " + event.getPath()));
    watcher.start();
    until("it watches", () -> {
      one.setData().forPath(path, new byte[0]);
      return seen.contains("NodeDataChanged " + path);
    });
    one.create().forPath(path + "/a");
    one.create().forPath(path + "/a/b");
    until("all below is seen", () -> seen.contains("NodeCreated " + path + "/a/b"));
    watcher.close();
  }

  private void nodes() throws Exception {
    PersistentNode node = new PersistentNode(one, CreateMode.EPHEMERAL, false, root + "/kept", "mine".getBytes());
    node.start();
    require(node.waitForInitialCreate(PATIENCE_SECONDS, TimeUnit.SECONDS), "it was never made");
    other.sync().forPath(root + "/kept");
    other.delete().forPath(root + "/kept");
    until("it is made again", () -> other.checkExists().forPath(root + "/kept") != null);
    node.close();
    GroupMember first = new GroupMember(one, root + "/group", "one"), second = new GroupMember(other, root + "/group", "other");
    first.start();
    second.start();
    until("both are in the group", () -> first.getCurrentMembers().size() == 2 && second.getCurrentMembers().size() == 2);
    second.close();
    until("one is left", () -> first.getCurrentMembers().keySet().equals(java.util.Set.of("one")));
    first.close();
  }

  private interface Body {
    void run(CuratorFramework client) throws Exception;
  }

  /** At once, on both clients in turn. */
  private void together(int count, Body body) throws Exception {
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      CuratorFramework client = i % 2 == 0 ? one : other;
      running.add(threads.submit((Callable<Void>) () -> {
        body.run(client);
        return null;
      }));
    }
    for (Future<?> each : running) each.get(4 * PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  private static void until(String what, Callable<Boolean> holds) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!holds.call()) {
      require(System.nanoTime() < end, "not in time: " + what);
      Thread.sleep(20);
    }
  }

  private static CuratorFramework connect(String servers) throws Exception {
    CuratorFramework made = CuratorFrameworkFactory.newClient(servers, 20_000, 10_000, new ExponentialBackoffRetry(100, 5));
    made.start();
    require(made.blockUntilConnected(PATIENCE_SECONDS, TimeUnit.SECONDS), "no connection");
    return made;
  }

  private static void prove(String name, Proof proof) throws Exception {
    proof.run();
    System.out.println("held: " + name);
  }

  private static void same(Object actual, Object expected) {
    require(expected == null ? actual == null : expected.equals(actual), actual + " is not " + expected);
  }

  private static void require(boolean condition, String message) {
    if (!condition) throw new AssertionError(message);
  }
}
