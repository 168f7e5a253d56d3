"""Streams: payloads in chunks, aborts, and credit in both directions."""

import socket
import time

from registry import case
from wire import (CANCELLED, DEADLINE_EXCEEDED, INVALID_ARGUMENT, LIMIT_S, RESOURCE_EXHAUSTED, Answer, Wire, packet, pb, require,
                  require_pattern)

SECTION = "streams"
CHUNK = 262_144  # a node's limit, unless it announces another
PAYLOAD_LIMIT = 16_777_216  # of a method that takes payloads


def upload(wire, *, length, sent=b"", last=True):
    """Opens an Upload whose first message has a payload of `length`, of which `sent` goes with the request."""
    return wire.call("Upload", pb.TestRequest(), payload_length=length, data=sent, last=last)


def answer(wire, call):
    ((body, _),) = wire.expect_status(call, 0)
    return pb.TestResponse.FromString(body)


for length in (0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 1_000_003):

    @case(f"a payload of {length} bytes in chunks of the limit", SECTION, test_service=True)
    def whole_chunks(address, length=length):
        with Wire(address).greet() as wire:
            chunk = Wire.limits.max_chunk_bytes
            call = upload(wire, length=length, sent=b"a" * min(length, chunk))
            for offset in range(chunk, length, chunk):
                wire.raw(chunk_packet(call, b"a" * min(chunk, length - offset)))
            require(answer(wire, call).received_payload_bytes == length, "the node counted other bytes")


def chunk_packet(call, data=b"", abort=False):
    return packet(pb.Envelope(call_id=call, chunk=pb.Chunk(abort=abort)).SerializeToString(), data)


@case("a payload in chunks of one byte", SECTION, test_service=True)
def tiny_chunks(address):
    with Wire(address).greet() as wire:
        call = upload(wire, length=500)
        for _ in range(500):
            wire.raw(chunk_packet(call, b"x"))
        require(answer(wire, call).received_payload_bytes == 500, "the node counted other bytes")


@case("bytes in the field of a body are taken for the payload, if there is none", SECTION, test_service=True)
def payload_in_body(address):
    with Wire(address).greet() as wire:
        request = pb.TestRequest(data=b"abc")
        require(answer(wire, wire.call("Upload", request)).received_payload_bytes == 3, "they are not taken")
        both = wire.call("Upload", request, payload_length=5, data=b"12345")
        require(answer(wire, both).received_payload_bytes == 5, "the payload is not taken alone")


@case("empty chunks inside a payload do nothing", SECTION, test_service=True)
def empty_chunks(address):
    with Wire(address).greet() as wire:
        call = upload(wire, length=2, sent=b"a")
        wire.raw(chunk_packet(call) * 3 + chunk_packet(call, b"b"))
        require(answer(wire, call).received_payload_bytes == 2, "the node counted other bytes")


@case("a payload split at every offset of its packets", SECTION, test_service=True)
def split_payload(address):
    request = pb.Request(method="capture.v1.Test/Upload", last=True, payload_length=24)
    whole = packet(pb.Envelope(call_id=1, request=request).SerializeToString(), b"a" * 16) + chunk_packet(1, b"b" * 8)
    for offset in range(1, len(whole)):
        with Wire(address).greet() as wire:
            wire.split(whole, offset)
            require(answer(wire, 1).received_payload_bytes == 24, f"split at {offset}")


@case("pings and other calls pass between the chunks", SECTION, test_service=True)
def interleaved(address):
    with Wire(address).greet() as wire:
        first = upload(wire, length=20, sent=b"a" * 10)
        wire.expect_alive()
        second = upload(wire, length=5, sent=b"b" * 2)
        wire.expect_status(wire.call("Empty"), 0)
        wire.raw(chunk_packet(first, b"a" * 10))
        require(answer(wire, first).received_payload_bytes == 20, "first")
        wire.raw(chunk_packet(second, b"b" * 3))
        require(answer(wire, second).received_payload_bytes == 5, "second")


@case("the payloads of two answers, and calls beside them, come whole whatever passes between their chunks", SECTION,
      test_service=True)
