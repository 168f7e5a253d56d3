"""Silence: the node's Pings, and the end of a connection on which nothing comes. All wait for timers of 30 and 10 s."""

import time

from registry import case
from wire import Wire, packet, pb, require

SECTION = "keepalive"
IDLE_S, PATIENCE_S = 30, 10
LATE_S = 5  # no timer is exact, and a machine may stand still


def ping_of_the_node(wire):
    """Waits for the node's Ping; what calls send meanwhile is passed over."""
    deadline = time.monotonic() + IDLE_S + LATE_S
    while True:
        received = wire.receive(deadline=deadline)
        require(received is not None, "closed without a Ping")
        envelope, _ = received
        if envelope.call_id == 0:
            break
    require_silent_for(wire, IDLE_S, "a Ping")
    require(envelope.WhichOneof("kind") == "ping" and envelope.ping.sent_ns > 0, f"a Ping was to come, not {envelope}")
    return envelope.ping


def require_end(wire):
    """Behind its Ping the node closes, without another word on call 0."""
    deadline = time.monotonic() + PATIENCE_S + LATE_S
    while (received := wire.receive(deadline=deadline)) is not None:
        require(received[0].call_id != 0, f"the end was to come, not {received[0]}")
    require_silent_for(wire, IDLE_S + PATIENCE_S, "the end")


def require_silent_for(wire, seconds, what):
    took = time.monotonic() - wire.said_at
    require(took >= seconds, f"{what} came {took:.2f} s after the client's last byte")


@case("after 30 s without a byte the node pings, after 10 more it closes", SECTION, slow=IDLE_S + PATIENCE_S)
def silent(address):
    with Wire(address).greet() as wire:
        ping_of_the_node(wire)
        require_end(wire)


@case("half a packet and then nothing is silence", SECTION, slow=IDLE_S + PATIENCE_S)
def stuck(address):
    with Wire(address).greet() as wire:
        wire.raw(packet(ping=pb.Ping(sent_ns=1))[:-1])
        ping_of_the_node(wire)
        require_end(wire)


@case("what the node sends is no life: a stream to a silent client ends too", SECTION, test_service=True,
      slow=IDLE_S + PATIENCE_S)
def silent_reader(address):
    with Wire(address).greet() as wire:
        wire.call("Download", pb.TestRequest(response_count=1_000_000, interval_us=250_000), credit=1_000_000)
        ping_of_the_node(wire)
        require_end(wire)


@case("the calls of a silent client are given up with its connection", SECTION, test_service=True, slow=IDLE_S + PATIENCE_S)
def open_calls(address):
    with Wire(address).greet() as wire:
        wire.call("Upload", last=False, no_message=True)
        wire.call("Upload", pb.TestRequest(), payload_length=20, data=b"0123456789")
        ping_of_the_node(wire)
        require_end(wire)


@case("a Pong keeps the connection", SECTION, slow=IDLE_S + PATIENCE_S + LATE_S)
def answered(address):
    with Wire(address).greet() as wire:
        ping, now = ping_of_the_node(wire), time.monotonic_ns()
        wire.send(pong=pb.Pong(ping_sent_ns=ping.sent_ns, received_ns=now, sent_ns=now))
        wire.expect_silence(PATIENCE_S + LATE_S)
        wire.expect_alive()


@case("a single byte keeps the connection", SECTION, slow=IDLE_S + PATIENCE_S + LATE_S)
def one_byte(address):
    with Wire(address).greet() as wire:
        ping_of_the_node(wire)
        late = packet(ping=pb.Ping(sent_ns=7))
        wire.raw(late[:1])
        wire.expect_silence(PATIENCE_S + LATE_S)
        wire.raw(late[1:])
        envelope, _ = wire.receive()
        require(envelope.pong.ping_sent_ns == 7, f"a Pong was to come, not {envelope}")


@case("who sends now and then is not pinged", SECTION, slow=IDLE_S + LATE_S)
def talking(address):
    with Wire(address).greet() as wire:
        wire.expect_silence(IDLE_S / 2)
        wire.raw(packet())
        wire.expect_silence(IDLE_S / 2 + LATE_S)
        wire.expect_alive()
