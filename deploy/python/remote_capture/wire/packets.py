"""Packets: cut from bytes as they come, and made to be sent."""

from __future__ import annotations

import struct
from typing import Any, Callable

from .. import messages
from ..errors import DATA_LOSS, NodeError

PREFIX = struct.Struct(">II")  # envelope length, chunk length
MAX_ENVELOPE_BYTES = 4 << 20
MAX_CHUNK_BYTES = 256 << 10
# What is read at once in front of a payload: long enough for most answers, short enough that little of a frame passes through it.
HEAD_BYTES = 4096

Sink = Callable[[Any, int], "memoryview | None"]


def packet(envelope: messages.Envelope) -> bytes:
    body = envelope.SerializeToString()
    return PREFIX.pack(len(body), 0) + body


class PacketReader:
    """Bytes in, packets out. It says itself where the next bytes belong, so that a payload is read to its place.

    `begin` is called with an envelope and the length of its chunk, and returns the memory for the chunk, or None to drop it. `end` is called with the
    envelope once the chunk is whole.
    """

    def __init__(self, begin: Sink, end: Callable[[Any], None]) -> None:
        self._begin, self._end_packet = begin, end
        self._head = bytearray(HEAD_BYTES)
        self._start = self._stop = 0
        self._envelope: Any = None
        self._chunk: memoryview | None = None  # what of the chunk is still to come
        self._skipped = 0  # bytes to come of a chunk that nobody wants

    def buffer(self) -> memoryview:
        """Where the next bytes are to be read into; `received` says how many there were."""
        if self._envelope is not None and self._chunk is not None:
            return self._chunk
        if self._start == self._stop:
            self._start = self._stop = 0
        elif self._stop == len(self._head):
            self._make_room(self._needed())
        return memoryview(self._head)[self._stop:]

    def received(self, count: int) -> None:
        """Raises NodeError for a packet past the limits, or one that does not parse."""
        if self._envelope is not None and self._chunk is not None:
            self._chunk = self._chunk[count:]
            if not self._chunk:
                self._finish()
            return
        self._stop += count
        while self._step():
            pass

    def _step(self) -> bool:
        """Takes what it can out of the head; whether there may be more."""
        if self._envelope is None:
            return self._take_envelope()
        available = self._stop - self._start
        if self._chunk is not None:
            taken = min(available, len(self._chunk))
            self._chunk[:taken] = memoryview(self._head)[self._start:self._start + taken]
            self._chunk = self._chunk[taken:]
            self._start += taken
            if self._chunk:
                return False
        else:
            taken = min(available, self._skipped)
            self._skipped -= taken
            self._start += taken
            if self._skipped:
                return False
        self._finish()
        return True

    def _take_envelope(self) -> bool:
        if self._stop - self._start < PREFIX.size:
            return False
        length, chunk_length = PREFIX.unpack_from(self._head, self._start)
        if length > MAX_ENVELOPE_BYTES or chunk_length > MAX_CHUNK_BYTES:
            raise NodeError(DATA_LOSS, f"the node sent a packet past the limits: {length} and {chunk_length} bytes")
        if self._stop - self._start < PREFIX.size + length:
            return False
        first = self._start + PREFIX.size
        try:
            envelope = messages.Envelope.FromString(bytes(memoryview(self._head)[first:first + length]))
        except Exception as error:  # protobuf's DecodeError, of whichever runtime
            raise NodeError(DATA_LOSS, f"the node sent an envelope that does not parse: {error}") from None
        self._start = first + length
        self._envelope = envelope
        self._chunk = self._begin(envelope, chunk_length)
        self._skipped = chunk_length if self._chunk is None else 0
        return True

    def _finish(self) -> None:
        envelope, self._envelope, self._chunk = self._envelope, None, None
        self._end_packet(envelope)

    def _needed(self) -> int:
        """How long the head has to be for the packet that it begins with."""
        if self._envelope is None and self._stop - self._start >= PREFIX.size:
            return PREFIX.size + int(PREFIX.unpack_from(self._head, self._start)[0])
        return HEAD_BYTES

    def _make_room(self, needed: int) -> None:
        kept = self._head[self._start:self._stop]
        self._head = bytearray(max(HEAD_BYTES, needed))
        self._head[:len(kept)] = kept
        self._start, self._stop = 0, len(kept)
