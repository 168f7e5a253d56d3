"""Calls: their ids, what may come on them and when."""

import contextlib
import time

from registry import case
from cases_connection import KINDS
from wire import (CANCELLED, DEADLINE_EXCEEDED, FAILED_PRECONDITION, INVALID_ARGUMENT, NOT_FOUND, RESOURCE_EXHAUSTED, UNIMPLEMENTED, LIMIT_S,
                  Wire, hello, packet, pb, require)

SECTION = "calls"
INFO = "capture.v1.Node/Info"


for kind, make in KINDS.items():
    if kind != "request":

        @case(f"{kind} on a call that was never opened ends in INVALID_ARGUMENT", SECTION)
        def never_opened(address, kind=kind, make=make):
            with Wire(address).greet() as wire:
                wire.send(**{"call_id": 99, kind: make()})
                wire.expect_status(99, INVALID_ARGUMENT)
                wire.expect_alive()

        @case(f"{kind} on an even id ends in INVALID_ARGUMENT", SECTION)
        def even(address, kind=kind, make=make):
            with Wire(address).greet() as wire:
                wire.send(**{"call_id": 2, kind: make()})
                wire.expect_status(2, INVALID_ARGUMENT)
                wire.expect_alive()


@case("a request with an even id is INVALID_ARGUMENT", SECTION)
def even_request(address):
    with Wire(address).greet() as wire:
        wire.expect_status(wire.call(INFO, call_id=2), INVALID_ARGUMENT, "2")
        wire.expect_alive()


@case("a request whose id went back is INVALID_ARGUMENT", SECTION)
def goes_back(address):
    with Wire(address).greet() as wire:
        call = wire.call(INFO, call_id=11)
        wire.expect_status(call, 0)
        wire.expect_status(wire.call(INFO, call_id=9), INVALID_ARGUMENT, "9")
        wire.expect_alive()


@case("a second request on an open call ends that call", SECTION, test_service=True)
def twice(address):
    with Wire(address).greet() as wire:
        call = wire.call("Upload", last=False)
        wire.call("Upload", last=False, call_id=call)
        wire.expect_status(call, INVALID_ARGUMENT, "Request")
        wire.expect_alive()


@case("ids may leave gaps", SECTION)
def gaps(address):
    with Wire(address).greet() as wire:
        for call in (5, 1_001, 2**31 + 1):
            wire.expect_status(wire.call(INFO, call_id=call), 0)


@case("the last id is served, and no call follows it", SECTION)
def last_id(address):
    with Wire(address).greet() as wire:
        wire.expect_status(wire.call(INFO, call_id=2**32 - 1), 0)
        wire.expect_status(wire.call(INFO, call_id=1), INVALID_ARGUMENT)


for name, method in {"method": "capture.v1.Node/Nothing", "service": "capture.v1.Nobody/Info", "package": "a.b.C/D",
                     "empty name": "", "name without a service": "Info", "case": "capture.v1.node/info",
                     "leading slash": "/capture.v1.Node/Info"}.items():

    @case(f"an unknown {name} is UNIMPLEMENTED", SECTION)
    def unknown(address, method=method):
        with Wire(address).greet() as wire:
            request = pb.Request(method=method, last=True)
            wire.send(call_id=1, request=request)
            wire.expect_status(1, UNIMPLEMENTED, method[:20])
            wire.expect_alive()


@case("a body that does not parse is INVALID_ARGUMENT naming the method", SECTION)
def bad_body(address):
    with Wire(address).greet() as wire:
        call = wire.call("capture.v1.Devices/Formats", b"\x0a\x7fabc")
        wire.expect_status(call, INVALID_ARGUMENT, "capture.v1.Devices/Formats")


@case("a body with a string that is no UTF-8 is INVALID_ARGUMENT", SECTION)
def bad_string(address):
    with Wire(address).greet() as wire:
        call = wire.call("capture.v1.Devices/Formats", b"\x0a\x02\xff\xfe")
        wire.expect_status(call, INVALID_ARGUMENT, "UTF-8")


