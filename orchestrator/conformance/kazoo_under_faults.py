"""Programs written with kazoo go on while servers are killed and restarted under them, and keep count.

    kazoo_under_faults.py HOSTS

Works until a line comes on stdin, then until everything settled, and checks what must hold of a service that loses
nothing: what was acknowledged is there once, locks exclude, watchers see the last state, sessions leave nothing. Prints
one line for every promise that held, with the numbers behind it, and leaves with 1 when one did not.
"""

import logging
import sys
import threading
import time
import uuid

from kazoo.client import KazooClient
from kazoo.exceptions import (
    BadVersionError,
    ConnectionClosedError,
    ConnectionLoss,
    NoNodeError,
    NodeExistsError,
    OperationTimeoutError,
    SessionExpiredError,
)
from kazoo.retry import RetryFailedError

HOSTS = sys.argv[1]
ROOT = "/faults-" + uuid.uuid4().hex
# Whether it was done nobody knows.
UNKNOWN = (ConnectionLoss, ConnectionClosedError, SessionExpiredError, OperationTimeoutError)
SETTLE_SECONDS = 60

over = threading.Event()
broken = []


def promise(holds, words):
    if not holds:
        broken.append(words)
        print("broken: " + words, flush=True)
    return holds


def client():
    # A session outlives any one server that is killed, and lasts as long as its client tries.
    retry = dict(max_tries=-1, max_delay=1, backoff=1)
    made = KazooClient(hosts=HOSTS, timeout=20, connection_retry=retry, command_retry=retry, randomize_hosts=True)
    made.start(timeout=SETTLE_SECONDS)
    return made


def until_done(one, call, *args, **options):
    """For what may be done twice without harm."""
    return one.retry(call, *args, **options)


class Worker(threading.Thread):
    """One client that does its work again and again, and counts what was acknowledged and what nobody knows."""

    def __init__(self, number):
        super().__init__(daemon=True, name="%s-%d" % (type(self).__name__, number))
        self.number, self.done, self.unknown, self.failure = number, 0, 0, None
        self.zk = client()

    def run(self):
        try:
            while not over.is_set():
                self.work()
        except BaseException as failure:
            self.failure = failure
            promise(False, "%s: %r" % (self.name, failure))

    def close(self):
        self.zk.stop()
        self.zk.close()


class Counter(Worker):
    """Compare and set: no two acknowledged ones have the same version, and none is lost."""

    PATH = ROOT + "/counter"
    versions = []

    def work(self):
        value, stat = until_done(self.zk, self.zk.get, self.PATH)
        try:
            after = self.zk.set(self.PATH, b"%d" % (int(value) + 1), stat.version)
            self.versions.append(after.version)
            self.done += 1
            promise(after.version == stat.version + 1, "a version skipped from %s to %s" % (stat, after))
        except BadVersionError:
            pass
        except UNKNOWN:
            self.unknown += 1

    @classmethod
    def check(cls, zk, workers):
        done, unknown = sum(each.done for each in workers), sum(each.unknown for each in workers)
        value, stat = zk.get(cls.PATH)
        words = "counter: %s acknowledged, %s unknown, value %s, version %s" % (done, unknown, int(value), stat.version)
        return words, (
            done <= int(value) <= done + unknown
            and int(value) == stat.version
            and len(set(cls.versions)) == len(cls.versions) == done
            and max(cls.versions, default=0) <= stat.version
        )


class Recipe(Worker):
    """Kazoo's own counter, which tries again when it does not know."""

    PATH = ROOT + "/recipe"

    def work(self):
        counter = self.zk.Counter(self.PATH)
        counter += 1
        self.done += 1

    @classmethod
    def check(cls, zk, workers):
        done = sum(each.done for each in workers)
        value = zk.Counter(cls.PATH).value
        # What was tried again may have been done twice; nothing may be missing.
        return "kazoo's counter: %s acknowledged, value %s" % (done, value), value >= done


