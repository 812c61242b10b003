"""The write clients of one site on kazoo, in place of client-main.ts: the same plan in, the same records out.

    python3 kazoo_client.py PLAN.json

PLAN.json is a `ClientPlan` (client-plan.ts), its schedule a `polebench schedule 1` (schedule.ts), and what it
appends are lines of operations (operation.ts). It prints "ready" when each client has a session and a znode,
begins when the start file is there, and leaves with 0 when all requests have ended. SIGTERM ends it early.

kazoo asks nothing twice by itself: what was queued or under way when a connection ended is told
ConnectionLoss, and is unknown here. What becomes due while there is no connection waits here, and is late.

A request costs some 80 us of processor, three times what client-main.ts takes: at 2,500 a second a fifth of
a core.
"""

import functools
import json
import os
import signal
import struct
import sys
import threading
import time

from kazoo.client import KazooClient, KazooState
from kazoo.exceptions import ConnectionLoss, NodeExistsError, OperationTimeoutError, SessionExpiredError
from kazoo.handlers.threading import AsyncResult, SequentialThreadingHandler
from kazoo.retry import KazooRetry

READY = "ready"
HEADER = "id,client,site,server,intended_us,sent_us,completed_us,outcome,zxid\n"
SCHEDULE = "polebench schedule 1"
ID = struct.Struct(">I")

# The shortest that servers with a tick of 2 s grant, as in client-session.ts, and the pause before all
# servers are tried once more, as in workload/load/pipeline.ts.
SESSION_TIMEOUT = 4.0
PAUSE = 0.01
PREPARED_WITHIN = 15
LOOK = 0.01
# Signals are looked for that often.
NAP = 0.2
# Python lets another thread run after 5 ms only, unless it is told: ten times a write's latency on loopback.
SWITCH_INTERVAL = 1e-4


def now():
    """Microseconds of the machine's monotonic clock, which client-main.ts and the orchestrator read, too."""
    return time.monotonic_ns() // 1000


class TimedResult(AsyncResult):
    """Knows when it came: its callbacks run on another thread, later."""

    at = 0

    def set(self, value=None):
        self.at = now()
        super().set(value)

    def set_exception(self, exception):
        self.at = now()
        super().set_exception(exception)


class Handler(SequentialThreadingHandler):
    """Kazoo's own, but for its results; and it knows where the last connection went."""

    host = None

    def async_result(self):
        return TimedResult(self)

    def create_connection(self, address, *args, **kwargs):
        self.host = address[0]
        return super().create_connection(address, *args, **kwargs)


class Writer:
    """One session; writes each request's id into the first bytes of a znode of its own."""

    def __init__(self, planned, client_port, payload_bytes, ended):
        self.id = planned["id"]
        self.path = "/client-%d" % self.id
        self.servers = {server["host"]: server["id"] for server in planned["servers"]}
        self.filler = bytes(at * 167 & 0xFF for at in range(max(ID.size, payload_bytes)))[ID.size :]
        self.ended = ended
        self.lock = threading.Lock()
        self.connected = False
        self.finished = False
        self.waiting = []
        self.under_way = {}
        self.handler = Handler()
        self.kazoo = KazooClient(
            hosts=",".join("%s:%d" % (server["host"], client_port) for server in planned["servers"]),
            timeout=SESSION_TIMEOUT,
            handler=self.handler,
            randomize_hosts=False,
            connection_retry=KazooRetry(max_tries=-1, delay=PAUSE, backoff=1, max_jitter=0, max_delay=PAUSE),
        )

    def prepare(self):
        self.kazoo.start(timeout=PREPARED_WITHIN)
        try:
            self.kazoo.create(self.path, b"")
        except NodeExistsError:
            pass
        self.connected = True
        self.kazoo.add_listener(self.changed)

    def changed(self, state):
        with self.lock:
            self.connected = state == KazooState.CONNECTED
            due, self.waiting = (self.waiting, []) if self.connected else ([], self.waiting)
        for request in due:
            self.send(request)

    def due(self, request):
        with self.lock:
            if not self.connected:
                self.waiting.append(request)
                return
        self.send(request)

    def send(self, request):
        sent, server = now(), self.servers[self.handler.host]
        with self.lock:
            self.under_way[request] = sent, server
        result = self.kazoo.set_async(self.path, ID.pack(request) + self.filler)
        result.rawlink(functools.partial(self.answered, request))

    def answered(self, request, result):
        error = result.exception
        if error is None:
            self.end(request, result.at, "ok", result.value.mzxid)
        elif isinstance(error, (ConnectionLoss, OperationTimeoutError, SessionExpiredError)):
            self.end(request, result.at, "unknown")
        else:
            self.end(request, result.at, "failed")

    def end(self, request, completed, outcome, zxid=0):
        with self.lock:
            sent, server = self.under_way.pop(request, (None, None))
        # Without, it was given up before.
        if sent is not None:
            self.ended(self.id, request, server, sent, completed, outcome, zxid)

    @property
    def idle(self):
        with self.lock:
            return not self.waiting and not self.under_way

    def finish(self):
        """The run is over; what was not answered will not be known."""
        with self.lock:
            waiting, self.waiting = self.waiting, []
            under_way = list(self.under_way)
        at = now()
        for request in under_way:
            self.end(request, at, "unknown")
        for request in waiting:
            self.ended(self.id, request, self.servers[self.handler.host], at, at, "failed", 0)
        # Without a connection kazoo waits for one, to end the session; it will run out instead.
        if self.connected:
            self.kazoo.stop()