@case("a string with a NUL, in any field of any request, is INVALID_ARGUMENT naming the field", SECTION)
def nul_in_a_string(address):
    with Wire(address).greet() as wire:
        for method, make, path in strings_of_requests():
            _, status, _ = wire.outcome(wire.call(method, make("0\0x"), timeout_ms=1_000))
            # A node without a library does not look at what it is asked of one.
            if status.code == FAILED_PRECONDITION and "keeps no pictures" in status.text:
                continue
            name = f"{path[-1].containing_type.full_name}.{path[-1].name}"
            require(status.code == INVALID_ARGUMENT and f"{name} has a NUL" in status.text, f"{method}: {status.code} {status.text!r}, not {name}")
        wire.expect_alive()


@case("whatever name a request has, its Status is one line, and not a long one", SECTION)
def long_strings(address):
    with Wire(address).greet() as wire:
        for method, make, path in strings_of_requests():
            _, status, _ = wire.outcome(wire.call(method, make("\n<3>\x1b\u202e" + "y" * 60_000), timeout_ms=300))
            where = f"{method} with {path[-1].name}: {status.text[:200]!r}"
            require(len(status.text) < 2_000, f"{len(status.text)} characters, {where}")
            require(status.text.isprintable(), where)
        wire.expect_alive()


def strings_of_requests():
    """Each string that a request of the contract's methods may have: the method, what makes a request with that string, and the
    fields that lead to it."""
    pool = pb.Envelope.DESCRIPTOR.file.pool
    for service in ("Access", "Node", "Devices", "Jobs", "Leases", "Library", "Photos", "Sessions", "Settings", "Video"):
        for method in pool.FindServiceByName(f"capture.v1.{service}").methods:
            for path in string_paths(method.input_type):
                def make(text, path=path, kind=getattr(pb, method.input_type.name)):
                    return with_string(kind(), path, text)
                yield f"capture.v1.{service}/{method.name}", make, path


def string_paths(message, before=()):
    for field in message.fields:
        if field.type == field.TYPE_STRING:
            yield (*before, field)
        elif field.type == field.TYPE_MESSAGE:
            yield from string_paths(field.message_type, (*before, field))


def with_string(request, path, text):
    message = request
    for field in path[:-1]:
        message = getattr(message, field.name)
        message = message.add() if field.label == field.LABEL_REPEATED else message
    if path[-1].label == path[-1].LABEL_REPEATED:
        getattr(message, path[-1].name).append(text)
    else:
        setattr(message, path[-1].name, text)
    return request


@case("a body with unknown fields is taken", SECTION)
def newer_body(address):
    with Wire(address).greet() as wire:
        wire.expect_status(wire.call(INFO, b"\xa2\x06\x02hi"), 0)


@case("an unknown camera is NOT_FOUND and names it", SECTION)
def unknown_camera(address):
    with Wire(address).greet() as wire:
        call = wire.call("capture.v1.Devices/Formats", pb.FormatsRequest(device="no-such-camera"))
        wire.expect_status(call, NOT_FOUND, "no-such-camera")


@case("a unary request that is not the last message is INVALID_ARGUMENT", SECTION)
def unary_not_last(address):
    with Wire(address).greet() as wire:
        wire.expect_status(wire.call(INFO, last=False), INVALID_ARGUMENT, "last")
        wire.expect_alive()


@case("a unary request without a message is INVALID_ARGUMENT", SECTION)
def unary_no_message(address):
    with Wire(address).greet() as wire:
        wire.expect_status(wire.call(INFO, no_message=True), INVALID_ARGUMENT, "no_message")


@case("a hundred calls one after the other, and fifty at once or as many as there may be", SECTION)
def many_calls(address):
    with Wire(address).greet() as wire:
        for _ in range(100):
            wire.expect_status(wire.call(INFO), 0)
        calls = [wire.call(INFO) for _ in range(min(50, wire.node.limits.max_calls))]
        seen, deadline = set(), wire.due(LIMIT_S)
        while len(seen) < len(calls):
            envelope, _ = wire.receive(deadline=deadline)
            if envelope.WhichOneof("kind") == "status":
                require(envelope.status.code == 0, envelope.status.text)
                seen.add(envelope.call_id)
        require(seen == set(calls), "other calls were answered")


