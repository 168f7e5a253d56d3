"""A connection on an asyncio loop. It has no thread of its own: fifty connections in one task group share the loop's."""

from __future__ import annotations

import asyncio
import collections
import socket
import ssl
from typing import Any, AsyncGenerator

from ..errors import DEADLINE_EXCEEDED, UNAUTHENTICATED, NodeError, unreachable
from .address import Address
from .attempts import DELAY_S
from .calls import Calls, Tokens
from .connection import GRACE_S, no_connection
from .endpoint import Endpoint
from .tls import SERVER_NAME, context, distrust, require_key


class Mailbox:
    """What has come for one call."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._news: collections.deque[tuple[str, Any, Any]] = collections.deque()
        self._waiter: asyncio.Future[None] | None = None

    def put(self, kind: str, value: Any, payload: Any) -> None:
        self._news.append((kind, value, payload))
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def get(self) -> tuple[str, Any, Any]:
        while not self._news:
            self._waiter = self._loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        return self._news.popleft()


class Connection(asyncio.BufferedProtocol):
    """A connection; `Connection.open` returns one with its handshake done."""

    def __init__(self, address: Address, endpoint: Endpoint) -> None:
        self._address, self._endpoint = address, endpoint
        self._loop = asyncio.get_running_loop()
        self._transport: Any = None
        self._watch: asyncio.TimerHandle | None = None
        self._greeting: asyncio.Future[Any] = self._loop.create_future()
        self._calls = Calls(self._write, self._greeted)

    @classmethod
    async def open(cls, endpoint: Endpoint, timeout: float) -> Connection:
        """`timeout`, in seconds, is for connecting and for the node's Hello. Raises NodeError: of a node with another key rather than of none."""
        failures = []
        for address in endpoint.addresses:
            try:
                return await cls._open(address, endpoint, timeout / len(endpoint.addresses))
            except NodeError as error:
                failures.append(error)
        raise next((error for error in failures if error.code == UNAUTHENTICATED), failures[0])

    @classmethod
    async def _open(cls, address: Address, endpoint: Endpoint, timeout: float) -> Connection:
        loop = asyncio.get_running_loop()

        def made() -> Connection:
            return cls(address, endpoint)

        # asyncio's own loops try a host's addresses beside each other (RFC 8305); others, as uvloop's, do not know the option.
        beside: dict[str, Any] = {"happy_eyeballs_delay": DELAY_S} if isinstance(loop, asyncio.BaseEventLoop) else {}
        try:
            if address.path:
                connecting = loop.create_unix_connection(made, address.path)
            elif endpoint.is_encrypted:
                name = endpoint.authority.name if endpoint.authority else SERVER_NAME
                connecting = loop.create_connection(made, address.host, address.port, ssl=context(endpoint.authority), server_hostname=name, **beside)
            else:
                connecting = loop.create_connection(made, address.host, address.port, **beside)
            _, connection = await asyncio.wait_for(connecting, timeout)
        except asyncio.TimeoutError:
            raise unreachable(f"{address}: no connection within {timeout:g} s") from None
        except ssl.SSLCertVerificationError as error:
            raise distrust(error, address) from None
        except OSError as error:
            raise unreachable(no_connection(address, error)) from None
        try:
            await asyncio.wait_for(asyncio.shield(connection._greeting), timeout)
        except asyncio.TimeoutError:
            connection.close()
            raise unreachable(f"{address}: no node said hello within {timeout:g} s") from None
        except BaseException:
            connection.close()
            raise
        return connection

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
        self._end(unreachable("the connection was closed"))

    async def ping(self, timeout: float) -> float:
        """A round trip, in seconds."""
        mailbox = Mailbox(self._loop)
        start = self._loop.time()
        self._calls.ping(mailbox.put)
        try:
            kind, error, _ = await asyncio.wait_for(mailbox.get(), timeout)
        except asyncio.TimeoutError:
            raise NodeError(DEADLINE_EXCEEDED, f"no answer to a ping within {timeout:g} s") from None
        if kind == "failed":
            raise NodeError(error.code, error.text, error.details)
        return self._loop.time() - start

    async def unary(self, method: str, request: Any, answer_type: Any, timeout: float | None = None, lease: Tokens = None) -> Any:
        answer = None
        async for answer, _ in self.stream(method, request, answer_type, 0, timeout, lease):
            pass
        return answer

    async def stream(
        self, method: str, request: Any, answer_type: Any, window: int, timeout: float | None = None, lease: Tokens = None
    ) -> AsyncGenerator[tuple[Any, bytearray], None]:
        """Answers with their payloads. Credit goes back as the next one is asked for. A loop that is left cancels the call."""
        mailbox = Mailbox(self._loop)
        end = None if timeout is None else self._loop.time() + timeout + GRACE_S
        call = self._calls.open(method, request.SerializeToString(), answer_type, mailbox.put, window, timeout, lease)
        try:
            while True:
                try:
                    news = mailbox.get()
                    kind, value, payload = await (news if end is None else asyncio.wait_for(news, max(0.0, end - self._loop.time())))
                except asyncio.TimeoutError:
                    raise NodeError(DEADLINE_EXCEEDED, f"{method}: no answer within {timeout:g} s") from None
                if kind == "end":
                    return
                if kind == "failed":
                    raise NodeError(value.code, value.text, value.details)
                yield value, payload
                if window:
                    self._calls.grant(call)
        finally:
            self._calls.cancel(call)

    # asyncio.BufferedProtocol

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        if not self._address.path:
            transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._endpoint.key is not None:
            try:
                require_key(transport.get_extra_info("ssl_object").getpeercert(binary_form=True), self._endpoint.key, self._address)
            except NodeError as error:
                return self._end(error)
        self._calls.greet(self._endpoint.credential)
        self._look_after()

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._calls.buffer()

    def buffer_updated(self, nbytes: int) -> None:
        try:
            self._calls.received(nbytes)
        except NodeError as error:
            self._end(error)

    def connection_lost(self, error: Exception | None) -> None:
        self._end(unreachable(f"the connection was lost: {error}" if error else "the node closed the connection"))

    def _write(self, data: bytes) -> None:
        self._transport.write(data)

    def _greeted(self, hello: Any) -> None:
        if not self._greeting.done():
            self._greeting.set_result(hello)

    def _look_after(self) -> None:
        try:
            self._watch = self._loop.call_later(self._calls.tick(), self._look_after)
        except NodeError as error:
            self._end(error)

    def _end(self, error: NodeError) -> None:
        self._calls.fail(error)
        if self._watch is not None:
            self._watch.cancel()
        if not self._greeting.done():
            self._greeting.set_exception(error)
            self._greeting.exception()  # whoever waits gets it; nobody else is told
        if self._transport is not None:
            self._transport.abort()
