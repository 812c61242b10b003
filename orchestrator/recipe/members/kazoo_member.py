"""A member of a trial that elects with kazoo's Election, as its documentation shows it.

Its only argument is its orders, as JSON. The term is the number of its znode; whoever leads writes to what is fenced.
kazoo does not stop what leads when the session is gone: only the fence tells it.
"""

import json
import logging
import signal
import sys
import threading
import time

from kazoo.client import KazooClient
from kazoo.exceptions import BadVersionError, KazooException
from kazoo.handlers.threading import KazooTimeoutError
from kazoo.recipe.lock import Lock

logging.disable(logging.CRITICAL)
ORDERS = json.loads(sys.argv[1])
WORK = ORDERS["fence"] + "/work"
PAUSE = 0.02
leaving = threading.Event()


def say(kind, **facts):
    line = {"at": time.monotonic() * 1000, "kind": kind, **facts}
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def connected():
    client = KazooClient(hosts=ORDERS["servers"], timeout=ORDERS["timeout"] / 1000, randomize_hosts=False)
    client.start(timeout=60)
    return client


def named(word):
    """kazoo's lock, as its own kinds of locks are made: those with this word right before their number contend."""

    class Named(Lock):
        _NODE_NAME = "-" + word
        _EXCLUDE_NAMES = [word]

    return Named(election_client, ORDERS["root"], ORDERS["id"])


def term_of(client):
    return min(int(name[-10:]) for name in client.get_children(ORDERS["root"]))


class Fenced:
    """The fence is raised to the term once; each write holds only while nobody has raised it since."""

    def __init__(self, client, term):
        self.client, self.term, self.version = client, term, None

    def write(self):
        """Whether it may go on."""
        try:
            if self.version is None:
                data, stat = self.client.get(ORDERS["fence"])
                if int(data or b"0") > self.term:
                    say("wrote", term=self.term, isTaken=False, order=stat.mzxid)
                    return False
                raised = self.client.set(ORDERS["fence"], str(self.term).encode(), version=stat.version)
                self.version = raised.version
            both = self.client.transaction()
            both.check(ORDERS["fence"], self.version)
            both.set_data(WORK, str(self.term).encode())
            made = both.commit()[1]
            if isinstance(made, Exception):
                self.version = None
            else:
                say("wrote", term=self.term, isTaken=True, order=made.mzxid)
            return True
        except BadVersionError:
            return True
        except (KazooException, KazooTimeoutError):
            self.version = None
            return not leaving.is_set()


def lead():
    term = term_of(election_client)
    say("acts", term=term)
    fenced = Fenced(fence_client, term)
    while not leaving.is_set() and fenced.write():
        time.sleep(PAUSE)
    say("rests", term=term)


def elect():
    while not leaving.is_set():
        try:
            election.run(lead)
        except (KazooException, KazooTimeoutError):
            time.sleep(0.1)


election_client, fence_client = connected(), connected()
fence_client.ensure_path(WORK)
election = election_client.Election(ORDERS["root"], ORDERS["id"])
if ORDERS["word"] not in (None, "__lock__"):
    election.lock = named(ORDERS["word"])
threading.Thread(target=elect, daemon=True).start()
signal.signal(signal.SIGTERM, lambda *_: leaving.set())
say("stands")
while not leaving.wait(0.05):
    pass
time.sleep(2 * PAUSE)
election_client.stop()
fence_client.stop()
