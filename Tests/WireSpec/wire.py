"""Raw packets to and from a node: what the cases speak with. Standard library and the protobuf package only."""

import contextlib
import importlib
import os
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

PREFIX = struct.Struct(">II")
LIMIT_S = 2.0  # every answer comes within this, beyond a specified timer
DRIP_S = 0.005

OK, CANCELLED, UNKNOWN, INVALID_ARGUMENT, DEADLINE_EXCEEDED, NOT_FOUND = range(6)
RESOURCE_EXHAUSTED, FAILED_PRECONDITION, ABORTED, OUT_OF_RANGE, UNIMPLEMENTED = range(8, 13)
UNAVAILABLE, UNAUTHENTICATED = 14, 16


def load_contract(proto=Path(__file__).resolve().parents[2] / "proto"):
    output = tempfile.TemporaryDirectory(prefix="wirespec-")
    files = sorted(str(path.relative_to(proto)) for path in proto.glob("capture/v1/*.proto"))
    subprocess.run(["protoc", f"-I{proto}", f"--python_out={output.name}", *files], check=True)
    sys.path.insert(0, output.name)
    contract = type("Contract", (), {"directory": output})
    for file in files:
        module = importlib.import_module(file.removesuffix(".proto").replace("/", ".") + "_pb2")
        for name, value in vars(module).items():
            if not name.startswith("_"):
                setattr(contract, name, value)
    return contract


pb = load_contract()


class Violation(AssertionError):
    """The node did not do what docs/protocol.md says."""


class Refused(Violation):
    """The node has as many connections as it takes."""


def greeted_once_there_is_room(address):
    """A connection; those before it may not be gone yet from a node that takes few."""
    deadline = time.monotonic() + LIMIT_S
    while True:
        wire = Wire(address)
        try:
            return wire.greet()
        except Refused:
            wire.close()
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def require(condition, text):
    if not condition:
        raise Violation(text)


def packet(envelope=b"", data=b"", **kinds):
    """The bytes of a packet: of an encoded envelope, or of one made from keywords (call_id, hello, request, …)."""
    body = pb.Envelope(**kinds).SerializeToString() if kinds else envelope
    return PREFIX.pack(len(body), len(data)) + body + data


def bytewise(data):
    return [data[place:place + 1] for place in range(len(data))]


def credential():
    """The secret in the file that $CAPTURE_CREDENTIAL_FILE names, for a node that wants one."""
    file = os.environ.get("CAPTURE_CREDENTIAL_FILE")
    return bytes.fromhex(Path(file).read_text().removeprefix("plaintext ")) if file else b""


def hello(version=1, **fields):
    return pb.Hello(version=version, agent="wirespec", **{"credential": credential(), **fields})


class Answer:
    """What has come of a call: whole messages as (body, payload), its status, how many payloads were aborted, and of a message whose
    payload is not complete what there is."""

    def __init__(self):
        self.messages, self.status, self.aborted = [], None, 0
        self.body, self.payload, self.missing = None, bytearray(), 0

    def take(self, envelope, chunk):
        require(self.status is None, f"{describe(envelope)} behind the Status of its call")
        kind = envelope.WhichOneof("kind")
        if kind == "message":
            require(self.body is None, "a Message before the payload of the one before is complete")
            self.body, self.missing = envelope.message.body, envelope.message.payload_length
        elif kind == "chunk":
            require(self.body is not None, "a Chunk where no payload is under way")
        elif kind == "status":
            self.status = envelope.status
        if kind not in ("message", "chunk"):
            require(not chunk, f"chunk bytes with {describe(envelope)}")
            return
        self.payload += chunk
        self.missing -= len(chunk)
        require(self.missing >= 0, "more chunk bytes than the message's payload_length")
        is_abort = kind == "chunk" and envelope.chunk.abort
        if is_abort:
            require(not chunk, "an abort with chunk bytes")
            self.aborted += 1
        elif self.missing == 0:
            self.messages.append((self.body, bytes(self.payload)))
        if is_abort or self.missing == 0:
            self.body, self.payload = None, bytearray()


PATTERN = bytes(n * 31 % 251 for n in range(251))


