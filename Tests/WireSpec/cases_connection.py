"""The beginning of a connection: Hello, versions, other protocols, and what belongs to call 0."""

import time
from pathlib import Path

from registry import case
from wire import (DEADLINE_EXCEEDED, FAILED_PRECONDITION, INVALID_ARGUMENT, LIMIT_S, UNAVAILABLE, UNIMPLEMENTED, Wire, bytewise, hello, packet,
                  pb, require, require_pattern)

SECTION = "connection"
KINDS = {
    "request": lambda: pb.Request(method="capture.v1.Node/Info", last=True),
    "message": lambda: pb.Message(body=b""),
    "chunk": lambda: pb.Chunk(),
    "status": lambda: pb.Status(code=0),
    "cancel": lambda: pb.Cancel(),
    "credit": lambda: pb.Credit(messages=1),
}
CONNECTION_KINDS = {
    "hello": lambda: hello(),
    "ping": lambda: pb.Ping(sent_ns=1),
    "pong": lambda: pb.Pong(ping_sent_ns=1),
    "go_away": lambda: pb.GoAway(),
}


@case("the node says nothing before the client's first bytes", SECTION)
def silent_at_first(address):
    with Wire(address) as wire:
        wire.expect_silence()


@case("Hello is answered with Hello: version 1, an agent, a boot id, limits, initial credit", SECTION)
def greets(address):
    with Wire(address).greet() as wire:
        node = wire.node
        require(node.version == 1, f"version {node.version}")
        require(node.agent, "no agent")
        require(node.limits.max_envelope_bytes > 0 and node.limits.max_chunk_bytes > 0, "no limits")
        require(node.limits.max_calls > 0 and node.initial_credit > 0, "no max_calls or initial_credit")
        wire.expect_alive()


@case("requests right behind Hello are served", SECTION)
def pipelined(address):
    with Wire(address) as wire:
        request = pb.Request(method="capture.v1.Node/Info", last=True)
        wire.raw(packet(hello=hello()) + packet(call_id=1, request=request) + packet(call_id=3, request=request))
        wire.expect_status(1, 0)
        wire.expect_status(3, 0)


@case("Hello byte by byte", SECTION)
def dripped(address):
    with Wire(address) as wire:
        wire.drip(*bytewise(packet(hello=hello())))
        envelope, _ = wire.receive()
        require(envelope.WhichOneof("kind") == "hello", "no Hello")


@case("empty envelopes before Hello do nothing", SECTION)
def empty_before_hello(address):
    with Wire(address) as wire:
        wire.raw(packet() * 100)
        wire.greet().expect_alive()


for version in (0, 2, 2**32 - 1):

    @case(f"version {version} is answered with GoAway naming version 1", SECTION)
    def other_version(address, version=version):
        with Wire(address) as wire:
            wire.send(hello=hello(version=version))
            wire.expect_go_away(FAILED_PRECONDITION, "1")


@case("a second Hello ends the connection", SECTION)
def second_hello(address):
    with Wire(address).greet() as wire:
        wire.send(hello=hello())
        wire.expect_go_away(INVALID_ARGUMENT)


for kind, make in {**KINDS, **{kind: CONNECTION_KINDS[kind] for kind in ("ping", "pong", "go_away")}}.items():

    @case(f"{kind} before Hello ends the connection", SECTION)
    def before_hello(address, kind=kind, make=make):
        with Wire(address) as wire:
            wire.send(**{"call_id": 1 if kind in KINDS else 0, kind: make()})
            wire.expect_go_away(INVALID_ARGUMENT)


for kind, make in KINDS.items():

    @case(f"{kind} on call 0 ends the connection", SECTION)
    def on_call_zero(address, kind=kind, make=make):
        with Wire(address).greet() as wire:
            wire.send(**{"call_id": 0, kind: make()})
            wire.expect_go_away(INVALID_ARGUMENT)


for kind, make in CONNECTION_KINDS.items():

    @case(f"{kind} on a call ends the connection", SECTION)
    def on_a_call(address, kind=kind, make=make):
        with Wire(address) as wire:
            if kind != "hello":
                wire.greet()
            wire.send(**{"call_id": 7, kind: make()})
            wire.expect_go_away(INVALID_ARGUMENT)


@case("a first Hello with a chunk ends the connection", SECTION)
def hello_with_chunk(address):
    with Wire(address) as wire:
        wire.send(data=b"x", hello=hello())
        wire.expect_go_away(INVALID_ARGUMENT)


for kind in ("ping", "pong", "go_away"):

    @case(f"{kind} with a chunk ends the connection", SECTION)
    def kind_with_chunk(address, kind=kind):
        with Wire(address).greet() as wire:
            wire.send(data=b"x", **{kind: CONNECTION_KINDS[kind]()})
            wire.expect_go_away(INVALID_ARGUMENT)