class Exclusive(Worker):
    """Whoever holds a lock makes an ephemeral that nobody else can have meanwhile: it goes with the lock's session."""

    INSIDE = ROOT + "/inside"

    def enter(self):
        try:
            self.zk.create(self.INSIDE, b"", ephemeral=True)
        except NodeExistsError:
            found = until_done(self.zk, self.zk.exists, self.INSIDE)
            own = self.zk.client_id[0]
            promise(
                found is None or found.ephemeralOwner == own,
                "%s: two hold the lock: 0x%x beside 0x%x" % (self.name, found.ephemeralOwner if found else 0, own),
            )
        except UNKNOWN:
            self.unknown += 1

    def leave(self):
        try:
            until_done(self.zk, self.zk.delete, self.INSIDE)
        except NoNodeError:
            pass

    def hold(self):
        self.enter()
        time.sleep(0.005)
        self.leave()
        self.done += 1


class Locker(Exclusive):
    def work(self):
        lock = self.zk.Lock(ROOT + "/lock", self.name)
        try:
            if not lock.acquire(timeout=SETTLE_SECONDS):
                return
        except UNKNOWN + (RetryFailedError,):
            self.unknown += 1
            lock.cancel()
            return
        try:
            self.hold()
        finally:
            until_done(self.zk, lock.release)

    @classmethod
    def check(cls, zk, workers):
        words = "locks: held %s times" % sum(each.done for each in workers)
        return words, all(each.done > 0 for each in workers)


class Leader(Exclusive):
    INSIDE = ROOT + "/leads"

    def work(self):
        try:
            self.zk.Election(ROOT + "/election", self.name).run(self.hold)
        except UNKNOWN + (RetryFailedError,):
            self.unknown += 1

    @classmethod
    def check(cls, zk, workers):
        words = "elections: led %s times" % sum(each.done for each in workers)
        return words, all(each.done > 0 for each in workers)


class Producer(Worker):
    """Sequential names that were acknowledged are new, and higher than all before them."""

    ITEMS = ROOT + "/queue/entries"
    put, maybe, names = set(), set(), []

    def work(self):
        item = b"%s/%d" % (self.name.encode(), self.done + self.unknown)
        try:
            name = self.zk.create(self.ITEMS + "/entry-100-", item, sequence=True)
            last = self.names[-1] if self.names else ""
            promise(name > last, "%s came after %s" % (name, last))
            self.names.append(name)
            self.put.add(item)
            self.done += 1
        except UNKNOWN:
            self.maybe.add(item)
            self.unknown += 1
        time.sleep(0.01)

    @classmethod
    def check(cls, zk, workers):
        return "queue: %s put, %s perhaps" % (len(cls.put), len(cls.maybe)), len(cls.put) > 0


class Consumer(Worker):
    """Kazoo's locking queue: nobody takes what another has taken, and what was put is taken."""

    taken, maybe = [], set()

    def __init__(self, number):
        super().__init__(number)
        self.queue = self.zk.LockingQueue(ROOT + "/queue")

    def work(self, timeout=1):
        try:
            item = self.queue.get(timeout)
        except UNKNOWN:
            self.unknown += 1
            return True
        if item is None:
            return False
        try:
            if self.queue.consume():
                self.taken.append(item)
                self.done += 1
            else:
                self.maybe.add(item)
        except UNKNOWN:
            self.maybe.add(item)
            self.queue.processing_element = None
        return True

    @classmethod
    def check(cls, zk, workers):
        # What one has locked and not consumed is free when its session ends.
        for each in workers:
            each.close()
        last = cls(len(workers))
        while last.work(timeout=1):
            pass
        last.close()
        put, taken = Producer.put, set(cls.taken)
        words = "queue: %s taken, %s perhaps" % (len(cls.taken), len(cls.maybe))
        return words, (
            len(taken) == len(cls.taken)
            and put <= taken | cls.maybe
            and taken <= put | Producer.maybe
            and zk.get_children(Producer.ITEMS) == []
        )