def require_pattern(payload, size):
    """It has so many bytes, those of the test service's pattern."""
    require(len(payload) == size, f"a payload of {len(payload)} bytes came, not of {size}")
    if payload != (PATTERN * (size // len(PATTERN) + 1))[:size]:
        wrong = next(place for place, byte in enumerate(payload) if byte != PATTERN[place % len(PATTERN)])
        raise Violation(f"byte {wrong} of a payload of {size} is {payload[wrong]}, not {PATTERN[wrong % len(PATTERN)]}")


class Wire:
    """One connection, nothing said on it yet.

    What is expected has one deadline, however many packets it comes in: LIMIT_S, and the seconds of a timer where one is specified."""

    # The longest that the suite lets anything be waited for.
    patience_s = None
    # What nodes take; the suite puts here what its node announces.
    limits = pb.Limits(max_envelope_bytes=65_536, max_chunk_bytes=262_144)
    # Connections so far that the node counts as clients.
    opened = 0
    lock = threading.Lock()

    def __init__(self, address, source=None):
        """`source`: the address that it comes from, where that matters."""
        if address.startswith("unix:"):
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(LIMIT_S)
            self.socket.connect(address.removeprefix("unix:"))
        else:
            host, port = address.rsplit(":", 1)
            self.socket = socket.create_connection((host.strip("[]"), int(port)), LIMIT_S, source and (source, 0))
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if certificate := os.environ.get("CAPTURE_CERTIFICATE"):
            # Over TLS: a node whose certificate the file has.
            context = ssl.create_default_context(cafile=certificate)
            self.socket = context.wrap_socket(self.socket, server_hostname="node.remote-capture.invalid")
        Wire.count(1)
        self.pending = b""
        self.next_id = 1
        self.node = None
        self.said_at = None  # when the latest bytes began to be sent

    @staticmethod
    def count(connections):
        with Wire.lock:
            Wire.opened += connections

    # Sending

    def raw(self, data):
        """Sends bytes; a node that closed in the meantime is no error here: reading will tell."""
        self.said_at = time.monotonic()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.socket.sendall(data)
        return self

    def send(self, data=b"", **kinds):
        return self.raw(packet(data=data, **kinds))

    def greet(self, **fields):
        """The handshake."""
        self.send(hello=hello(**fields))
        received = self.receive()
        require(received is not None, "closed without a Hello")
        envelope, _ = received
        if envelope.go_away.code == RESOURCE_EXHAUSTED:
            Wire.count(-1)
            raise Refused(envelope.go_away.text)
        require(envelope.WhichOneof("kind") == "hello", f"a Hello was to come, not {describe(envelope)}")
        self.node = envelope.hello
        return self

    def drip(self, *parts):
        """Sends parts one by one. Nothing tells when the node has read one, so there is a pause behind each, in which it can."""
        for part in parts:
            self.raw(part)
            time.sleep(DRIP_S)
        return self

    def split(self, data, offset):
        """Sends bytes in two parts that arrive as two: the first one goes with a Ping, the second one when that is answered."""
        self.expect_alive(behind=data[:offset])
        return self.raw(data[offset:])

    def call(self, method, message=None, *, data=b"", call_id=None, last=True, credit=100, **fields):
        """Opens a call, the test service's where the method has no '/'; returns its id."""
        if call_id is None:
            call_id, self.next_id = self.next_id, self.next_id + 2
        name = method if "/" in method else f"capture.v1.Test/{method}"
        body = message.SerializeToString() if hasattr(message, "SerializeToString") else message or b""
        request = pb.Request(method=name, body=body, last=last, credit=credit, **fields)
        self.send(data=data, call_id=call_id, request=request)
        return call_id

    # Receiving

    def due(self, within):
        return time.monotonic() + (within if self.patience_s is None else min(within, self.patience_s))

    def bytes(self, count, deadline):
        while len(self.pending) < count:
            self.socket.settimeout(max(deadline - time.monotonic(), 0.001))
            try:
                data = self.socket.recv(1 << 18)
            except TimeoutError:
                raise Violation("no answer in time") from None
            except ConnectionResetError:
                data = b""
            if not data:
                return None
            self.pending += data
        data, self.pending = self.pending[:count], self.pending[count:]
        return data

    def receive(self, within=LIMIT_S, *, deadline=None):
        """The next packet, as (envelope, chunk); None when the node closed."""
        deadline = self.due(within) if deadline is None else deadline
        prefix = self.bytes(8, deadline)
        if prefix is None:
            return None
        envelope_length, chunk_length = PREFIX.unpack(prefix)
        require(envelope_length <= 4 << 20, f"an envelope of {envelope_length} bytes is past a client's limit")
        require(chunk_length <= 256 << 10, f"a chunk of {chunk_length} bytes is past a client's limit")
        body, chunk = self.bytes(envelope_length, deadline), self.bytes(chunk_length, deadline)
        if body is None or chunk is None:
            return None
        return pb.Envelope.FromString(body), chunk

    def expect_go_away(self, code, mention="", within=LIMIT_S):
        """GoAway with the code, its text naming what was wrong, then the end of the connection."""
        deadline = self.due(within)
        while True:
            received = self.receive(deadline=deadline)
            require(received is not None, "closed without a GoAway")
            envelope, _ = received
            if envelope.WhichOneof("kind") == "go_away":
                break
        away = envelope.go_away
        require(envelope.call_id == 0, "GoAway on a call")
        require(away.code == code, f"GoAway with code {away.code} ({away.text!r}), not {code}")
        require(mention in away.text, f"GoAway says {away.text!r}, without {mention!r}")
        self.expect_close(deadline=deadline)
        return away

    def expect_close(self, within=LIMIT_S, *, deadline=None):
        """No more packets, and the end of the stream."""
        received = self.receive(within, deadline=deadline)
        require(received is None, f"the connection goes on after its end: {received and describe(received[0])}")

    def until_close(self, within=LIMIT_S):
        """All bytes up to the end of the stream."""
        deadline, data = self.due(within), b""
        while (byte := self.bytes(1, deadline)) is not None:
            data += byte + self.pending
            self.pending = b""
        return data

    def outcome(self, call_id, within=LIMIT_S):
        """What comes of a call until its Status: (messages as (body, payload), status, aborted)."""
        answer = self.answers([call_id], within)[call_id]
        return answer.messages, answer.status, answer.aborted

    def answers(self, calls, within=LIMIT_S, begun=None):
        """What comes of these calls until all have their Status, behind what has `begun` to come: an Answer of each."""
        answers = begun or {call: Answer() for call in calls}
        deadline = self.due(within)
        while any(answers[call].status is None for call in calls):
            self.take(answers, deadline)
        return answers

    def first_message(self, call_id):
        """The first whole message of a stream, as (body, payload)."""
        answer, deadline = Answer(), self.due(LIMIT_S)
        while not answer.messages:
            self.take({call_id: answer}, deadline)
            require(answer.status is None, f"call {call_id} ended before its first message: {answer.status and answer.status.text!r}")
        return answer.messages[0]

    def take(self, answers, deadline):
        """Adds the next packet to the answer that it belongs to."""
        received = self.receive(deadline=deadline)
        require(received is not None, f"closed before the Status of {list(answers)}")
        envelope, chunk = received
        if envelope.WhichOneof("kind") == "go_away":
            raise Violation(f"GoAway before the Status of {list(answers)}: {envelope.go_away.text!r}")
        if envelope.call_id in answers:
            answers[envelope.call_id].take(envelope, chunk)

    def expect_status(self, call_id, code, mention="", within=LIMIT_S):
        """The call ends in that status; returns its messages."""
        messages, status, _ = self.outcome(call_id, within)
        require(status.code == code, f"call {call_id} ended in {status.code} ({status.text!r}), not {code}")
        require(mention in status.text, f"the status says {status.text!r}, without {mention!r}")
        return messages

    def expect_alive(self, behind=b""):
        """The connection still answers, and nothing else was said on it. `behind`: what goes with the Ping in one write."""
        stamp = time.monotonic_ns()
        self.raw(packet(ping=pb.Ping(sent_ns=stamp)) + behind)
        received = self.receive()
        require(received is not None, "the connection was closed")
        envelope, _ = received
        require(envelope.WhichOneof("kind") == "pong", f"a Pong was to come, not {describe(envelope)}")
        require(envelope.pong.ping_sent_ns == stamp, "the Pong gives another time back")

    def expect_silence(self, seconds=0.2):
        """Nothing arrives, and the connection stays open."""
        self.socket.settimeout(seconds)
        try:
            data = self.socket.recv(1)
        except TimeoutError:
            return
        require(False, f"{'a byte came' if data else 'the connection was closed'} where nothing was to happen")

    # Ending

    def reset(self):
        """Closes with a RST."""
        if self.socket.family != socket.AF_UNIX:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def half_close(self):
        self.socket.shutdown(socket.SHUT_WR)

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def describe(envelope):
    return f"{envelope.WhichOneof('kind') or 'an empty envelope'} on call {envelope.call_id}: {str(envelope)[:120]!r}"
