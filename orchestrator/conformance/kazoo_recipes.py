"""What programs written with kazoo rely on: its recipes, each with the clients it needs.

Takes a connection string, prints one line for every proof that held, and leaves with 1 at the first that did not.
"""

import sys
import threading
import uuid

from kazoo.client import KazooClient, KazooState
from kazoo.exceptions import BadVersionError, NodeExistsError, NoNodeError, NotEmptyError
from kazoo.recipe.barrier import Barrier, DoubleBarrier
from kazoo.recipe.cache import TreeCache
from kazoo.recipe.queue import LockingQueue
from kazoo.security import CREATOR_ALL_ACL, make_digest_acl

HOSTS = sys.argv[1]
# Every run has a tree of its own, so that nothing left by another one matters.
ROOT = "/kazoo-" + uuid.uuid4().hex
PATIENCE = 15


def client(**options):
    made = KazooClient(hosts=HOSTS, timeout=8, **options)
    made.start(timeout=PATIENCE)
    return made


def together(*bodies):
    """Runs all at once and hands back what they returned, or the first failure."""
    results, failures = [None] * len(bodies), []

    def run(index, body):
        try:
            results[index] = body()
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=run, args=pair, daemon=True) for pair in enumerate(bodies)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(4 * PATIENCE)
        assert not thread.is_alive(), "a client waits for ever"
    if failures:
        raise failures[0]
    return results


def raises(error, call, *args, **options):
    try:
        call(*args, **options)
    except error:
        return
    raise AssertionError("%s did not raise %s" % (call.__name__, error.__name__))


def basics(one, other):
    path = ROOT + "/basics"
    one.create(path, b"first", makepath=True)
    raises(NodeExistsError, one.create, path)
    data, stat = other.sync(path) and other.get(path)
    assert (data, stat.version, stat.numChildren, stat.dataLength) == (b"first", 0, 0, 5), stat
    assert one.set(path, b"second", version=0).version == 1
    raises(BadVersionError, one.set, path, b"third", version=0)
    child, child_stat = one.create(path + "/child", b"", include_data=True)
    assert child == path + "/child" and child_stat.version == 0
    raises(NotEmptyError, one.delete, path)
    raises(NoNodeError, one.get, path + "/missing")
    assert one.exists(path + "/missing") is None
    assert one.get_children(path, include_data=True)[0] == ["child"]
    names = [one.create(path + "/s-", sequence=True) for _ in range(3)]
    assert [name[-10:] for name in names] == ["0000000001", "0000000002", "0000000003"], names
    one.delete(path, recursive=True)


def transactions(one, other):
    path = ROOT + "/transactions"
    one.create(path, b"0")
    good = one.transaction()
    good.create(path + "/a", b"1")
    good.set_data(path, b"1", version=0)
    good.check(path + "/a", version=0)
    created, stat, checked = good.commit()
    assert created == path + "/a" and stat.version == 1 and checked is True
    bad = one.transaction()
    bad.create(path + "/b")
    bad.check(path, version=7)
    bad.delete(path + "/a")
    kinds = [type(result).__name__ for result in bad.commit()]
    assert kinds == ["RolledBackError", "BadVersionError", "RuntimeInconsistency"], kinds
    assert one.exists(path + "/b") is None and one.exists(path + "/a") is not None


def access(one, other):
    path = ROOT + "/access"
    one.create(path, acl=[make_digest_acl("user", "secret", all=True)])
    other.sync(path)
    try:
        other.get(path)
        raise AssertionError("a stranger may read")
    except Exception as refusal:
        assert type(refusal).__name__ == "NoAuthError", refusal
    other.add_auth("digest", "user:secret")
    assert other.get(path)[0] == b""
    assert other.get_acls(path)[0][0].id.scheme == "digest"
    other.delete(path)
    # The identity that a client has proved, whatever it is; kazoo sends its empty id as null.
    other.create(path, acl=CREATOR_ALL_ACL)
    assert other.get_acls(path)[0][0].id.id.startswith("user:")
    other.delete(path)


def locks(one, other):
    path, inside, entered = ROOT + "/lock", [], []

    def contend(who, name):
        def body():
            for _ in range(5):
                with who.Lock(path, name):
                    inside.append(name)
                    assert len(inside) == 1, inside
                    entered.append(name)
                    inside.remove(name)
        return body

    together(contend(one, "one"), contend(other, "other"))
    assert len(entered) == 10
    first, second = one.Lock(path, "one"), other.Lock(path, "other")
    assert first.acquire(timeout=PATIENCE)
    assert not second.acquire(blocking=False)
    assert list(second.contenders()) == ["one"]
    first.release()
    assert second.acquire(timeout=PATIENCE)
    second.release()


def abandoned_lock(one, other):
    """A holder that is gone without a word frees its lock when its session ends."""
    path = ROOT + "/abandoned"
    holder = client()
    assert holder.Lock(path, "holder").acquire(timeout=PATIENCE)
    waiter = one.Lock(path, "waiter")
    assert not waiter.acquire(blocking=False)
    holder.stop()
    assert waiter.acquire(timeout=PATIENCE)
    waiter.release()


def read_write_locks(one, other):
    path = ROOT + "/rw"
    reader, another, writer = one.ReadLock(path, "r"), other.ReadLock(path, "r2"), other.WriteLock(path, "w")
    assert reader.acquire(timeout=PATIENCE) and another.acquire(timeout=PATIENCE)
    assert not writer.acquire(blocking=False)
    reader.release()
    another.release()
    assert writer.acquire(timeout=PATIENCE)
    assert not reader.acquire(blocking=False)
    writer.release()


