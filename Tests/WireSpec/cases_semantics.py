"""What gRPC's interoperability tests ask of calls, with the same sizes; bulk parts are payloads."""

from registry import case
from wire import CANCELLED, DEADLINE_EXCEEDED, UNIMPLEMENTED, UNKNOWN, Wire, packet, pb, require, require_pattern

SECTION = "semantics"


def parsed(messages):
    return [(pb.TestResponse.FromString(body), payload) for body, payload in messages]


def send_message(wire, call, message, payload=b"", last=False):
    envelope = pb.Envelope(call_id=call, message=pb.Message(
        body=message.SerializeToString(), last=last, payload_length=len(payload)))
    wire.raw(packet(envelope.SerializeToString(), payload[:Wire.limits.max_chunk_bytes]))
    send_rest(wire, call, payload)


def send_rest(wire, call, payload):
    """Sends the chunks after the first one of a payload."""
    size = Wire.limits.max_chunk_bytes
    for offset in range(size, len(payload), size):
        more = pb.Envelope(call_id=call, chunk=pb.Chunk())
        wire.raw(packet(more.SerializeToString(), payload[offset:offset + size]))


def open_large(wire, method, request, **fields):
    """Opens a call whose first message has a payload of 271,828 bytes."""
    data = b"x" * 271_828
    call = wire.call(method, request, payload_length=len(data), data=data[:Wire.limits.max_chunk_bytes], **fields)
    send_rest(wire, call, data)
    return call


@case("empty_unary", SECTION, test_service=True)
def empty_unary(address):
    with Wire(address).greet() as wire:
        ((body, payload),) = wire.expect_status(wire.call("Empty"), 0)
        require(body == b"" and payload == b"", "an empty answer was to come")


@case("large_unary: 271,828 bytes there, 314,159 back", SECTION, test_service=True)
def large_unary(address):
    with Wire(address).greet() as wire:
        call = open_large(wire, "Unary", pb.TestRequest(response_payload_bytes=314_159))
        ((response, payload),) = parsed(wire.expect_status(call, 0))
        require(response.received_payload_bytes == 271_828, f"{response.received_payload_bytes} bytes arrived")
        require_pattern(payload, 314_159)


@case("client_streaming: 27,182, 8, 1,828 and 45,904 bytes are 74,922", SECTION, test_service=True)
def client_streaming(address):
    with Wire(address).greet() as wire:
        call = wire.call("Upload", last=False, no_message=True)
        for size in (27_182, 8, 1_828, 45_904):
            send_message(wire, call, pb.TestRequest(), b"x" * size)
        wire.send(call_id=call, message=pb.Message(last=True, no_message=True))
        ((response, _),) = parsed(wire.expect_status(call, 0))
        require(response.received_payload_bytes == 74_922, f"{response.received_payload_bytes} bytes arrived")


@case("server_streaming: 31,415, 9, 2,653 and 58,979 bytes", SECTION, test_service=True)
def server_streaming(address):
    with Wire(address).greet() as wire:
        sizes = [31_415, 9, 2_653, 58_979]
        messages = parsed(wire.expect_status(wire.call("Download", pb.TestRequest(response_payload_sizes=sizes)), 0))
        require(len(messages) == len(sizes), f"{len(messages)} messages came")
        for (_, payload), size in zip(messages, sizes):
            require_pattern(payload, size)
        require([response.index for response, _ in messages] == list(range(4)), "another order")


@case("ping_pong: 31,415, 9, 2,653 and 58,979 bytes for 27,182, 8, 1,828 and 45,904", SECTION, test_service=True)
def ping_pong(address):
    with Wire(address).greet() as wire:
        call = wire.call("Echo", last=False, no_message=True)
        for there, back in ((27_182, 31_415), (8, 9), (1_828, 2_653), (45_904, 58_979)):
            send_message(wire, call, pb.TestRequest(response_payload_bytes=back), b"x" * there)
            ((response, payload),) = parsed([wire.first_message(call)])
            require(response.received_payload_bytes == there, f"{response.received_payload_bytes} bytes arrived, not {there}")
            require_pattern(payload, back)
        wire.send(call_id=call, message=pb.Message(last=True, no_message=True))
        require(not wire.expect_status(call, 0), "a message nobody asked for")


