"""Tells a JSON object a line of every datagram to a multicast address that the machine it runs on sends or hears.

Reads whole packets below UDP, as tcpdump does, and asks neither who sends nor who listens.
"""

import json
import socket
import struct
import sys

EVERYTHING, UDP = 3, 17

tap = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(EVERYTHING))
print(json.dumps({"listening": True}), flush=True)
while True:
    packet, (_, _, way, *_) = tap.recvfrom(65536)
    if len(packet) < 28 or packet[0] >> 4 != 4 or packet[9] != UDP or packet[16] >> 4 != 14:
        continue
    head = 4 * (packet[0] & 15)
    (port,) = struct.unpack_from(">H", packet, head + 2)
    print(json.dumps({
        "from": socket.inet_ntoa(packet[12:16]),
        "to": socket.inet_ntoa(packet[16:20]),
        "port": port,
        "ttl": packet[8],
        "sent": way == socket.PACKET_OUTGOING,
        "bytes": len(packet) - head - 8,
    }), flush=True)
