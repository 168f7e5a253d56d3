"""Connects to a host that has several addresses ("Happy Eyeballs", RFC 8305)."""

from __future__ import annotations

import errno
import itertools
import os
import selectors
import socket
import time
from typing import Any

DELAY_S = 0.25  # how long an address is waited for before the next one is tried beside it (RFC 8305's Connection Attempt Delay)


def first_reached(host: str, port: int, end: float) -> socket.socket:
    """A connection to the first of the host's addresses that answers; its socket does not block. Raises OSError: TimeoutError where an address has not
    answered by the moment `end`, otherwise why the first one was not reached."""
    untried = _alternating(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    failures: list[OSError] = []
    next_try = 0.0  # at once after an address has failed
    with selectors.DefaultSelector() as connecting:
        try:
            while untried or connecting.get_map():
                now = time.monotonic()
                if now >= end:
                    raise TimeoutError("timed out")
                if untried and now >= next_try:
                    next_try = now + DELAY_S
                    try:
                        attempt = _begun(untried.pop(0))
                        connecting.register(attempt, selectors.EVENT_WRITE, attempt)
                    except OSError as error:
                        failures.append(error)
                        next_try = 0.0
                    continue
                for key, _ in connecting.select((min(end, next_try) if untried else end) - now):
                    tried: socket.socket = key.data
                    connecting.unregister(tried)
                    number = tried.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                    if number == 0:
                        return tried
                    tried.close()
                    failures.append(OSError(number, os.strerror(number)))
                    next_try = 0.0
        finally:
            for key in connecting.get_map().values():
                key.data.close()
    raise failures[0]


def _begun(address: tuple[Any, ...]) -> socket.socket:
    """A socket that has begun to connect. Raises OSError."""
    family, kind, protocol, _, place = address
    attempt = socket.socket(family, kind, protocol)
    attempt.setblocking(False)
    number = attempt.connect_ex(place)
    if number in (0, errno.EINPROGRESS):
        return attempt
    attempt.close()
    raise OSError(number, os.strerror(number))


def _alternating(addresses: list[Any]) -> list[Any]:
    """With the two families in turn, beginning with the first one's: often all addresses of one family are out of reach."""
    same = [address for address in addresses if address[0] == addresses[0][0]]
    others = [address for address in addresses if address[0] != addresses[0][0]]
    return [address for pair in itertools.zip_longest(same, others) for address in pair if address is not None]