@case("the 101st call at once is RESOURCE_EXHAUSTED, the connection stays", SECTION, test_service=True)
def hundred_and_one(address):
    with Wire(address).greet() as wire:
        limit = wire.node.limits.max_calls
        calls = [wire.call("Upload", last=False, no_message=True) for _ in range(limit)]
        wire.expect_status(wire.call("Empty"), RESOURCE_EXHAUSTED, str(limit))
        wire.send(call_id=calls[0], cancel=pb.Cancel())
        wire.expect_status(calls[0], CANCELLED)
        # Its handler counts until it has stopped.
        deadline, code = time.monotonic() + LIMIT_S, RESOURCE_EXHAUSTED
        while code == RESOURCE_EXHAUSTED and time.monotonic() < deadline:
            code = wire.outcome(wire.call("Empty"))[1].code
        require(code == 0, "no place became free")


# Seconds for which a cancelled call runs on.
DEAF_S = 2


@case("cancelled calls count until they have stopped", SECTION, test_service=True)
def cancelled_count(address):
    with Wire(address).greet() as wire, Wire(address).greet() as other:
        limit, before = wire.node.limits.max_calls, running(other)
        request = pb.TestRequest(interval_us=60_000_000, deaf_ms=DEAF_S * 1_000)
        calls = [wire.call("Unary", request) for _ in range(limit)]
        wire.expect_alive()
        # A node begins calls in the order in which they came: once this one is answered, all of them run.
        running(other)
        began = time.monotonic()
        wire.raw(b"".join(packet(call_id=call, cancel=pb.Cancel()) for call in calls))
        for call in calls:
            wire.expect_status(call, CANCELLED)
        wire.expect_status(wire.call("Empty"), RESOURCE_EXHAUSTED, str(limit))
        counted = running(other)
        require(limit < counted <= before + limit, f"of {before} calls and {limit} more {counted} are counted")
        code = RESOURCE_EXHAUSTED
        while code == RESOURCE_EXHAUSTED and time.monotonic() < began + DEAF_S + LIMIT_S:
            code = wire.outcome(wire.call("Empty"))[1].code
        require(code == 0, "no place became free")
        require(time.monotonic() - began > DEAF_S, "a place became free before a call had stopped")


def running(wire):
    """Calls that the node has now, this one among them."""
    ((body, _),) = wire.expect_status(wire.call("capture.v1.Node/Status", pb.StatusRequest()), 0)
    return pb.StatusResponse.FromString(body).calls


@case("a hundred unfinished calls go with their connection", SECTION, test_service=True)
def unfinished(address):
    with Wire(address).greet() as wire:
        for _ in range(wire.node.limits.max_calls):
            wire.call("Upload", last=False, no_message=True)
        wire.expect_alive()


@case("cancel ends a call in CANCELLED, a second cancel is ignored", SECTION, test_service=True)
def cancel_twice(address):
    with Wire(address).greet() as wire:
        call = wire.call("Upload", last=False, no_message=True)
        wire.raw(packet(call_id=call, cancel=pb.Cancel()) * 2)
        wire.expect_status(call, CANCELLED)
        wire.expect_alive()


@case("Status from a client ends the call, a second one is ignored", SECTION, test_service=True)
def status_twice(address):
    with Wire(address).greet() as wire:
        call = wire.call("Upload", last=False, no_message=True)
        wire.raw(packet(call_id=call, status=pb.Status(code=0)) * 2)
        wire.expect_status(call, INVALID_ARGUMENT, "Status")
        wire.expect_alive()


@case("cancel behind the request, in one segment", SECTION, test_service=True)
def cancel_at_once(address):
    with Wire(address).greet() as wire:
        request = pb.Request(method="capture.v1.Test/Upload", no_message=True)
        wire.raw(packet(call_id=1, request=request) + packet(call_id=1, cancel=pb.Cancel()))
        wire.expect_status(1, CANCELLED)


HOLD = pb.Request(method="capture.v1.Test/Upload", no_message=True)
# By packets that each end an open call.
ENDINGS = {"cancelling": {"cancel": pb.Cancel()}, "breaking by Status": {"status": pb.Status()},
           "breaking by a second Request": {"request": HOLD}, "breaking by a Chunk": {"chunk": pb.Chunk()}}


