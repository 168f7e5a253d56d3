"""What comes too late: behind the client's last message, and on calls that are over, however they ended."""

from registry import case
from cases_connection import CONNECTION_KINDS, KINDS
from wire import CANCELLED, DEADLINE_EXCEEDED, INVALID_ARGUMENT, NOT_FOUND, UNIMPLEMENTED, Wire, packet, pb, require

SECTION = "calls"
INFO = "capture.v1.Node/Info"
PAUSE_US = 60_000_000  # longer than any case: the call is open until something ends it


# Behind the last message


def last_in_the_request(wire, method):
    return wire.call(method, pb.TestRequest(interval_us=PAUSE_US))


def last_in_a_message(wire, method):
    call = wire.call(method, pb.TestRequest(interval_us=PAUSE_US), last=False)
    wire.send(call_id=call, message=pb.Message(last=True))
    return call


def last_without_a_message(wire, method):
    call = wire.call(method, pb.TestRequest(interval_us=PAUSE_US), last=False)
    wire.send(call_id=call, message=pb.Message(last=True, no_message=True))
    return call


LASTS = {"in its Request": last_in_the_request, "in a Message": last_in_a_message,
         "in a Message without one": last_without_a_message}
BEHIND = {
    "a Message": pb.Envelope(message=pb.Message()),
    "a Message that is the last again": pb.Envelope(message=pb.Message(last=True)),
    "the end again": pb.Envelope(message=pb.Message(last=True, no_message=True)),
    "a Message with a payload": pb.Envelope(message=pb.Message(payload_length=10)),
    "a Chunk": pb.Envelope(chunk=pb.Chunk()),
    "an abort": pb.Envelope(chunk=pb.Chunk(abort=True)),
    "a Status": pb.Envelope(status=pb.Status()),
}


def on_call(call, envelope, data=b""):
    """A packet with that envelope on a call."""
    sent = pb.Envelope()
    sent.CopyFrom(envelope)
    sent.call_id = call
    return packet(sent.SerializeToString(), data)


for method, ways in {"Unary": ["in its Request"], "Download": ["in its Request"], "Upload": LASTS, "Echo": LASTS}.items():
    for way in ways:
        for name, envelope in BEHIND.items():

            @case(f"{name} behind the last message of {method}, {way}, ends the call", SECTION, test_service=True)
            def behind_the_last(address, method=method, way=way, envelope=envelope):
                with Wire(address).greet() as wire:
                    call = LASTS[way](wire, method)
                    wire.raw(on_call(call, envelope))
                    wire.expect_status(call, INVALID_ARGUMENT)
                    wire.expect_alive()


# On a call that is over


def answered(wire):
    call = wire.call(INFO)
    wire.expect_status(call, 0)
    return call


def refused(wire):
    call = wire.call("capture.v1.Node/Nothing")
    wire.expect_status(call, UNIMPLEMENTED)
    return call


def failed(wire):
    call = wire.call("capture.v1.Devices/Formats", pb.FormatsRequest(device="no-such-camera"))
    wire.expect_status(call, NOT_FOUND)
    return call


def cancelled(wire):
    call = wire.call("Upload", last=False, no_message=True)
    wire.send(call_id=call, cancel=pb.Cancel())
    wire.expect_status(call, CANCELLED)
    return call


def broken(wire):
    """Ended by a packet that breaks a rule, between the chunks of a payload."""
    call = wire.call("Upload", pb.TestRequest(), payload_length=20, data=b"0123456789", last=False)
    wire.send(call_id=call, message=pb.Message())
    wire.expect_status(call, INVALID_ARGUMENT)
    return call


def overdue(wire):
    call = wire.call("Download", pb.TestRequest(interval_us=PAUSE_US), timeout_ms=1)
    wire.expect_status(call, DEADLINE_EXCEEDED)
    return call


def left_out(wire):
    """Never opened: the numbers went past it."""
    wire.expect_status(wire.call(INFO, call_id=11), 0)
    return 5


OVER = {"answered": (answered, False), "refused": (refused, False), "failed": (failed, False),
        "cancelled": (cancelled, True), "ended by a rule": (broken, True), "overdue": (overdue, True),
        "left out": (left_out, False)}
# With the chunk that the packet carries, where a call that is open would mind it too.
LATE = {
    "Message": (pb.Envelope(message=pb.Message(body=b"\x08\x01")), b""),
    "last Message": (pb.Envelope(message=pb.Message(last=True, no_message=True)), b""),
    "Message with a part of its payload": (pb.Envelope(message=pb.Message(payload_length=2**40)), b"0123456789"),
    "Chunk": (pb.Envelope(chunk=pb.Chunk()), b"0123456789"),
    "empty Chunk": (pb.Envelope(chunk=pb.Chunk()), b""),
    "abort": (pb.Envelope(chunk=pb.Chunk(abort=True)), b""),
    "Status": (pb.Envelope(status=pb.Status(code=0)), b""),
    "Status with bytes": (pb.Envelope(status=pb.Status(code=3)), b"x"),
    "Cancel": (pb.Envelope(cancel=pb.Cancel()), b""),
    "Cancel with bytes": (pb.Envelope(cancel=pb.Cancel()), b"x"),
    "Credit": (pb.Envelope(credit=pb.Credit(messages=1)), b""),
    "Credit of 2^32 - 1": (pb.Envelope(credit=pb.Credit(messages=2**32 - 1)), b""),
    "Credit with bytes": (pb.Envelope(credit=pb.Credit(messages=1)), b"x"),
}
for state, (reach, test_service) in OVER.items():
    for name, (envelope, data) in LATE.items():

        @case(f"{name} on a call that is over ({state}) is ignored, once and twice", SECTION, test_service=test_service)
        def late(address, reach=reach, envelope=envelope, data=data):
            with Wire(address).greet() as wire:
                wire.raw(on_call(reach(wire), envelope, data) * 2)
                wire.expect_alive()
                wire.next_id = 13
                wire.expect_status(wire.call(INFO), 0)

    @case(f"a Request with the id of a call that is over ({state}) is INVALID_ARGUMENT", SECTION, test_service=test_service)
    def again(address, reach=reach):
        with Wire(address).greet() as wire:
            call = reach(wire)
            wire.expect_status(wire.call(INFO, call_id=call), INVALID_ARGUMENT, str(call))
            wire.expect_alive()

    for kind, make in CONNECTION_KINDS.items():

        @case(f"{kind} on a call that is over ({state}) ends the connection", SECTION, test_service=test_service)
        def of_the_connection(address, reach=reach, kind=kind, make=make):
            with Wire(address).greet() as wire:
                wire.send(**{"call_id": reach(wire), kind: make()})
                wire.expect_go_away(INVALID_ARGUMENT)


@case("every kind at once on a call that is over: the call beside it goes on", SECTION, test_service=True)
def beside(address):
    with Wire(address).greet() as wire:
        over = answered(wire)
        open_call = wire.call("Upload", pb.TestRequest(), payload_length=20, data=b"0123456789")
        wire.raw(b"".join(packet(data=data, **{"call_id": over, kind: make()})
                          for kind, make in KINDS.items() if kind != "request" for data in (b"", b"ab")))
        wire.raw(packet(pb.Envelope(call_id=open_call, chunk=pb.Chunk()).SerializeToString(), b"0123456789"))
        ((body, _),) = wire.expect_status(open_call, 0)
        require(pb.TestResponse.FromString(body).received_payload_bytes == 20, "the node counted other bytes")
