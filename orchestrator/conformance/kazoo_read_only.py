"""A client that may read where no quorum is: says in a line each when it could write, only read, and write again.

Its session is one all the time: what it made when it could write is there, and still its own, when it can again.
"""

import logging
import sys
import threading

from kazoo.client import KazooClient
from kazoo.exceptions import ConnectionLoss, NotReadOnlyCallError, SessionExpiredError
from kazoo.protocol.states import KeeperState
from kazoo.retry import KazooRetry

PATIENCE = 60
PATH = "/kazoo-read-only"

logging.disable(logging.CRITICAL)
client = KazooClient(hosts=sys.argv[1], timeout=30, read_only=True, connection_retry=KazooRetry(max_tries=-1, max_delay=1))
states = {state: threading.Event() for state in (KeeperState.CONNECTED, KeeperState.CONNECTED_RO)}


@client.add_listener
def listen(_):
    for state, event in states.items():
        event.set() if client.client_state == state else event.clear()


def again(call, *args, **options):
    return KazooRetry(max_tries=-1, max_delay=1)(call, *args, **options)


client.start(timeout=PATIENCE)
client.create(PATH, b"seen", ephemeral=True)
session = client.client_id[0]
print("writes", flush=True)

assert states[KeeperState.CONNECTED_RO].wait(PATIENCE), "it never became read-only"
assert again(client.get, PATH)[0] == b"seen"
assert PATH[1:] in again(client.get_children, "/")
try:
    client.create(PATH + "-refused")
    raise AssertionError("a server without a quorum takes a write")
except NotReadOnlyCallError:
    pass
assert client.client_id[0] == session, "another session"
print("reads", flush=True)

assert states[KeeperState.CONNECTED].wait(PATIENCE), "it never wrote again"
try:
    stat = again(client.set, PATH, b"and written")
except SessionExpiredError:
    raise AssertionError("its session is gone")
assert client.client_id[0] == session, "another session"
assert stat.version >= 1 and client.exists(PATH).ephemeralOwner == session
print("writes again", flush=True)
client.stop()
client.close()