def interleaved_answers(address):
    with Wire(address).greet() as wire:
        sizes = {wire.call("Unary", pb.TestRequest(response_payload_bytes=size)): size for size in (1_500_001, 1_000_003)}
        empty = wire.call("Empty")
        answers = wire.answers([*sizes, empty])
        for call, size in sizes.items():
            ((_, payload),) = answers[call].messages
            require_pattern(payload, size)
        require(answers[empty].messages == [(b"", b"")], "another answer of the empty call")


BULK = 8_000_000  # far more than sockets hold while nobody reads
UNREAD_S = 0.2  # in which the node sees what was sent, and its socket is full
DEADLINE_MS = 500


def under_way(wire, method, **fields):
    """Opens a call with payloads of BULK bytes and reads the first packet of them; returns it and what has begun to come."""
    wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 262_144)
    call = wire.call(method, pb.TestRequest(response_payload_bytes=BULK, response_count=2), **fields)
    begun = {call: Answer()}
    wire.take(begun, wire.due(LIMIT_S))
    require(0 < len(begun[call].payload) < BULK, f"{begun[call].status or 'a payload at once'}")
    return call, begun


def cancelled(wire, call):
    wire.send(call_id=call, cancel=pb.Cancel())
    time.sleep(UNREAD_S)


def broken(wire, call):
    wire.send(call_id=call, status=pb.Status())
    time.sleep(UNREAD_S)


def overdue(wire, call):
    time.sleep(DEADLINE_MS / 1_000 + UNREAD_S)


