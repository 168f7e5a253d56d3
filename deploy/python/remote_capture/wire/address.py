"""Where a node listens."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

DEFAULT_PORT = 7311
PACKAGED_SOCKET = "/run/capture-node/socket"  # of a node that root runs, or that Debian's package installs


@dataclass(frozen=True)
class Address:
    """Either a `path` of a Unix socket, or a `host` with a `port`."""

    host: str = ""
    port: int = DEFAULT_PORT
    path: str = ""

    @classmethod
    def parse(cls, text: str | None) -> Address:
        """Reads HOST:PORT, HOST, [IPV6]:PORT or unix:/PATH. Raises ValueError.

        None: this machine's node, at /run/capture-node/socket, or capture-node/socket in $XDG_RUNTIME_DIR if only that is there.
        """
        if text is None:
            folder = os.environ.get("XDG_RUNTIME_DIR", "")
            places = [PACKAGED_SOCKET] + [f"{folder}/capture-node/socket"] * folder.startswith("/")
            text = "unix:" + next(filter(os.path.exists, places), PACKAGED_SOCKET)

        def refuse(why: str) -> ValueError:
            return ValueError(f"{text!r} is no address: {why}. Write 127.0.0.1:7311, [::1]:7311, a.host.name:7311 or unix:/path")

        if "://" in text:
            raise refuse("a node speaks a protocol of its own and has no URL")
        if text.startswith("unix:"):
            path = text[5:]
            if not path or len(os.fsencode(path)) > 107:
                raise refuse("a Unix socket's path has 1 to 107 bytes")
            return cls(path=path)
        if text.startswith("["):
            host, bracket, rest = text[1:].partition("]")
            if not bracket or rest[:1] not in ("", ":"):
                raise refuse("']' is missing, or ':PORT' behind it")
            port = rest[1:] if rest else str(DEFAULT_PORT)
        elif text.count(":") > 1:
            raise refuse("put an IPv6 address into [ ]")
        else:
            host, colon, port = text.partition(":")
            port = port if colon else str(DEFAULT_PORT)
        if not host:
            raise refuse("the host is missing")
        if not port.isdecimal() or int(port) > 65535:
            raise refuse("a port is a number from 0 to 65535")
        return cls(host=host, port=int(port))

    @property
    def is_local(self) -> bool:
        """Whether nothing that goes there leaves this machine."""
        return bool(self.path) or self.host in ("localhost", "::1") or re.fullmatch(r"127(\.[0-9]{1,3}){3}", self.host) is not None

    def __str__(self) -> str:
        if self.path:
            return f"unix:{self.path}"
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"
