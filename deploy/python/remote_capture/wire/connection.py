"""A connection over a blocking socket. Any thread may call: the one that waits for an answer reads, and gives the others theirs."""

from __future__ import annotations

import collections
import grp
import os
import socket
import ssl
import struct
import threading
import time
from typing import Any, Generator

from ..errors import DEADLINE_EXCEEDED, UNAUTHENTICATED, NodeError, unreachable
from .address import Address
from .attempts import first_reached
from .calls import PATIENCE_S, Calls, Tokens
from .endpoint import Endpoint
from .tls import CHUNK, Channel, distrust, require_key

POLL_S = 1  # how often a connection is looked at that nobody reads, and how late a time limit may be noticed
GRACE_S = 1.0  # beside a call's own time, for the node to say itself that it is over


class Connection:
    """A connection with its handshake done."""

    def __init__(self, endpoint: Endpoint, timeout: float) -> None:
        """`timeout`, in seconds, is for connecting and for the node's Hello. Raises NodeError."""
        self._socket, self._tls, address = _first_connected(endpoint, timeout)
        self._cipher = memoryview(bytearray(CHUNK if self._tls else 0))
        # Held for all that touches `_calls`; notified when something came, and when nobody reads any more.
        self._news = threading.Condition()
        self._is_reading = False
        self._ended = threading.Event()
        greeting: collections.deque[Any] = collections.deque()
        self._calls = Calls(self._send_bytes, lambda hello: greeting.append(("message", hello, None)))
        try:
            self._send(self._calls.greet, endpoint.credential)
            self._wait(greeting, time.monotonic() + timeout, f"{address}: no node said hello within {timeout:g} s")
        except NodeError as error:
            self.close()
            raise unreachable(str(error.text)) if error.code == DEADLINE_EXCEEDED else error
        threading.Thread(target=self._look_after, name="remote-capture", daemon=True).start()

    @property
    def hello(self) -> Any:
        return self._calls.hello

    @property
    def is_usable(self) -> bool:
        return self._calls.failure is None and not self._calls.is_draining

    @property
    def is_over(self) -> bool:
        return self._calls.failure is not None

    def close(self) -> None:
        with self._news:
            self._fail(unreachable("the connection was closed"))
            try:
                self._socket.shutdown(socket.SHUT_RDWR)  # wakes who reads
            except OSError:
                pass
            while self._is_reading:
                self._news.wait()
            self._socket.close()

    def ping(self, timeout: float) -> float:
        """A round trip, in seconds."""
        news: collections.deque[Any] = collections.deque()
        start = time.perf_counter()
        self._send(self._calls.ping, lambda *item: news.append(item))
        self._wait(news, time.monotonic() + timeout, f"no answer to a ping within {timeout:g} s")
        return time.perf_counter() - start

    def unary(self, method: str, request: Any, answer_type: Any, timeout: float | None = None, lease: Tokens = None) -> Any:
        answer = None
        for answer, _ in self.stream(method, request, answer_type, 0, timeout, lease):
            pass
        return answer

    def stream(
        self, method: str, request: Any, answer_type: Any, window: int, timeout: float | None = None, lease: Tokens = None
    ) -> Generator[tuple[Any, bytearray], None, None]:
        """Answers with their payloads. Credit goes back as the next one is asked for. A loop that is left cancels the call."""
        news: collections.deque[Any] = collections.deque()
        end = None if timeout is None else time.monotonic() + timeout + GRACE_S
        late = f"{method}: no answer in time"
        body = request.SerializeToString()
        call = self._send(self._calls.open, method, body, answer_type, lambda *item: news.append(item), window, timeout, lease)
        try:
            while True:
                kind, value, payload = self._wait(news, end, late)
                if kind == "end":
                    return
                yield value, payload
                if window:
                    self._send(self._calls.grant, call)
        finally:
            try:
                self._send(self._calls.cancel, call)
            except NodeError:
                pass

    def _send(self, send: Any, *arguments: Any) -> Any:
        """Calls what sends on the socket. One that fails ends the connection. Raises NodeError."""
        with self._news:
            try:
                return send(*arguments)
            except OSError as error:
                raise self._fail(_lost(error)) from None

    def _send_bytes(self, data: bytes) -> None:
        self._socket.sendall(self._tls.encrypted(data) if self._tls else data)

    def _fail(self, error: NodeError) -> NodeError:
        self._calls.fail(error)
        self._ended.set()
        self._news.notify_all()
        return error

    def _wait(self, news: collections.deque[Any], end: float | None, late: str) -> Any:
        """The next item of `news`. Raises NodeError: a failed call's, or DEADLINE_EXCEEDED with the text `late`."""
        while True:
            with self._news:
                while not news and self._is_reading:
                    self._news.wait(None if end is None else max(0.0, end - time.monotonic()))
                    if not news and end is not None and time.monotonic() >= end:
                        raise NodeError(DEADLINE_EXCEEDED, late)
                if news:
                    break
                if end is not None and time.monotonic() >= end:
                    raise NodeError(DEADLINE_EXCEEDED, late)
                if self._calls.failure is not None:
                    raise self._calls.failure
                self._is_reading = True
            self._read()
        kind, value, payload = item = news.popleft()
        if kind == "failed":
            raise NodeError(value.code, value.text, value.details)
        return item

    def _read(self, flags: int = 0) -> bool:
        """Takes what has come; with nothing, waits a while for it. For whoever has set `_is_reading`. Whether there was something."""
        count, failure = -1, None
        try:
            count = self._socket.recv_into(self._cipher if self._tls else self._calls.buffer(), 0, flags)
            if count == 0:
                failure = unreachable("the node closed the connection")
        except (BlockingIOError, InterruptedError):
            pass
        except OSError as error:
            failure = _lost(error)
        except BaseException:  # Ctrl-C: nobody knows whether bytes were taken
            failure = unreachable("the connection was given up, since reading it was interrupted")
            raise
        finally:
            with self._news:
                self._is_reading = False
                try:
                    if failure is not None:
                        self._fail(failure)
                    elif count > 0 and self._tls:
                        self._decrypt(self._tls, count)
                    elif count > 0:
                        self._calls.received(count)
                    else:
                        self._calls.tick()
                except NodeError as error:
                    self._fail(error)
                except OSError as error:
                    self._fail(_lost(error))
                self._news.notify_all()
        return count > 0

    def _decrypt(self, tls: Channel, count: int) -> None:
        """Takes what has come, and is in `_cipher`. Raises NodeError where the connection is over, OSError where its TLS is broken."""
        tls.received(self._cipher[:count])
        while (plain := tls.read_into(self._calls.buffer())) is not None:
            if plain == 0:
                raise unreachable("the node closed the connection")
            self._calls.received(plain)
        answer = tls.pending()
        if answer:
            self._socket.sendall(answer)

    def _look_after(self) -> None:
        """Answers the node's pings while nobody reads."""
        while not self._ended.wait(POLL_S):
            more = True
            while more:
                with self._news:
                    if self._is_reading or self._calls.failure is not None:
                        break
                    self._is_reading = True
                more = self._read(socket.MSG_DONTWAIT)
        self.close()