@case("an empty envelope with a chunk ends the connection", SECTION)
def empty_with_chunk(address):
    with Wire(address).greet() as wire:
        wire.raw(packet(data=b"x"))
        wire.expect_go_away(INVALID_ARGUMENT)


@case("a Hello with fields of a newer version is taken", SECTION)
def newer_hello(address):
    with Wire(address) as wire:
        body = hello().SerializeToString() + b"\xa2\x06\x03new"  # field 100, three bytes
        wire.raw(packet(b"\x12" + bytes([len(body)]) + body))
        envelope, _ = wire.receive()
        require(envelope.WhichOneof("kind") == "hello", "no Hello")


LEAST_ENVELOPE, LEAST_CHUNK, MOST_CHUNK = 1_024, 4_096, 262_144
for name, limits in {"an envelope of 1,023": pb.Limits(max_envelope_bytes=LEAST_ENVELOPE - 1),
                     "an envelope of 1": pb.Limits(max_envelope_bytes=1),
                     "a chunk of 4,095": pb.Limits(max_chunk_bytes=LEAST_CHUNK - 1),
                     "a chunk of 1": pb.Limits(max_chunk_bytes=1)}.items():

    @case(f"limits too small to be served ({name} bytes) are refused", SECTION)
    def tiny_limits(address, limits=limits):
        with Wire(address) as wire:
            wire.send(hello=hello(limits=limits))
            wire.expect_go_away(INVALID_ARGUMENT, "limits")


for name, envelope, chunk, longest in (("0, the default,", 0, 0, MOST_CHUNK),
                                       ("the least", LEAST_ENVELOPE, LEAST_CHUNK, LEAST_CHUNK),
                                       ("the most", 2**32 - 1, 2**32 - 1, MOST_CHUNK)):

    @case(f"limits of {name} are taken and kept", SECTION, test_service=True)
    def edge_limits(address, envelope=envelope, chunk=chunk, longest=longest):
        with Wire(address).greet(limits=pb.Limits(max_envelope_bytes=envelope, max_chunk_bytes=chunk)) as wire:
            call = wire.call("Unary", pb.TestRequest(response_payload_bytes=600_000))
            sizes, payload, deadline = [], b"", wire.due(LIMIT_S)
            while True:
                received = wire.receive(deadline=deadline)
                require(received is not None, "closed")
                if received[0].WhichOneof("kind") == "status":
                    break
                sizes.append(len(received[1]))
                payload += received[1]
            require(received[0].status.code == 0, received[0].status.text)
            require_pattern(payload, 600_000)
            require(max(sizes) == longest, f"the longest chunk has {max(sizes)} bytes, not {longest}")


@case("an unasked Pong is ignored", SECTION)
def unasked_pong(address):
    with Wire(address).greet() as wire:
        wire.send(pong=pb.Pong(ping_sent_ns=5))
        wire.expect_alive()


@case("a Pong twice is ignored", SECTION)
def pong_twice(address):
    with Wire(address).greet() as wire:
        wire.raw(packet(pong=pb.Pong(ping_sent_ns=5)) * 2)
        wire.expect_alive()


@case("a hundred Pings get a hundred Pongs, in order", SECTION)
def many_pings(address):
    with Wire(address).greet() as wire:
        wire.raw(b"".join(packet(ping=pb.Ping(sent_ns=n)) for n in range(1, 101)))
        for n in range(1, 101):
            envelope, _ = wire.receive()
            require(envelope.pong.ping_sent_ns == n, f"Pong {n} gives {envelope.pong.ping_sent_ns}")
            require(envelope.pong.received_ns <= envelope.pong.sent_ns, "sent before it was received")


@case("a Pong gives the Ping's time back, whatever it is", SECTION)
def any_time(address):
    with Wire(address).greet() as wire:
        for stamp in (0, 1, 2**32, 2**63, 2**64 - 1):
            wire.send(ping=pb.Ping(sent_ns=stamp))
            envelope, _ = wire.receive()
            require(envelope.WhichOneof("kind") == "pong", f"a Pong was to come, not {envelope}")
            require(envelope.pong.ping_sent_ns == stamp, f"{stamp} came back as {envelope.pong.ping_sent_ns}")


@case("a Pong's times are the node's monotonic clock: where both sides are of one boot, between sending and receipt", SECTION)
def pong_times(address):
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    with Wire(address).greet() as wire:
        wire.send(ping=pb.Ping(sent_ns=(sent := time.monotonic_ns())))
        envelope, _ = wire.receive()
        received, pong = time.monotonic_ns(), envelope.pong
        require(0 < pong.received_ns <= pong.sent_ns, f"{pong}")
        if wire.node.boot_id == boot:
            require(sent <= pong.received_ns and pong.sent_ns <= received, f"{pong} is not between {sent} and {received}")


@case("a Ping is answered while a call is under way and a payload is half sent", SECTION, test_service=True)
def ping_amid(address):
    with Wire(address).greet() as wire:
        wire.call("Upload", pb.TestRequest(), payload_length=20, data=b"0123456789")
        wire.call("Unary", pb.TestRequest(interval_us=60_000_000))
        wire.expect_alive()


