"""The calls of one connection: what the node says goes to the call that it is about."""

from __future__ import annotations

import platform
import time
from typing import Any, Callable, Iterable, Union

from .. import messages
from ..errors import DATA_LOSS, NodeError, unreachable
from ..version import __version__
from .packets import PacketReader, packet

PROTOCOL_VERSION = 1
SILENCE_S = 30.0  # without a byte: then a Ping
PATIENCE_S = 10.0  # for its answer
MAX_PAYLOAD_BYTES = 1 << 30

# What a call is given: ("message", message, payload), ("end", None, None) or ("failed", error, None).
Deliver = Callable[[str, Any, Any], None]
# The tokens of the leases under which a call is made: one, several or none.
Tokens = Union[str, Iterable[str], None]


class Call:
    """One call as the connection knows it. `deliver` is called with what the node sends."""

    def __init__(self, number: int, answer_type: Any, deliver: Deliver) -> None:
        self.number, self.answer_type, self.deliver = number, answer_type, deliver
        self.message: Any = None
        self.payload: bytearray | None = None
        self.missing = 0


class Calls:
    """Everything of a connection but its socket. `send` takes a packet's bytes; `greeted` is called once with the node's Hello."""

    def __init__(self, send: Callable[[bytes], None], greeted: Callable[[Any], None]) -> None:
        self._send, self._greeted = send, greeted
        self.reader = PacketReader(self._begin, self._end)
        self._calls: dict[int, Call] = {}
        self._last = -1
        self.hello: Any = None
        self.failure: NodeError | None = None
        self.is_draining = False
        self._heard = time.monotonic()
        self._pinged = False
        self._pings: dict[int, Deliver] = {}

    # What this side does

    def greet(self, credential: bytes) -> None:
        agent = f"remote-capture/{__version__} (Python {platform.python_version()})"
        self._send(packet(messages.Envelope(hello=messages.Hello(version=PROTOCOL_VERSION, agent=agent, boot_id=_boot_id(), credential=credential))))

    def open(self, method: str, body: bytes, answer_type: Any, deliver: Deliver, credit: int, timeout: float | None, lease: Tokens) -> Call:
        """Raises NodeError where the connection is over."""
        if self.failure is not None:
            raise self.failure
        self._last += 2
        call = Call(self._last, answer_type, deliver)
        opening = messages.Request(method=method, body=body, last=True, credit=credit)
        if timeout is not None:
            opening.timeout_ms = max(1, int(timeout * 1000))
        for token in [lease] if lease and isinstance(lease, str) else lease or []:
            opening.metadata.add(key="lease", value=token.encode())
        self._calls[call.number] = call
        self._send(packet(messages.Envelope(call_id=call.number, request=opening)))
        return call

    def grant(self, call: Call) -> None:
        if call.number in self._calls:
            self._send(packet(messages.Envelope(call_id=call.number, credit=messages.Credit(messages=1))))

    def cancel(self, call: Call) -> None:
        """Nothing more is delivered to the call."""
        if self._calls.pop(call.number, None) is not None and self.failure is None:
            self._send(packet(messages.Envelope(call_id=call.number, cancel=messages.Cancel())))

    def ping(self, deliver: Deliver) -> int:
        """Asks for a Pong, which is delivered as ("message", pong, None). Returns when it was asked. Raises NodeError where the connection is over."""
        if self.failure is not None:
            raise self.failure
        sent = time.monotonic_ns()
        self._pings[sent] = deliver
        self._send(packet(messages.Envelope(ping=messages.Ping(sent_ns=sent))))
        return sent

    def fail(self, error: NodeError) -> None:
        """The connection is over, and so are its calls."""
        if self.failure is None:
            self.failure = error
        calls, self._calls = list(self._calls.values()), {}
        pings, self._pings = list(self._pings.values()), {}
        for deliver in [call.deliver for call in calls] + pings:
            deliver("failed", self.failure, None)

    def tick(self) -> float:
        """The life of the connection: seconds until it has to be looked at again. Raises NodeError for a node that is silent."""
        silence = time.monotonic() - self._heard
        if silence >= SILENCE_S + PATIENCE_S:
            raise unreachable(f"the node has been silent for {silence:.0f} s")
        if silence < SILENCE_S:
            return SILENCE_S - silence
        if not self._pinged:
            self._pinged = True
            self._send(packet(messages.Envelope(ping=messages.Ping(sent_ns=time.monotonic_ns()))))
        return SILENCE_S + PATIENCE_S - silence

    # What the node does

    def buffer(self) -> memoryview:
        return self.reader.buffer()

    def received(self, count: int) -> None:
        """Raises NodeError where the connection is over."""
        self._heard, self._pinged = time.monotonic(), False
        self.reader.received(count)

    def _begin(self, envelope: Any, length: int) -> memoryview | None:
        """The memory for a packet's chunk."""
        call = self._calls.get(envelope.call_id)
        kind = envelope.WhichOneof("kind")
        if call is None or kind not in ("message", "chunk"):
            return None
        if kind == "message":
            message = envelope.message
            if message.payload_length > MAX_PAYLOAD_BYTES:
                raise NodeError(DATA_LOSS, f"the node announced a payload of {message.payload_length} bytes; at most {MAX_PAYLOAD_BYTES} are taken")
            call.message, call.missing = message.body, message.payload_length
            call.payload = bytearray(call.missing)
        elif envelope.chunk.abort:
            call.message = call.payload = None  # a newer frame comes instead; the node took its credit back
        if length == 0 or call.payload is None:
            return None
        if length > call.missing:
            raise NodeError(DATA_LOSS, "the node sent more of a payload than it had announced")
        first = len(call.payload) - call.missing
        call.missing -= length
        return memoryview(call.payload)[first:first + length]

    def _end(self, envelope: Any) -> None:
        kind = envelope.WhichOneof("kind")
        if kind in ("message", "chunk"):
            self._end_of_part(self._calls.get(envelope.call_id))
        elif kind == "status":
            call = self._calls.pop(envelope.call_id, None)
            if call is not None and envelope.status.code == 0:
                call.deliver("end", None, None)
            elif call is not None:
                call.deliver("failed", NodeError.of_status(envelope.status), None)
        elif kind == "ping":
            now = time.monotonic_ns()
            self._send(packet(messages.Envelope(pong=messages.Pong(ping_sent_ns=envelope.ping.sent_ns, received_ns=now, sent_ns=time.monotonic_ns()))))
        elif kind == "pong":
            deliver = self._pings.pop(envelope.pong.ping_sent_ns, None)
            if deliver is not None:
                deliver("message", envelope.pong, None)
        elif kind == "go_away":
            if envelope.go_away.code != 0:
                raise NodeError.of_status(envelope.go_away)
            self.is_draining = True
        elif kind == "hello" and self.hello is None:
            self.hello = envelope.hello
            self._greeted(self.hello)

    @staticmethod
    def _end_of_part(call: Call | None) -> None:
        if call is None or call.message is None or call.missing:
            return
        try:
            message = call.answer_type.FromString(call.message)
        except Exception as error:  # protobuf's DecodeError, of whichever runtime
            raise NodeError(DATA_LOSS, f"the node sent an answer that does not parse: {error}") from None
        payload, call.message, call.payload = call.payload, None, None
        call.deliver("message", message, payload)


def _boot_id() -> str:
    """Which boot CLOCK_MONOTONIC counts from; empty where that is not known."""
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            return file.read().strip()
    except OSError:
        return ""

