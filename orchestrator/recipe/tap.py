"""Counts at a server what members ask of it and what it tells them unasked, without its help.

Reads every packet of the machine it runs on, puts the streams of clients together and tells one line of JSON for each
frame about one of the given roots. Whose frames do not begin with a handshake are not looked at.

    tap.py '{"port": 2181, "roots": ["/trial"], "not": ["10.0.0.9"]}'
"""

import json
import socket
import struct
import sys
import time

ORDERS = json.loads(sys.argv[1])
PORT, ROOTS, NOT = ORDERS["port"], tuple(ORDERS["roots"]), set(ORDERS["not"])
EVERYTHING, IP, TCP = 3, 0x0800, 6
SYN = 0x02
GREATEST = 16 * 2**20
WITH_PATH = {
    1: "create", 2: "delete", 3: "exists", 4: "getData", 5: "setData", 8: "getChildren", 9: "sync",
    12: "getChildren", 13: "check", 15: "create", 19: "create", 21: "create", 106: "addWatch",
}
SEVERAL = {14: "multi", 22: "multiRead"}
CLOSE, EVENT = -11, -1


class Stream:
    """One direction of a connection, in the order in which it was sent."""

    def __init__(self, seq):
        self.next, self.later, self.bytes, self.greeted = seq, {}, b"", False

    def take(self, seq, data):
        ahead = (seq - self.next) & 0xFFFFFFFF
        if ahead >= 0x80000000:
            # Sent once more; what of it is new counts.
            data, ahead = data[0x100000000 - ahead:], 0
        if not data:
            return
        if ahead:
            self.later[self.next + ahead] = data
            return
        self.bytes += data
        self.next = (self.next + len(data)) & 0xFFFFFFFF
        waiting = self.later.pop(self.next, None)
        if waiting:
            self.take(self.next, waiting)

    def frames(self):
        while len(self.bytes) >= 4:
            (length,) = struct.unpack_from(">i", self.bytes)
            if not 0 <= length <= GREATEST:
                self.bytes = b""
                return
            if len(self.bytes) < 4 + length:
                return
            frame, self.bytes = self.bytes[4:4 + length], self.bytes[4 + length:]
            if self.greeted:
                yield frame
            self.greeted = True


def text_at(frame, at):
    if len(frame) < at + 4:
        return ""
    (length,) = struct.unpack_from(">i", frame, at)
    return frame[at + 4:at + 4 + max(0, length)].decode("utf8", "replace")


def tell(kind, what, path, of):
    if what != "closeSession" and not path.startswith(ROOTS):
        return
    line = {"at": time.monotonic() * 1000, "kind": kind, "what": what, "path": path, "of": of}
    print(json.dumps(line), flush=True)


def asked(frame, of):
    if len(frame) < 8:
        return
    _, operation = struct.unpack_from(">ii", frame)
    if operation in WITH_PATH:
        tell("request", WITH_PATH[operation], text_at(frame, 8), of)
    elif operation in SEVERAL:
        tell("request", SEVERAL[operation], text_at(frame, 17), of)
    elif operation == CLOSE:
        tell("request", "closeSession", "", of)


def told(frame, of):
    if len(frame) >= 24 and struct.unpack_from(">i", frame)[0] == EVENT:
        tell("told", "notification", text_at(frame, 24), of)


def main():
    streams = {}
    sniffer = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(EVERYTHING))
    sniffer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 * 2**20)
    print(json.dumps({"at": 0, "kind": "ready"}), flush=True)
    while True:
        packet, (_, protocol, *_rest) = sniffer.recvfrom(2**17)
        if protocol != IP or len(packet) < 40 or packet[9] != TCP:
            continue
        head = (packet[0] & 15) * 4
        source, target, seq = struct.unpack_from(">HHI", packet, head)
        if PORT not in (source, target):
            continue
        isAsking = target == PORT
        of = socket.inet_ntoa(packet[12:16] if isAsking else packet[16:20])
        if of in NOT:
            continue
        key = (of, source, target)
        if packet[head + 13] & SYN:
            streams[key] = Stream((seq + 1) & 0xFFFFFFFF)
            continue
        stream = streams.get(key)
        (total,) = struct.unpack_from(">H", packet, 2)
        # The kernel may hand over more than one packet could hold, and says 0 then.
        data = packet[head + (packet[head + 12] >> 4) * 4:total or None]
        if stream is None or not data:
            continue
        stream.take(seq, data)
        for frame in stream.frames():
            (asked if isAsking else told)(frame, of)


main()