for name, end, code, fields in (("a Cancel", cancelled, CANCELLED, {}), ("a broken rule", broken, INVALID_ARGUMENT, {}),
                                ("a deadline", overdue, DEADLINE_EXCEEDED, {"timeout_ms": DEADLINE_MS})):

    @case(f"{name} amid a payload ends it behind the packet that was begun: no abort, then Status", SECTION, test_service=True)
    def amid_payload(address, end=end, code=code, fields=fields):
        with Wire(address).greet() as wire:
            call, begun = under_way(wire, "Download", **fields)
            end(wire, call)
            ended = wire.answers([call], begun=begun)[call]
            require(ended.status.code == code, f"status {ended.status.code} ({ended.status.text!r}), not {code}")
            require(not ended.messages and not ended.aborted, "a whole message, or an abort")
            require(ended.missing > BULK // 4, f"of {BULK} bytes only {ended.missing} did not come")
            require_pattern(ended.payload, BULK - ended.missing)
            wire.expect_alive()

    @case(f"{name} amid a unary call's answer changes nothing: the call had ended", SECTION, test_service=True)
    def amid_answer(address, end=end, fields=fields):
        with Wire(address).greet() as wire:
            call, begun = under_way(wire, "Unary", **fields)
            end(wire, call)
            answer = wire.answers([call], begun=begun)[call]
            require(answer.status.code == 0, f"status {answer.status.code} ({answer.status.text!r})")
            ((_, payload),) = answer.messages
            require_pattern(payload, BULK)
            wire.expect_alive()


@case("a call whose first payload is long in coming starts behind later ones", SECTION, test_service=True)
def late_start(address):
    with Wire(address).greet() as wire:
        first = wire.call("Unary", pb.TestRequest(), payload_length=20, data=b"a" * 10)
        second = wire.call("Upload", last=False, no_message=True)
        wire.expect_alive()
        wire.raw(chunk_packet(first, b"a" * 10))
        require(answer(wire, first).received_payload_bytes == 20, "first")
        wire.send(call_id=second, message=pb.Message(last=True, no_message=True))
        require(answer(wire, second).received_payload_bytes == 0, "second")


@case("chunk bytes past the payload's length end the call", SECTION, test_service=True)
def past_length(address):
    with Wire(address).greet() as wire:
        call = upload(wire, length=4, sent=b"abcdefgh", last=False)
        wire.expect_status(call, INVALID_ARGUMENT, "payload")
        wire.expect_alive()


@case("a chunk past the payload's length ends the call", SECTION, test_service=True)
def chunk_past_length(address):
    with Wire(address).greet() as wire:
        call = upload(wire, length=4, sent=b"ab", last=False)
        wire.raw(chunk_packet(call, b"cdef"))
        wire.expect_status(call, INVALID_ARGUMENT, "payload")
        wire.expect_alive()


@case("a chunk without a message ends the call", SECTION, test_service=True)
def chunk_alone(address):
    with Wire(address).greet() as wire:
        call = wire.call("Upload", last=False, no_message=True)
        wire.raw(chunk_packet(call, b"x"))
        wire.expect_status(call, INVALID_ARGUMENT)
        wire.expect_alive()


@case("a chunk after the payload is complete ends the call", SECTION, test_service=True)
def chunk_after(address):
    with Wire(address).greet() as wire:
        call = upload(wire, length=2, sent=b"ab", last=False)
        wire.raw(chunk_packet(call, b"c"))
        wire.expect_status(call, INVALID_ARGUMENT)


@case("a message before the payload is complete ends the call", SECTION, test_service=True)
def message_inside(address):
    with Wire(address).greet() as wire:
        call = upload(wire, length=10, sent=b"ab", last=False)
        wire.send(call_id=call, message=pb.Message())
        wire.expect_status(call, INVALID_ARGUMENT, "payload")


@case("an aborted payload is dropped and the stream goes on", SECTION, test_service=True)
def aborted(address):
    with Wire(address).greet() as wire:
        call = upload(wire, length=10, sent=b"ab", last=False)
        wire.raw(chunk_packet(call, abort=True))
        wire.send(call_id=call, message=pb.Message(last=True))
        result = answer(wire, call)
        require((result.received_messages, result.received_payload_bytes) == (1, 0), f"the node counted {result}")


@case("the credit of an aborted message returns", SECTION, test_service=True)
def aborted_credit(address):
    with Wire(address).greet() as wire:
        call = wire.call("Upload", last=False, no_message=True)
        for _ in range(10 * wire.node.initial_credit):
            wire.send(call_id=call, message=pb.Message(payload_length=10))
            wire.raw(chunk_packet(call, abort=True))
        wire.send(call_id=call, message=pb.Message(last=True, no_message=True))
        require(answer(wire, call).received_messages == 0, "an aborted message was counted")


@case("a chunk after an abort ends the call", SECTION, test_service=True)
def chunk_after_abort(address):
    with Wire(address).greet() as wire:
        call = upload(wire, length=10, sent=b"ab", last=False)
        wire.raw(chunk_packet(call, abort=True) + chunk_packet(call, b"c"))
        wire.expect_status(call, INVALID_ARGUMENT)


@case("an abort without a payload ends the call", SECTION, test_service=True)
def abort_alone(address):
    with Wire(address).greet() as wire:
        call = wire.call("Upload", last=False, no_message=True)
        wire.raw(chunk_packet(call, abort=True))
        wire.expect_status(call, INVALID_ARGUMENT)


@case("an abort that carries bytes ends the call", SECTION, test_service=True)
def abort_with_bytes(address):
    with Wire(address).greet() as wire:
        call = upload(wire, length=10, sent=b"ab", last=False)
        wire.raw(chunk_packet(call, b"cd", abort=True))
        wire.expect_status(call, INVALID_ARGUMENT)


@case("the aborted payload of a unary request ends its call in CANCELLED", SECTION, test_service=True)
def unary_aborted(address):
    with Wire(address).greet() as wire:
        call = wire.call("Unary", pb.TestRequest(), payload_length=10, data=b"ab")
        wire.raw(chunk_packet(call, abort=True))
        wire.expect_status(call, CANCELLED)
        wire.expect_alive()


for name, message in {"with a body": pb.Message(no_message=True, last=True, body=b"\x08\x01"),
                      "with a payload": pb.Message(no_message=True, last=True, payload_length=1),
                      "that is not the last": pb.Message(no_message=True)}.items():

    @case(f"no_message {name} ends the call", SECTION, test_service=True)
    def contradictory(address, message=message):
        with Wire(address).greet() as wire:
            call = wire.call("Upload", last=False, no_message=True)
            wire.send(call_id=call, message=message)
            wire.expect_status(call, INVALID_ARGUMENT, "no_message")
            wire.expect_alive()


for name, fields, data in (("a body", {"message": b"\x08\x01"}, b""), ("a payload", {"payload_length": 1}, b""),
                           ("chunk bytes", {}, b"x")):

    @case(f"a Request with no_message and {name} ends its call", SECTION, test_service=True)
    def contradictory_request(address, fields=fields, data=data):
        with Wire(address).greet() as wire:
            wire.expect_status(wire.call("Upload", data=data, last=False, no_message=True, **fields), INVALID_ARGUMENT, "no_message")
            wire.expect_alive()


@case("a server stream's Request has to be the last message, and one", SECTION, test_service=True)
def server_stream_request(address):
    with Wire(address).greet() as wire:
        wire.expect_status(wire.call("Download", last=False), INVALID_ARGUMENT, "last")
        wire.expect_status(wire.call("Download", no_message=True), INVALID_ARGUMENT, "no_message")
        wire.expect_alive()


@case("a payload for a method that takes none is INVALID_ARGUMENT", SECTION)
def payload_refused(address):
    with Wire(address).greet() as wire:
        call = wire.call("capture.v1.Node/Info", payload_length=10, data=b"0123456789")
        wire.expect_status(call, INVALID_ARGUMENT, "payload")
        wire.expect_alive()


@case("chunk bytes where no payload was announced are INVALID_ARGUMENT", SECTION)
def chunk_unannounced(address):
    with Wire(address).greet() as wire:
        call = wire.call("capture.v1.Node/Info", data=b"0123456789")
        wire.expect_status(call, INVALID_ARGUMENT, "payload")
        wire.expect_alive()


for name, length in {"one more than the method takes": PAYLOAD_LIMIT + 1, "2^32": 2**32, "2^40": 2**40, "2^64 - 1": 2**64 - 1}.items():

    @case(f"a payload length of {name} is refused and takes no memory", SECTION, test_service=True)
    def endless(address, length=length):
        with Wire(address).greet() as wire:
            wire.expect_status(upload(wire, length=length), INVALID_ARGUMENT, "payload")
            wire.expect_alive()


@case("a payload length of exactly what the method takes is taken", SECTION, test_service=True)
def longest(address):
    with Wire(address).greet() as wire:
        call = upload(wire, length=PAYLOAD_LIMIT, sent=b"ab", last=False)
        wire.expect_alive()
        wire.raw(chunk_packet(call, abort=True))
        wire.send(call_id=call, message=pb.Message(last=True, no_message=True))
        require(answer(wire, call).received_messages == 0, "an aborted message was counted")


@case("what is under way of a refused payload is ignored", SECTION)
def rest_ignored(address):
    with Wire(address).greet() as wire:
        call = wire.call("capture.v1.Node/Info", payload_length=20, data=b"0123456789")
        wire.raw(chunk_packet(call, b"0123456789"))
        wire.expect_status(call, INVALID_ARGUMENT)
        wire.expect_alive()


# Credit towards the node


@case("messages within the initial credit are taken", SECTION, test_service=True)
def within_credit(address):
    with Wire(address).greet() as wire:
        call = wire.call("Upload", last=False, no_message=True)
        for _ in range(wire.node.initial_credit - 1):
            wire.send(call_id=call, message=pb.Message())
        wire.send(call_id=call, message=pb.Message(last=True))
        require(answer(wire, call).received_messages == wire.node.initial_credit, "the node counted others")


@case("messages past the credit end the call", SECTION, test_service=True)
def past_credit(address):
    with Wire(address).greet() as wire:
        # An Echo whose answers have no credit does not read on, so nothing returns credit.
        call = wire.call("Echo", last=False, no_message=True, credit=0)
        body = pb.TestRequest(response_count=1).SerializeToString()
        wire.raw(packet(call_id=call, message=pb.Message(body=body)) * (3 * wire.node.initial_credit + 3))
        wire.expect_status(call, INVALID_ARGUMENT, "credit")
        wire.expect_alive()


@case("credit returns as the node reads", SECTION, test_service=True)
def credit_returns(address):
    with Wire(address).greet() as wire:
        call, credit, total = wire.call("Upload", last=False, no_message=True), wire.node.initial_credit, 100
        for sent in range(total):
            while credit == 0:
                envelope, _ = wire.receive()
                if envelope.WhichOneof("kind") == "credit" and envelope.call_id == call:
                    credit += envelope.credit.messages
            wire.send(call_id=call, message=pb.Message(last=sent == total - 1))
            credit -= 1
        require(answer(wire, call).received_messages == total, "messages were lost")


# Credit towards the client


@case("a stream without credit gives nothing until it is granted", SECTION, test_service=True)
def no_credit(address):
    with Wire(address).greet() as wire:
        call = wire.call("Download", pb.TestRequest(response_count=3), credit=0)
        wire.expect_silence(0.3)
        wire.send(call_id=call, credit=pb.Credit(messages=3))
        require(len(wire.expect_status(call, 0)) == 3, "another number of messages")


@case("no more messages come than credit was given", SECTION, test_service=True)
def bounded(address):
    with Wire(address).greet() as wire:
        call = wire.call("Download", pb.TestRequest(response_count=10), credit=2)
        for _ in range(2):
            wire.first_message(call)
        wire.expect_silence(0.3)
        wire.send(call_id=call, cancel=pb.Cancel())
        require(not wire.expect_status(call, CANCELLED), "a message without credit")


@case("credit of 0 is ignored", SECTION, test_service=True)
def zero_credit(address):
    with Wire(address).greet() as wire:
        call = wire.call("Download", pb.TestRequest(response_count=1), credit=0)
        wire.send(call_id=call, credit=pb.Credit(messages=0))
        wire.expect_silence(0.2)
        wire.send(call_id=call, credit=pb.Credit(messages=1))
        wire.expect_status(call, 0)


@case("credit adds up, packet by packet", SECTION, test_service=True)
def credit_twice(address):
    with Wire(address).greet() as wire:
        call = wire.call("Download", pb.TestRequest(response_count=10), credit=1)
        wire.raw(packet(call_id=call, credit=pb.Credit(messages=2)) * 2)
        for _ in range(5):
            wire.first_message(call)
        wire.expect_silence(0.3)
        wire.send(call_id=call, credit=pb.Credit(messages=5))
        require(len(wire.expect_status(call, 0)) == 5, "another number of messages")


@case("a unary answer does not wait for Credit, nor mind it", SECTION, test_service=True)
def credit_of_unary(address):
    with Wire(address).greet() as wire:
        call = wire.call("Unary", pb.TestRequest(interval_us=100_000), credit=0)
        wire.raw(packet(call_id=call, credit=pb.Credit(messages=3)) * 2)
        require(len(wire.expect_status(call, 0)) == 1, "another number of messages")


MOST_CREDIT = 2**32 - 1


@case("credit of 2^32 - 1 in all is taken, one more ends the call, another is ignored", SECTION, test_service=True)
def most_credit(address):
    with Wire(address).greet() as wire:
        call = wire.call("Upload", last=False, no_message=True, credit=MOST_CREDIT - 2)
        wire.raw(packet(call_id=call, credit=pb.Credit(messages=1)) * 2)
        wire.expect_alive()
        wire.raw(packet(call_id=call, credit=pb.Credit(messages=1)) * 2)
        wire.expect_status(call, INVALID_ARGUMENT, "credit")
        wire.expect_alive()


for method, fields in {"Unary": {}, "Download": {}, "Upload": {"last": False}, "Echo": {"last": False}}.items():

    @case(f"credit past 2^32 - 1 ends the call ({method})", SECTION, test_service=True)
    def credit_overflow(address, method=method, fields=fields):
        with Wire(address).greet() as wire:
            call = wire.call(method, pb.TestRequest(interval_us=60_000_000), credit=1, **fields)
            wire.send(call_id=call, credit=pb.Credit(messages=MOST_CREDIT))
            wire.expect_status(call, INVALID_ARGUMENT, "credit")
            wire.expect_alive()


@case("credit past 2^32 - 1 ends a stream that flows, and nothing of it comes behind", SECTION, test_service=True)
def credit_overflow_in_flow(address):
    with Wire(address).greet() as wire:
        call = wire.call("Download", pb.TestRequest(response_count=1_000_000, interval_us=1_000), credit=1_000_000)
        wire.first_message(call)
        wire.send(call_id=call, credit=pb.Credit(messages=MOST_CREDIT))
        wire.expect_status(call, INVALID_ARGUMENT, "credit")
        wire.expect_alive()
        wire.expect_silence(0.2)


@case("newest wins: without credit messages are replaced and counted", SECTION, test_service=True)
def latest(address):
    with Wire(address).greet() as wire:
        request = pb.TestRequest(response_count=50, latest_wins=True, interval_us=1_000)
        call = wire.call("Download", request, credit=1)
        wire.first_message(call)
        wire.expect_silence(0.3)
        wire.send(call_id=call, credit=pb.Credit(messages=100))
        messages = [pb.TestResponse.FromString(body) for body, _ in wire.expect_status(call, 0)]
        require(messages, "nothing came once credit was there")
        delivered = 1 + len(messages)
        require(delivered + sum(m.discarded for m in messages) == 50, "delivered and discarded are not all")
        require(messages[-1].index == 49, "the newest was not the last")


@case("a payload towards the client obeys the chunk limit it announced", SECTION, test_service=True)
def announced_limit(address):
    with Wire(address).greet(limits=pb.Limits(max_chunk_bytes=8_192)) as wire:
        call = wire.call("Unary", pb.TestRequest(response_payload_bytes=100_000))
        total = 0
        while True:
            envelope, chunk = wire.receive()
            require(len(chunk) <= 8_192, f"a chunk of {len(chunk)} bytes")
            total += len(chunk)
            if envelope.WhichOneof("kind") == "status":
                break
        require(total == 100_000, f"{total} bytes came")


LEAST_ENVELOPE = 1_024


@case("an answer up to the envelope limit that the client announced comes whole, one past it ends in RESOURCE_EXHAUSTED", SECTION,
      test_service=True)
def answer_too_long(address):
    with Wire(address).greet(limits=pb.Limits(max_envelope_bytes=2_048)) as wire:
        whole, refused = [], []
        for length in range(1_980, 2_048):
            call = wire.call("Unary", pb.TestRequest(note=b"n" * length))
            messages, status, _ = wire.outcome(call)
            if status.code == 0:
                ((body, _),) = messages
                whole.append(pb.Envelope(call_id=call, message=pb.Message(body=body)).ByteSize())
            else:
                require(status.code == RESOURCE_EXHAUSTED and "max_envelope_bytes" in status.text, f"{status}")
                refused.append(length)
        require(whole and refused and max(whole) == 2_048, f"the longest envelope has {max(whole, default=0)} bytes")


@case("a Status up to that limit comes whole; past it its text is cut, between two characters", SECTION, test_service=True)
def status_too_long(address):
    with Wire(address).greet(limits=pb.Limits(max_envelope_bytes=LEAST_ENVELOPE)) as wire:
        for character in ("x", "é", "😈"):
            fewest = 1_000 // len(character.encode())
            for count in range(fewest, fewest + 30):
                text = character * count
                call = wire.call("Unary", pb.TestRequest(status_code=9, status_text=text))
                _, status, _ = wire.outcome(call)
                size = pb.Envelope(call_id=call, status=status).ByteSize()
                if pb.Envelope(call_id=call, status=pb.Status(code=9, text=text)).ByteSize() <= LEAST_ENVELOPE:
                    require(status.text == text, "a text was cut that fits")
                else:
                    require(status.code == 9 and text.startswith(status.text), f"{status}")
                    require(LEAST_ENVELOPE - len(character.encode()) < size <= LEAST_ENVELOPE, f"a Status of {size} bytes")


@case("metadata that does not fit that limit is left out, before the text is cut", SECTION, test_service=True)
def metadata_too_long(address):
    with Wire(address).greet(limits=pb.Limits(max_envelope_bytes=LEAST_ENVELOPE)) as wire:
        for length, comes in ((700, True), (1_000, False)):
            metadata = [pb.Metadata(key="k", value=b"v" * length)]
            request = pb.TestRequest(status_code=9, status_text="x" * 200, echo_metadata=True)
            _, status, _ = wire.outcome(wire.call("Unary", request, metadata=metadata))
            require((status.code, status.text) == (9, "x" * 200), f"{status}")
            require(list(status.metadata) == (metadata if comes else []), f"{status}")