def opened_and_ended(ids, ending):
    return b"".join(packet(call_id=call, request=HOLD) + packet(call_id=call, **ending) for call in ids)


for name, ending in ENDINGS.items():

    @case(f"opening and {name} without end is answered with GoAway", SECTION, test_service=True)
    def rapid_reset(address, ending=ending):
        with Wire(address).greet() as wire:
            for start in range(1, 40_001, 200):
                wire.raw(opened_and_ended(range(start, start + 200, 2), ending))
            wire.expect_go_away(RESOURCE_EXHAUSTED, "cancel")


@case("Cancels of a call that is over count as others do", SECTION)
def late_cancels(address):
    with Wire(address).greet() as wire:
        call = wire.call(INFO)
        wire.expect_status(call, 0)
        for _ in range(100):
            wire.raw(packet(call_id=call, cancel=pb.Cancel()) * 100)
        wire.expect_go_away(RESOURCE_EXHAUSTED, "cancel")


@case("connections of one address that cancel 400 each are too many, and who cancels 16 is not meant", SECTION, test_service=True)
def many_that_cancel(address):
    data = opened_and_ended(range(1, 801, 2), {"cancel": pb.Cancel()}) + packet(ping=pb.Ping(sent_ns=1))
    with contextlib.ExitStack() as stack:
        modest, *many = [stack.enter_context(Wire(address).greet()) for _ in range(10)]
        for wire in many:
            wire.raw(data)
        ends = [last_words(wire) for wire in many]
        away = [end for end in ends if end.WhichOneof("kind") == "go_away"]
        require(away, "all may cancel as many as each alone")
        for end in away:
            require(end.go_away.code == RESOURCE_EXHAUSTED and "address" in end.go_away.text, f"{end}")
        modest.raw(opened_and_ended(range(1, 33, 2), {"cancel": pb.Cancel()}))
        answers = modest.answers(range(1, 33, 2))
        require({answer.status.code for answer in answers.values()} <= {CANCELLED, RESOURCE_EXHAUSTED}, "other statuses")
        modest.expect_alive()


def last_words(wire):
    """The Pong or the GoAway that comes behind the calls' statuses."""
    deadline = wire.due(LIMIT_S)
    while True:
        received = wire.receive(deadline=deadline)
        require(received is not None, "closed without a GoAway")
        if received[0].call_id == 0:
            return received[0]


@case("a deadline that passes is DEADLINE_EXCEEDED", SECTION, test_service=True)
def deadline(address):
    with Wire(address).greet() as wire:
        call = wire.call("Download", pb.TestRequest(response_count=1, interval_us=5_000_000), timeout_ms=100)
        wire.expect_status(call, DEADLINE_EXCEEDED, "deadline")
        wire.expect_alive()


@case("a deadline of 1 ms and one of 2^32 - 1 ms", SECTION, test_service=True)
def deadlines_at_the_ends(address):
    with Wire(address).greet() as wire:
        call = wire.call("Upload", last=False, no_message=True, timeout_ms=1)
        wire.expect_status(call, DEADLINE_EXCEEDED)
        wire.expect_status(wire.call("Empty", timeout_ms=2**32 - 1), 0)


@case("a client that says no credit still gets a unary answer", SECTION)
def unary_without_credit(address):
    with Wire(address).greet() as wire:
        wire.expect_status(wire.call(INFO, credit=0), 0)


@case("calls of one connection do not wait for each other", SECTION, test_service=True)
def independent(address):
    with Wire(address).greet() as wire:
        wire.call("Download", pb.TestRequest(response_count=1, interval_us=1_500_000))
        quick = wire.call("Empty")
        wire.expect_status(quick, 0, within=1)


@case("chunk bytes where the kind carries none end the call", SECTION, test_service=True)
def chunk_on_credit(address):
    for kind in ("credit", "cancel", "status"):
        with Wire(address).greet() as wire:
            call = wire.call("Upload", last=False, no_message=True)
            wire.send(data=b"x", **{"call_id": call, kind: KINDS[kind]()})
            wire.expect_status(call, INVALID_ARGUMENT)
            wire.expect_alive()