def semaphores(one, other):
    path = ROOT + "/semaphore"
    first, second = one.Semaphore(path, "a", max_leases=1), other.Semaphore(path, "b", max_leases=1)
    assert first.acquire(timeout=PATIENCE)
    assert not second.acquire(blocking=False)
    first.release()
    assert second.acquire(timeout=PATIENCE)
    second.release()


def elections(one, other):
    path, led = ROOT + "/election", []
    together(
        lambda: one.Election(path, "one").run(led.append, "one"),
        lambda: other.Election(path, "other").run(led.append, "other"),
    )
    assert sorted(led) == ["one", "other"], led


def barriers(one, other):
    barrier = Barrier(one, ROOT + "/barrier")
    barrier.create()
    waiting = threading.Event()

    def wait():
        waiting.set()
        return Barrier(other, ROOT + "/barrier").wait(PATIENCE)

    def lift():
        waiting.wait(PATIENCE)
        return barrier.remove()

    assert together(wait, lift) == [True, True]
    both = [DoubleBarrier(each, ROOT + "/double", 2) for each in (one, other)]
    together(*[barrier.enter for barrier in both])
    together(*[barrier.leave for barrier in both])


def counters(one, other):
    def add(who):
        counter = who.Counter(ROOT + "/counter")

        def body():
            nonlocal counter
            for _ in range(20):
                counter += 1
        return body

    start = one.Counter(ROOT + "/counter")
    start += 2
    together(add(one), add(other))
    other.sync(ROOT + "/counter")
    assert other.Counter(ROOT + "/counter").value == 42


def queues(one, other):
    queue, taker = one.Queue(ROOT + "/queue"), other.Queue(ROOT + "/queue")
    for number, priority in ((1, 100), (2, 100), (3, 50)):
        queue.put(b"%d" % number, priority)
    other.sync(ROOT + "/queue")
    assert [taker.get(), taker.get(), taker.get(), taker.get()] == [b"3", b"1", b"2", None]
    locking, other_locking = LockingQueue(one, ROOT + "/locking"), LockingQueue(other, ROOT + "/locking")
    locking.put_all([b"a", b"b"])
    assert other_locking.get(PATIENCE) == b"a" and other_locking.consume()
    assert locking.get(PATIENCE) == b"b" and locking.consume()


def parties(one, other):
    first, second = one.Party(ROOT + "/party", "one"), other.Party(ROOT + "/party", "other")
    first.join()
    second.join()
    one.sync(ROOT + "/party")
    assert sorted(first) == ["one", "other"] and len(first) == 2
    second.leave()
    one.sync(ROOT + "/party")
    assert list(first) == ["one"]
    first.leave()


def watchers(one, other):
    path = ROOT + "/watched"
    seen, families, enough = [], [], threading.Event()
    one.create(path, b"0")

    @other.DataWatch(path)
    def on_data(data, stat):
        seen.append(data)
        if data == b"last":
            enough.set()

    @other.ChildrenWatch(path)
    def on_children(children):
        families.append(sorted(children))

    for value in (b"1", b"2", b"last"):
        one.create(path + "/" + value.decode())
        one.set(path, value)
    assert enough.wait(PATIENCE)
    # Changes may be missed between two one-shot watches, but what is seen is in order, and the last is seen.
    assert seen == sorted(seen) and seen[-1] == b"last", seen
    settled = threading.Event()
    other.ChildrenWatch(path, lambda children: len(children) == 3 and settled.set())
    assert settled.wait(PATIENCE)
    assert all(set(a) <= set(b) for a, b in zip(families, families[1:])), families


def caches(one, other):
    path, ready = ROOT + "/cached", threading.Event()
    one.ensure_path(path + "/below")
    other.sync(path)
    cache = TreeCache(other, path)
    cache.listen(lambda event: event.event_data and event.event_data.path == path + "/below/it" and ready.set())
    cache.start()
    one.create(path + "/below/it", b"v")
    assert ready.wait(PATIENCE)
    assert cache.get_data(path + "/below/it").data == b"v"
    cache.close()


def sessions(one, other):
    """Ephemerals are there while their session is, also when its connection is lost and made anew."""
    owner, lost, back = client(), threading.Event(), threading.Event()
    path = owner.create(ROOT + "/e-", b"", ephemeral=True, sequence=True)
    session = owner.client_id[0]

    def listen(state):
        if state == KazooState.SUSPENDED:
            lost.set()
        elif state == KazooState.CONNECTED and lost.is_set():
            back.set()

    owner.add_listener(listen)
    owner._connection._socket.shutdown(2)
    assert lost.wait(PATIENCE) and back.wait(PATIENCE)
    assert owner.client_id[0] == session
    one.sync(path)
    assert one.exists(path).ephemeralOwner == session
    gone = threading.Event()
    assert one.exists(path, watch=lambda event: gone.set())
    owner.stop()
    assert gone.wait(PATIENCE)
    one.sync(path)
    assert one.exists(path) is None


PROOFS = (
    basics,
    transactions,
    access,
    locks,
    abandoned_lock,
    read_write_locks,
    semaphores,
    elections,
    barriers,
    counters,
    queues,
    parties,
    watchers,
    caches,
    sessions,
)


def main():
    one, other = client(), client()
    one.create(ROOT)
    other.sync(ROOT)
    for proof in PROOFS:
        proof(one, other)
        print("held: " + proof.__name__, flush=True)
    one.delete(ROOT, recursive=True)
    for each in (one, other):
        each.stop()
        each.close()


main()
