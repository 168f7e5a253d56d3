"""Ends: half-closed and reset sockets at every state, clients that go without a word."""

import contextlib
import select
import socket

from registry import case
from wire import LIMIT_S, Refused, Wire, greeted_once_there_is_room, hello, packet, pb

SECTION = "ends"


def nothing(wire):
    pass


def half_prefix(wire):
    wire.raw(b"\0\0\0")


def half_envelope(wire):
    wire.raw(packet(hello=hello())[:-4])


def empty_packets(wire):
    wire.raw(packet() * 3)


def greeted(wire):
    wire.greet()


def greeted_half_prefix(wire):
    wire.greet().raw(b"\0\0\0\0\0")


def greeted_half_envelope(wire):
    wire.greet().raw(packet(call_id=1, request=pb.Request(method="capture.v1.Node/Info", last=True))[:-6])


def after_calls(wire):
    wire.greet().expect_status(wire.call("capture.v1.Node/Info"), 0)


def open_upload(wire):
    wire.greet().call("Upload", last=False, no_message=True)


def some_bytes():
    """Part of a payload, as one chunk."""
    return b"a" * min(100_000, Wire.limits.max_chunk_bytes)


def inside_payload(wire):
    wire.greet().call("Upload", pb.TestRequest(), payload_length=1_000_000, data=some_bytes())


def inside_chunk(wire):
    request = pb.Request(method="capture.v1.Test/Upload", last=True, payload_length=200_000)
    whole = packet(pb.Envelope(call_id=1, request=request).SerializeToString(), some_bytes())
    wire.greet().raw(whole[:len(whole) // 2])


def waiting_for_credit(wire):
    wire.greet().call("Download", pb.TestRequest(response_count=5, response_payload_bytes=1_000_000), credit=0)


def stuffed(wire):
    """The node has megabytes to say, and nobody reads."""
    wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
    wire.greet().call("Download", pb.TestRequest(response_count=20, response_payload_bytes=1_000_000), credit=20)


def inside_chunk_prefix(wire):
    """The payload has begun; of its next chunk there is half a prefix."""
    inside_payload(wire)
    wire.raw(b"\0\0\0\4\0")


def inside_chunk_envelope(wire):
    inside_payload(wire)
    wire.raw(packet(pb.Envelope(call_id=1, chunk=pb.Chunk()).SerializeToString(), b"a")[:10])


def flowing(wire):
    wire.greet()
    wire.first_message(wire.call("Download", pb.TestRequest(response_count=1_000_000, interval_us=1_000), credit=1_000_000))


def both_ways(wire):
    wire.greet()
    call = wire.call("Echo", pb.TestRequest(response_count=1), last=False)
    wire.first_message(call)


def cancelled(wire):
    wire.greet()
    wire.raw(packet(call_id=wire.call("Upload", last=False, no_message=True), cancel=pb.Cancel()))


def going(wire):
    wire.greet().call("Download", pb.TestRequest(response_count=1, interval_us=60_000_000))
    wire.send(go_away=pb.GoAway())


def sent_away(wire):
    """The node has said GoAway, and waits for the client to read it."""
    wire.greet().send(hello=hello())


def sleeping(wire):
    wire.greet().call("Download", pb.TestRequest(response_count=1, interval_us=60_000_000))


STATES = {
    "before the first byte": (nothing, False),
    "inside the first prefix": (half_prefix, False),
    "inside Hello": (half_envelope, False),
    "behind empty packets, before Hello": (empty_packets, False),
    "after Hello": (greeted, False),
    "inside a prefix": (greeted_half_prefix, False),
    "inside an envelope": (greeted_half_envelope, False),
    "after a call": (after_calls, False),
    "with a client stream open": (open_upload, True),
    "between the chunks of a payload": (inside_payload, True),
    "inside a chunk": (inside_chunk, True),
    "inside the prefix of a chunk": (inside_chunk_prefix, True),
    "inside the envelope of a chunk": (inside_chunk_envelope, True),
    "with a server stream that flows": (flowing, True),
    "with both ways of a stream open": (both_ways, True),
    "behind a Cancel": (cancelled, True),
    "after its GoAway, with a call": (going, True),
    "after the node's GoAway": (sent_away, False),
    "while a stream waits for credit": (waiting_for_credit, True),
    "while the node writes and nobody reads": (stuffed, True),
    "while a handler sleeps": (sleeping, True),
}
for state, (reach, test_service) in STATES.items():

    @case(f"reset {state}", SECTION, test_service=test_service)
    def reset(address, reach=reach):
        wire = Wire(address)
        reach(wire)
        wire.reset()

    @case(f"closed {state}", SECTION, test_service=test_service)
    def closed(address, reach=reach):
        wire = Wire(address)
        reach(wire)
        wire.close()

    @case(f"half-closed {state}: the node closes too", SECTION, test_service=test_service)
    def half_closed(address, reach=reach):
        with Wire(address) as wire:
            reach(wire)
            wire.half_close()
            wire.until_close()


@case("two hundred connections that come and go", SECTION)
def many_connections(address):
    for n in range(200):
        wire = Wire(address)
        if n % 2:
            wire.greet()
        wire.close() if n % 3 else wire.reset()


@case("a hundred silent connections, or as many as the node takes, do not keep a new client waiting", SECTION)
def silent_crowd(address):
    crowd = [Wire(address) for _ in range(100)]
    try:
        with Wire(address) as last, contextlib.suppress(Refused):
            last.greet()
        # By now the node has told those that it does not take.
        refused, _, _ = select.select([wire.socket for wire in crowd], [], [], 0.1)
        Wire.count(-len(refused))
        for wire in crowd:
            if wire.socket in refused:
                wire.close()
        crowd = [wire for wire in crowd if wire.socket not in refused]
        if refused:  # it is full: room for one, and for whoever else comes
            for wire in crowd[:4]:
                wire.close()
        with greeted_once_there_is_room(address) as wire:
            wire.expect_status(wire.call("capture.v1.Node/Info"), 0, within=LIMIT_S / 2)
    finally:
        for wire in crowd:
            wire.close()


@case("a slow reader's stream does not slow another connection's calls", SECTION, test_service=True)
def slow_beside_fast(address):
    with Wire(address) as slow, Wire(address).greet() as fast:
        stuffed(slow)
        for _ in range(50):
            fast.expect_status(fast.call("Empty"), 0, within=0.5)
