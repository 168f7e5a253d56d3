"""Prefixes and envelopes: lengths, parsing, what a newer side may send."""

from cases_connection import require_line
from registry import case
from wire import INVALID_ARGUMENT, PREFIX, RESOURCE_EXHAUSTED, UNIMPLEMENTED, Wire, bytewise, hello, packet, pb, require

SECTION = "packets"
INFO = pb.Request(method="capture.v1.Node/Info", last=True)


def padded(envelope, length):
    """The envelope's bytes, filled with an unknown field (15, of bytes) up to exactly `length`."""
    body = envelope.SerializeToString()
    for digits in (1, 2, 3, 4):
        fill = length - len(body) - 1 - digits
        size, count = b"", fill
        while True:
            size += bytes([count & 0x7F | (0x80 if count > 0x7F else 0)])
            count >>= 7
            if not count:
                break
        if len(size) == digits:
            return body + b"\x7a" + size + b"\0" * fill
    raise ValueError(length)


@case("an envelope of exactly the limit is taken", SECTION)
def at_limit(address):
    with Wire(address).greet() as wire:
        limit = wire.node.limits.max_envelope_bytes
        wire.raw(packet(padded(pb.Envelope(call_id=1, request=INFO), limit)))
        wire.expect_status(1, 0)


for name, length in {"one more than the limit": None, "2^24 - 1": 2**24 - 1, "2^24": 2**24, "2^31": 2**31,
                     "2^32 - 1": 2**32 - 1}.items():

    @case(f"an envelope length of {name} is refused on its prefix", SECTION)
    def too_long(address, length=length):
        with Wire(address).greet() as wire:
            wire.raw(PREFIX.pack(length or Wire.limits.max_envelope_bytes + 1, 0))
            wire.expect_go_away(RESOURCE_EXHAUSTED, "envelope")

    @case(f"a first envelope length of {name} is refused on its prefix", SECTION)
    def too_long_at_first(address, length=length):
        with Wire(address) as wire:
            wire.raw(PREFIX.pack(length or Wire.limits.max_envelope_bytes + 1, 0))
            if not length or length < 2**24:
                wire.expect_go_away(RESOURCE_EXHAUSTED, "envelope")
            else:  # its first byte is another protocol's
                require_line(wire.until_close())


for name, length in {"one more than the limit": None, "2^31": 2**31, "2^32 - 1": 2**32 - 1}.items():

    @case(f"a chunk length of {name} is refused on its prefix", SECTION)
    def chunk_too_long(address, length=length):
        with Wire(address).greet() as wire:
            wire.raw(PREFIX.pack(10, length or Wire.limits.max_chunk_bytes + 1))
            wire.expect_go_away(RESOURCE_EXHAUSTED, "chunk")


@case("ten thousand empty packets do nothing", SECTION)
def many_empty(address):
    with Wire(address).greet() as wire:
        wire.raw(b"\0" * 80_000)
        wire.expect_alive()


@case("a packet in single bytes", SECTION)
def single_bytes(address):
    with Wire(address).greet() as wire:
        wire.drip(*bytewise(packet(call_id=1, request=INFO)))
        wire.expect_status(1, 0)


@case("Hello split at every offset", SECTION)
def split_hello(address):
    whole = packet(hello=hello())
    for offset in range(1, len(whole)):
        with Wire(address) as wire:
            wire.drip(whole[:offset], whole[offset:])
            envelope, _ = wire.receive()
            require(envelope.WhichOneof("kind") == "hello", f"split at {offset}: {envelope}")


@case("packets split at every offset", SECTION)
def split_everywhere(address):
    whole = packet(call_id=1, request=INFO) + packet(call_id=3, request=INFO)
    for offset in range(1, len(whole)):
        with Wire(address).greet() as wire:
            answers = wire.split(whole, offset).answers([1, 3])
            require(all(answer.status.code == 0 for answer in answers.values()), f"split at {offset}")


UNPARSABLE = {
    "noise": b"\xde\xad\xbe\xef" * 4,
    "a varint that does not end": b"\x08" + b"\xff" * 11,
    "a length past the envelope": b"\x1a\x7f\x01",
    "a field number of 0": b"\x02\x01\x00",
    "an unfinished fixed64": b"\x09\x01\x02",
    "a call id of the wrong wire type": b"\x0a\x01\x01\xff",
    "a nested length past its message": b"\x1a\x03\x0a\x7fx",
}
for name, body in UNPARSABLE.items():

    @case(f"an envelope that does not parse ({name}) ends the connection", SECTION)
    def unparsable(address, body=body):
        with Wire(address).greet() as wire:
            wire.raw(packet(body))
            wire.expect_go_away(INVALID_ARGUMENT, "envelope")


@case("an envelope truncated at every offset ends the connection or is a shorter one", SECTION)
def truncated(address):
    body = pb.Envelope(call_id=1, request=INFO).SerializeToString()
    for length in range(1, len(body)):
        with Wire(address).greet() as wire:
            wire.raw(packet(body[:length]))
            try:
                shorter = pb.Envelope.FromString(body[:length])
            except Exception:  # what stock protobuf refuses too
                wire.expect_go_away(INVALID_ARGUMENT, "envelope")
            else:
                require(shorter.WhichOneof("kind") is None, f"{shorter}")
                wire.expect_alive()


