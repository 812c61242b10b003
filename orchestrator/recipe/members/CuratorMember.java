import java.nio.charset.StandardCharsets;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.HostProvider;
import org.apache.zookeeper.data.Stat;

/**
 * A member of a trial that elects with Curator's LeaderLatch or LeaderSelector. The term is the number of its znode;
 * whoever leads writes to what is fenced.
 *
 *   CuratorMember curator-latch|curator-selector servers id root fence timeout
 */
public final class CuratorMember {
  private static final int PAUSE_MS = 20;
  private final String root;
  private final String fence;
  private final CuratorFramework client;
  private final CuratorFramework fenced;
  private Thread writer;

  public static void main(String[] args) throws Exception {
    new CuratorMember(args).stand(args[0], args[2]);
    Thread.sleep(Long.MAX_VALUE);
  }

  private CuratorMember(String[] args) throws Exception {
    root = args[3];
    fence = args[4];
    client = connect(args[1], Integer.parseInt(args[5]), true);
    fenced = connect(args[1], Integer.parseInt(args[5]), false);
    client.blockUntilConnected();
    fenced.blockUntilConnected();
    try {
      client.create().creatingParentsIfNeeded().forPath(fence + "/work", new byte[0]);
    } catch (KeeperException.NodeExistsException present) {
      // Another member made it.
    }
  }

  private void stand(String recipe, String id) throws Exception {
    if (recipe.equals("curator-latch")) latch(id);
    else select(id);
    say("\"kind\":\"stands\"");
  }

  private void latch(String id) throws Exception {
    LeaderLatch latch = new LeaderLatch(client, root, id);
    latch.addListener(new LeaderLatchListener() {
      @Override
      public void isLeader() {
        begin();
      }

      @Override
      public void notLeader() {
        end();
      }
    });
    latch.start();
    leaving(() -> {
      // Others may lead as soon as its znode is gone.
      end();
      latch.close(LeaderLatch.CloseMode.NOTIFY_LEADER);
      client.close();
    });
  }

  private void select(String id) {
    LeaderSelector selector = new LeaderSelector(client, root, new LeaderSelectorListenerAdapter() {
      @Override
      public void takeLeadership(CuratorFramework ignored) throws Exception {
        write(term());
      }
    });
    selector.setId(id);
    selector.autoRequeue();
    selector.start();
    leaving(() -> {
      selector.close();
      client.close();
    });
  }

  private interface Leaving {
    void run() throws Exception;
  }

  private void leaving(Leaving work) {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      try {
        work.run();
        fenced.close();
      } catch (Exception late) {
        say("\"kind\":\"failed\"");
      }
    }));
  }

  private synchronized void begin() {
    writer = new Thread(() -> {
      try {
        write(term());
      } catch (Exception ended) {
        Thread.currentThread().interrupt();
      }
    });
    writer.start();
  }

  /** Waits until it has written for the last time. */
  private synchronized void end() {
    if (writer == null) return;
    writer.interrupt();
    try {
      writer.join(1000);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Until its thread is interrupted. */
  private void write(long term) throws Exception {
    say("\"kind\":\"acts\",\"term\":" + term);
    Fenced work = new Fenced(term);
    try {
      while (!Thread.currentThread().isInterrupted()) {
        work.once();
        Thread.sleep(PAUSE_MS);
      }
    } finally {
      say("\"kind\":\"rests\",\"term\":" + term);
    }
  }

  /** The fence is raised to the term once; each write holds only while nobody has raised it since. */
  private final class Fenced {
    private final byte[] own;
    private final long term;
    private int version = -1;

    Fenced(long term) {
      this.term = term;
      own = Long.toString(term).getBytes(StandardCharsets.UTF_8);
    }

    /** What a lost connection leaves open is not told. */
    void once() throws InterruptedException {
      try {
        Stat stat = new Stat();
        if (version < 0 && !raise(stat)) {
          tell(false, stat);
          return;
        }
        tell(true, fenced.transaction().forOperations(
            fenced.transactionOp().check().withVersion(version).forPath(fence),
            fenced.transactionOp().setData().forPath(fence + "/work", own)).get(1).getResultStat());
      } catch (InterruptedException interrupted) {
        throw interrupted;
      } catch (Exception open) {
        // It may have been done; or another has raised it.
        version = -1;
      }
    }

    private boolean raise(Stat found) throws Exception {
      String text = new String(fenced.getData().storingStatIn(found).forPath(fence), StandardCharsets.UTF_8);
      if (!text.isEmpty() && Long.parseLong(text) > term) return false;
      version = fenced.setData().withVersion(found.getVersion()).forPath(fence, own).getVersion();
      return true;
    }

    private void tell(boolean isTaken, Stat made) {
      say("\"kind\":\"wrote\",\"term\":" + term + ",\"isTaken\":" + isTaken + ",\"order\":" + made.getMzxid());
    }
  }

  private long term() throws Exception {
    long least = Long.MAX_VALUE;
    for (String name : client.getChildren().forPath(root)) {
      least = Math.min(least, Long.parseLong(name.substring(name.length() - 10)));
    }
    return least;
  }

  private static synchronized void say(String facts) {
    System.out.println("{\"at\":" + System.nanoTime() / 1e6 + "," + facts + "}");
    System.out.flush();
  }

  private static CuratorFramework connect(String servers, int timeout, boolean isPatient) {
    CuratorFramework made = CuratorFrameworkFactory.builder()
        .connectString(servers)
        .sessionTimeoutMs(timeout)
        .connectionTimeoutMs(timeout)
        .ensembleTracker(false)
        .retryPolicy(isPatient ? new ExponentialBackoffRetry(100, 3) : new RetryOneTime(100))
        .zookeeperFactory(NEAREST_FIRST)
        .build();
    made.start();
    return made;
  }

  private static final ZookeeperFactory NEAREST_FIRST = (servers, timeout, watcher, canBeReadOnly) ->
      new ZooKeeper(servers, timeout, watcher, canBeReadOnly, new InOrder(servers));

  /** ZooKeeper's own shuffles them. */
  private static final class InOrder implements HostProvider {
    private final List<InetSocketAddress> all = new ArrayList<>();
    private int next = -1;
    private int tried;

    InOrder(String servers) {
      for (String server : servers.split(",")) {
        int colon = server.lastIndexOf(':');
        all.add(new InetSocketAddress(server.substring(0, colon), Integer.parseInt(server.substring(colon + 1))));
      }
    }

    @Override
    public int size() {
      return all.size();
    }

    @Override
    public InetSocketAddress next(long spinDelay) {
      next = (next + 1) % all.size();
      if (++tried > all.size() && spinDelay > 0) pause(spinDelay);
      return all.get(next);
    }

    @Override
    public void onConnected() {
      tried = 0;
    }

    @Override
    public boolean updateServerList(Collection<InetSocketAddress> servers, InetSocketAddress current) {
      return false;
    }

    private static void pause(long ms) {
      try {
        Thread.sleep(ms);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