@case("empty_stream", SECTION, test_service=True)
def empty_stream(address):
    with Wire(address).greet() as wire:
        call = wire.call("Echo", last=False, no_message=True)
        wire.send(call_id=call, message=pb.Message(last=True, no_message=True))
        require(not wire.expect_status(call, 0), "a message nobody asked for")


@case("cancel_after_begin", SECTION, test_service=True)
def cancel_after_begin(address):
    with Wire(address).greet() as wire:
        call = wire.call("Upload", last=False, no_message=True)
        wire.send(call_id=call, cancel=pb.Cancel())
        wire.expect_status(call, CANCELLED)


@case("cancel_after_first_response", SECTION, test_service=True)
def cancel_after_first_response(address):
    with Wire(address).greet() as wire:
        call = wire.call("Echo", last=False, no_message=True)
        send_message(wire, call, pb.TestRequest(response_payload_bytes=31_415), b"x" * 27_182)
        wire.first_message(call)
        wire.send(call_id=call, cancel=pb.Cancel())
        wire.expect_status(call, CANCELLED)


@case("timeout_on_sleeping_server", SECTION, test_service=True)
def timeout_on_sleeping_server(address):
    with Wire(address).greet() as wire:
        data = b"x" * 27_182
        call = wire.call("Echo", pb.TestRequest(interval_us=60_000_000), data=data[:Wire.limits.max_chunk_bytes],
                         payload_length=len(data), last=False, timeout_ms=1)
        send_rest(wire, call, data)
        require(not wire.expect_status(call, DEADLINE_EXCEEDED, "deadline"), "a message of a server that sleeps")
        wire.expect_alive()


for name, text in {"status_code_and_message": "test status message",
                   "special_status_message": "\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n"}.items():

    @case(name, SECTION, test_service=True)
    def status_text(address, text=text):
        with Wire(address).greet() as wire:
            request = pb.TestRequest(status_code=2, status_text=text)
            _, status, _ = wire.outcome(wire.call("Unary", request))
            require((status.code, status.text) == (UNKNOWN, text), f"{status.code} {status.text!r}")
            call = wire.call("Echo", last=False, no_message=True)
            send_message(wire, call, request)
            _, status, _ = wire.outcome(call)
            require((status.code, status.text) == (UNKNOWN, text), f"on a stream: {status.code} {status.text!r}")


@case("every status code passes through", SECTION, test_service=True)
def every_status(address):
    with Wire(address).greet() as wire:
        for code in range(1, 17):
            wire.expect_status(wire.call("Unary", pb.TestRequest(status_code=code, status_text="so")), code, "so")


@case("unimplemented_method", SECTION)
def unimplemented_method(address):
    with Wire(address).greet() as wire:
        wire.expect_status(wire.call("capture.v1.Node/UnimplementedCall"), UNIMPLEMENTED)


@case("unimplemented_service", SECTION)
def unimplemented_service(address):
    with Wire(address).greet() as wire:
        wire.expect_status(wire.call("capture.v1.UnimplementedService/UnimplementedCall"), UNIMPLEMENTED)


METADATA = [pb.Metadata(key="x-grpc-test-echo-initial", value=b"test_initial_metadata_value"),
            pb.Metadata(key="x-grpc-test-echo-trailing-bin", value=b"\xab\xab\xab")]


for kind, method, fields in (("a unary call", "Unary", {}), ("both ways of a stream", "Echo", {"last": False})):

    @case(f"custom_metadata comes back, text and bytes, on {kind}", SECTION, test_service=True)
    def custom_metadata(address, method=method, fields=fields):
        with Wire(address).greet() as wire:
            request = pb.TestRequest(echo_metadata=True, response_payload_bytes=314_159)
            messages, status, _ = wire.outcome(open_large(wire, method, request, metadata=METADATA, **fields))
            require(status.code == 0, f"status {status.code} {status.text!r}")
            require({(m.key, m.value) for m in status.metadata} >= {(m.key, m.value) for m in METADATA}, f"{status}")
            ((_, payload),) = messages
            require_pattern(payload, 314_159)