@case("a kind of a newer version is ignored", SECTION)
def unknown_kind(address):
    with Wire(address).greet() as wire:
        wire.raw(packet(b"\x08\x01" + b"\xa2\x06\x02hi"))
        wire.expect_alive()


@case("unknown fields of a request are ignored", SECTION)
def unknown_fields(address):
    with Wire(address).greet() as wire:
        body = INFO.SerializeToString() + b"\xa2\x06\x02hi" + b"\xa8\x06\x05"
        wire.raw(packet(b"\x08\x01\x1a" + bytes([len(body)]) + body + b"\xb0\x06\x01"))
        wire.expect_status(1, 0)


@case("of two kinds in one envelope the last one counts", SECTION)
def two_kinds(address):
    with Wire(address).greet() as wire:
        both = pb.Envelope(ping=pb.Ping(sent_ns=1)).SerializeToString()
        both += pb.Envelope(call_id=1, request=INFO).SerializeToString()
        wire.raw(packet(both))
        wire.expect_status(1, 0)


@case("two Requests in one envelope are not joined: the last one counts alone", SECTION)
def one_kind_twice(address):
    with Wire(address).greet() as wire:
        first = pb.Envelope(request=pb.Request(method="capture.v1.Devices/List", no_message=True, payload_length=1))
        wire.raw(packet(first.SerializeToString() + pb.Envelope(call_id=1, request=INFO).SerializeToString()))
        wire.expect_status(1, 0)


@case("a method that is no UTF-8 ends the connection", SECTION)
def bad_method(address):
    with Wire(address).greet() as wire:
        good = pb.Envelope(call_id=1, request=pb.Request(method="????", last=True)).SerializeToString()
        wire.raw(packet(good.replace(b"????", b"\xc3\x28\xa0\xa1")))
        wire.expect_go_away(INVALID_ARGUMENT, "UTF-8")


for name, envelope, is_first in (
        ("metadata key", pb.Envelope(call_id=1, request=pb.Request(
            method="capture.v1.Node/Info", metadata=[pb.Metadata(key="????", value=b"\xff")], last=True)), False),
        ("status text", pb.Envelope(call_id=1, status=pb.Status(code=2, text="????")), False),
        ("status's metadata key", pb.Envelope(call_id=1, status=pb.Status(code=2, metadata=[pb.Metadata(key="????")])), False),
        ("GoAway's text", pb.Envelope(go_away=pb.GoAway(text="????")), False),
        ("Hello's agent", pb.Envelope(hello=pb.Hello(version=1, agent="????")), True),
        ("Hello's boot id", pb.Envelope(hello=pb.Hello(version=1, boot_id="????")), True)):

    @case(f"a {name} that is no UTF-8 ends the connection", SECTION)
    def bad_text(address, envelope=envelope, is_first=is_first):
        with Wire(address) as wire:
            if not is_first:
                wire.greet()
            wire.raw(packet(envelope.SerializeToString().replace(b"????", b"\xf0\x9f\x98\x20")))
            wire.expect_go_away(INVALID_ARGUMENT, "UTF-8")


    @case(f"a {name} with a NUL ends the connection", SECTION)
    def cut_text(address, envelope=envelope, is_first=is_first):
        with Wire(address) as wire:
            if not is_first:
                wire.greet()
            wire.raw(packet(envelope.SerializeToString().replace(b"????", b"a\0bc")))
            wire.expect_go_away(INVALID_ARGUMENT, "NUL")


@case("a method with a NUL ends the connection", SECTION)
def cut_method(address):
    with Wire(address).greet() as wire:
        wire.send(call_id=1, request=pb.Request(method="capture.v1.Node/Info\0x", last=True))
        wire.expect_go_away(INVALID_ARGUMENT, "NUL")


@case("a metadata value that is no UTF-8 is taken: it is bytes", SECTION)
def bytes_of_metadata(address):
    with Wire(address).greet() as wire:
        wire.expect_status(wire.call("capture.v1.Node/Info", metadata=[pb.Metadata(key="k", value=b"\xff\xfe\0")]), 0)


@case("as many empty metadata as an envelope of 65,536 bytes holds, or of what is taken, are served", SECTION)
def many_metadata(address):
    with Wire(address).greet() as wire:
        body = INFO.SerializeToString() + b"\x1a\x00" * ((min(Wire.limits.max_envelope_bytes, 65_536) - 100) // 2)
        size = len(body)
        length = bytes([size & 0x7F | 0x80, size >> 7 & 0x7F | 0x80, size >> 14])
        wire.raw(packet(b"\x08\x01\x1a" + length + body))
        wire.expect_status(1, 0)


@case("a method name as long as an envelope holds is unknown, and the answer is short", SECTION)
def long_method(address):
    with Wire(address).greet() as wire:
        call = wire.call("x/" + "y" * (Wire.limits.max_envelope_bytes - 100))
        _, status, _ = wire.outcome(call)
        require(status.code == UNIMPLEMENTED, f"status {status.code}")
        require(len(status.text) < 2_000, f"a text of {len(status.text)} characters")
        wire.expect_alive()