def _lost(error: OSError) -> NodeError:
    return unreachable(f"the connection was lost: {error.strerror or error}")


def _first_connected(endpoint: Endpoint, timeout: float) -> tuple[socket.socket, Channel | None, Address]:
    """A connection to the first address that has the node. Raises NodeError: of a node with another key rather than of none."""
    failures = []
    for address in endpoint.addresses:
        try:
            connection = _connected(address, timeout / len(endpoint.addresses), endpoint)
            return (*connection, address)
        except NodeError as error:
            failures.append(error)
    raise next((error for error in failures if error.code == UNAUTHENTICATED), failures[0])


def _connected(address: Address, timeout: float, endpoint: Endpoint) -> tuple[socket.socket, Channel | None]:
    tls = None
    end = time.monotonic() + timeout
    try:
        if address.path:
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(timeout)
            try:
                connection.connect(address.path)
            except BaseException:
                connection.close()
                raise
        else:
            connection = first_reached(address.host, address.port, end)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if endpoint.is_encrypted:
            try:
                tls = _secured(connection, address, endpoint, end)
            except BaseException:
                connection.close()
                raise
    except OSError as error:
        raise unreachable(no_connection(address, error)) from None
    # The kernel's own timeouts: a socket of Python's with a timeout makes a system call more for each read.
    connection.settimeout(None)
    for option, seconds in ((socket.SO_RCVTIMEO, POLL_S), (socket.SO_SNDTIMEO, int(PATIENCE_S))):
        connection.setsockopt(socket.SOL_SOCKET, option, struct.pack("@ll", seconds, 0))
    return connection, tls


def _secured(connection: socket.socket, address: Address, endpoint: Endpoint, end: float) -> Channel:
    """Shakes hands by the moment `end`, however often something comes meanwhile. Raises OSError, and NodeError for another node."""
    tls = Channel(endpoint.authority)
    while not _shakes_hands(tls, address):
        left = end - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        connection.settimeout(left)
        connection.sendall(tls.pending())
        came = connection.recv(CHUNK)
        if not came:
            raise ConnectionResetError(0, "whoever listens there closed the connection before it was encrypted")
        tls.received(came)
    if endpoint.key is not None:
        require_key(tls.certificate, endpoint.key, address)
    connection.sendall(tls.pending())
    return tls


def _shakes_hands(tls: Channel, address: Address) -> bool:
    try:
        return tls.shake_hands()
    except ssl.SSLCertVerificationError as error:
        raise distrust(error, address) from None


def no_connection(address: Address, error: OSError) -> str:
    """What a person may do about it."""
    reason = error.strerror or str(error) or type(error).__name__
    if isinstance(error, ssl.SSLError):
        return f"{address}: what listens there does not speak TLS 1.3 as a node does: {reason}"
    if address.path and isinstance(error, PermissionError):
        return f"{address}: {reason}{_permission_advice(address.path)}"
    if isinstance(error, (ConnectionRefusedError, FileNotFoundError)):
        return f"{address}: {reason}. Is capture-node running there?"
    return f"{address}: {reason}"


def _permission_advice(path: str) -> str:
    """What a user does who may not open this Unix socket, to be added to a text; empty where nobody can tell."""
    try:
        status = os.stat(path)
        # Members of root's group may do more than use cameras, so nobody is advised to join it.
        if status.st_mode & 0o060 == 0o060 and status.st_gid != 0:
            group = grp.getgrgid(status.st_gid).gr_name
            return f"; members of the group '{group}' may: sudo usermod -aG {group} $USER, then log in again"
    except OSError:
        return ""
    except KeyError:  # the group has no name
        pass
    return "; root and the node's own user may: use sudo"