@case("a client's GoAway: no more calls are taken, and the connection ends", SECTION)
def client_goes(address):
    with Wire(address).greet() as wire:
        wire.send(go_away=pb.GoAway())
        wire.expect_close()


@case("a client's GoAway twice is as once", SECTION, test_service=True)
def client_goes_twice(address):
    with Wire(address).greet() as wire:
        call = wire.call("Download", pb.TestRequest(response_count=2, interval_us=200_000))
        wire.raw(packet(go_away=pb.GoAway()) * 2)
        require(len(wire.expect_status(call, 0)) == 2, "the call did not finish")
        wire.expect_close()


@case("behind a client's GoAway a request is UNAVAILABLE, and what runs finishes", SECTION, test_service=True)
def client_goes_while_a_call_runs(address):
    with Wire(address).greet() as wire:
        call = wire.call("Download", pb.TestRequest(response_count=2, interval_us=300_000))
        wire.send(go_away=pb.GoAway())
        late = wire.call("Empty")
        wire.expect_status(late, UNAVAILABLE)
        require(len(wire.expect_status(call, 0)) == 2, "the call did not finish")
        wire.expect_close()


@case("GoAway names the highest id that a Request has had, refused ones too; open calls get nothing more", SECTION,
      test_service=True)
def last_call_id(address):
    with Wire(address).greet() as wire:
        wire.send(hello=hello())
        require(wire.expect_go_away(INVALID_ARGUMENT).last_call_id == 0, "a call where there was none")
    with Wire(address).greet() as wire:
        wire.expect_status(wire.call("capture.v1.Node/Info", call_id=1), 0)
        wire.call("Upload", last=False, no_message=True, call_id=5)
        wire.expect_status(wire.call("capture.v1.Node/Nothing", call_id=9), UNIMPLEMENTED)
        for call in (3, 10):  # it went back, and it is even
            wire.expect_status(wire.call("capture.v1.Node/Info", call_id=call), INVALID_ARGUMENT)
        wire.send(call_id=21, credit=pb.Credit(messages=1))  # no Request
        wire.expect_status(21, INVALID_ARGUMENT)
        wire.send(hello=hello())
        envelope, _ = wire.receive()
        require(envelope.WhichOneof("kind") == "go_away", f"GoAway was to come, not {envelope}")
        require(envelope.go_away.last_call_id == 9, f"{envelope}")
        wire.expect_close()


OTHER_PROTOCOLS = {
    "HTTP/1.1": b"GET / HTTP/1.1\r\nHost: node\r\n\r\n",
    "HTTP POST": b"POST /capture.v1.Node/Info HTTP/1.1\r\n\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "SSH": b"SSH-2.0-OpenSSH_9.2\r\n",
    "RTSP": b"OPTIONS rtsp://node RTSP/1.0\r\n\r\n",
    "a person": b"hello?\n",
    "noise": b"\xff\xfe\xfd\xfc\xfb\xfa",
    "one wrong byte": b"\x01",
}


def require_line(answer):
    """What another protocol is answered with."""
    require(0 < len(answer) <= 512, f"an answer of {len(answer)} bytes")
    require(answer.count(b"\n") == 1 and answer.endswith(b"\n") and b"capture" in answer, f"the answer says {answer!r}")


for name, first in OTHER_PROTOCOLS.items():

    @case(f"another protocol ({name}) gets a line of text and a close", SECTION)
    def other_protocol(address, first=first):
        with Wire(address) as wire:
            require_line(wire.raw(first).until_close())


@case("without Hello the node closes after 5 s, empty envelopes notwithstanding", SECTION, slow=5)
def hello_timer(address):
    with Wire(address) as wire:
        began = time.monotonic()
        while time.monotonic() < began + 4:
            wire.raw(packet())
            wire.expect_silence(0.5)
        wire.expect_go_away(DEADLINE_EXCEEDED, "Hello", within=began + 5 + LIMIT_S - time.monotonic())
        took = time.monotonic() - began
        require(took > 4.5, f"closed after {took:.1f} s")


@case("a connection that says nothing is closed after 5 s, without a word", SECTION, slow=5)
def hello_timer_silent(address):
    with Wire(address) as wire:
        began = time.monotonic()
        said = wire.until_close(within=5 + LIMIT_S)
        took = time.monotonic() - began
        require(not said, f"the node said {said!r}")
        require(took > 4.5, f"closed after {took:.1f} s")


@case("half a Hello does not stop the timer", SECTION, slow=5)
def hello_timer_half(address):
    with Wire(address) as wire:
        began = time.monotonic()
        wire.raw(packet(hello=hello())[:-3])
        wire.expect_go_away(DEADLINE_EXCEEDED, "Hello", within=5 + LIMIT_S)
        took = time.monotonic() - began
        require(took > 4.5, f"closed after {took:.1f} s")