class Records:
    """The file of operations, written to by the threads of all clients."""

    def __init__(self, path, site, intended):
        self.lock = threading.Lock()
        self.site = site
        self.intended = intended
        self.origin = 0
        self.file = open(path, "w", encoding="ascii")
        self.file.write(HEADER)

    def ended(self, client, request, server, sent, completed, outcome, zxid):
        fields = (
            request,
            client,
            self.site,
            server,
            self.intended[request],
            sent - self.origin,
            completed - self.origin,
            outcome,
            zxid,
        )
        with self.lock:
            self.file.write("%d,%d,%s,%d,%d,%d,%d,%s,%d\n" % fields)


def read_schedule(path):
    """The size of a value, then when each request is due and whose it is."""
    with open(path, encoding="ascii") as file:
        head = json.loads(file.readline())
        if head["format"] != SCHEDULE:
            sys.exit("%s: a schedule begins with %s" % (path, SCHEDULE))
        rows = [line.split(",") for line in file]
    return head["payloadBytes"], [(int(at), int(client)) for at, client in rows]


def main():
    sys.setswitchinterval(SWITCH_INTERVAL)
    stopped = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stopped.set())
    with open(sys.argv[1], encoding="utf-8") as file:
        plan = json.load(file)
    payload_bytes, schedule = read_schedule(plan["schedule"])
    records = Records(plan["operations"], plan["site"], [at for at, _ in schedule])
    made = [Writer(planned, plan["clientPort"], payload_bytes, records.ended) for planned in plan["clients"]]
    writers = {writer.id: writer for writer in made}
    for writer in made:
        writer.prepare()
    print(READY, flush=True)

    while not os.path.exists(plan["startFile"]) and not stopped.is_set():
        time.sleep(LOOK)
    if not stopped.is_set():
        with open(plan["startFile"], encoding="ascii") as file:
            records.origin = int(float(file.read()))
        load(plan, schedule, writers, records.origin, stopped)
    for writer in writers.values():
        writer.finish()
    records.file.close()
    # What is left are kazoo's threads, some of which wait for answers that will not come.
    os._exit(0)


def load(plan, schedule, writers, origin, stopped):
    """Ends when everything was answered, or was waited for long enough."""
    for request, (at, client) in enumerate(schedule):
        writer = writers.get(client)
        if writer is None:
            continue
        while (wait := origin + at - now()) > 0 and not stopped.is_set():
            time.sleep(min(wait / 1e6, NAP))
        if stopped.is_set():
            return
        writer.due(request)
    last_answer = origin + plan["duration"] + plan["drain"]
    while now() < last_answer and not stopped.wait(NAP):
        if all(writer.idle for writer in writers.values()):
            return


if __name__ == "__main__":
    main()