class Teller(Worker):
    """Moves money between accounts in transactions: none is made, none is lost."""

    ACCOUNTS = ["%s/accounts/%d" % (ROOT, number) for number in range(3)]

    def work(self):
        source, target = self.ACCOUNTS[self.done % 3], self.ACCOUNTS[(self.done + 1 + self.number) % 3]
        if source == target:
            self.done += 1
            return
        (one, first), (other, second) = [until_done(self.zk, self.zk.get, path) for path in (source, target)]
        move = self.zk.transaction()
        move.set_data(source, b"%d" % (int(one) - 1), first.version)
        move.set_data(target, b"%d" % (int(other) + 1), second.version)
        try:
            if all(not isinstance(result, Exception) for result in move.commit()):
                self.done += 1
        except UNKNOWN:
            self.unknown += 1

    @classmethod
    def check(cls, zk, workers):
        balances = [int(zk.get(path)[0]) for path in cls.ACCOUNTS]
        words = "transactions: %s moves, balances %s" % (sum(each.done for each in workers), balances)
        return words, sum(balances) == 300


class Watcher(Worker):
    """Never sees a state older than one it has seen, and in the end sees the last one."""

    def __init__(self, number):
        super().__init__(number)
        self.versions, self.families = [], []
        self.zk.DataWatch(Counter.PATH, self.on_data)
        self.zk.ChildrenWatch(Member.PATH, self.families.append)

    def on_data(self, data, stat):
        last = self.versions[-1] if self.versions else -1
        promise(stat.version >= last, "a watcher saw version %s after %s" % (stat.version, last))
        self.versions.append(stat.version)
        self.done += 1

    def work(self):
        over.wait(1)

    @classmethod
    def check(cls, zk, workers):
        def sees_all(each):
            return each.versions[-1] == version and sorted(each.families[-1]) == members

        version, members = zk.get(Counter.PATH)[1].version, sorted(zk.get_children(Member.PATH))
        deadline = time.time() + SETTLE_SECONDS
        while not all(sees_all(each) for each in workers) and time.time() < deadline:
            time.sleep(0.1)
        words = "watchers: saw %s changes, the last %s" % (sum(each.done for each in workers), version)
        return words, all(sees_all(each) for each in workers)


class Member(Worker):
    """Comes and goes, in a session of its own each time; what it made goes with it."""

    PATH = ROOT + "/members"

    def work(self):
        visitor = client()
        try:
            visitor.create(self.PATH + "/" + uuid.uuid4().hex, b"", ephemeral=True)
            self.done += 1
        except UNKNOWN:
            self.unknown += 1
        finally:
            visitor.stop()
            visitor.close()
        over.wait(0.2)

    @classmethod
    def check(cls, zk, workers):
        # A session whose end did not arrive lasts for its timeout, and a leader that is new gives it another.
        deadline = time.time() + 2 * SETTLE_SECONDS
        while zk.get_children(cls.PATH) and time.time() < deadline:
            time.sleep(0.2)
        words = "ephemerals: of %s visits, left %s" % (sum(each.done for each in workers), zk.get_children(cls.PATH))
        return words, zk.get_children(cls.PATH) == []


CREWS = ((Counter, 2), (Recipe, 2), (Locker, 3), (Leader, 2), (Producer, 1), (Consumer, 2), (Teller, 2), (Member, 1),
         (Watcher, 2))


def main():
    logging.disable(logging.CRITICAL)
    zk = client()
    for path in (Producer.ITEMS, Member.PATH):
        zk.ensure_path(path)
    zk.create(Counter.PATH, b"0")
    for path in Teller.ACCOUNTS:
        zk.create(path, b"100", makepath=True)
    crews = [(kind, [kind(number) for number in range(count)]) for kind, count in CREWS]
    for _, workers in crews:
        for worker in workers:
            worker.start()
    print("works", flush=True)
    sys.stdin.readline()
    over.set()
    for _, workers in crews:
        for worker in workers:
            worker.join(2 * SETTLE_SECONDS)
            promise(not worker.is_alive(), "%s waits for ever" % worker.name)
    zk.sync("/")
    for kind, workers in crews:
        words, holds = kind.check(zk, workers)
        if promise(holds, words):
            print("held: " + words, flush=True)
    for _, workers in crews:
        for worker in workers:
            worker.close()
    zk.delete(ROOT, recursive=True)
    zk.stop()
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
