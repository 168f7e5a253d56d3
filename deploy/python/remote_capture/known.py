"""The nodes that this user has paired with, in the files that `capturectl` has too."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterator

from .wire.address import Address
from .wire.endpoint import Endpoint
from .wire.tls import Authority

# What ends in ".pending" would have the file of another node with which pairing has begun.
_NAME = re.compile(r"(?![.-])[A-Za-z0-9._-]{1,63}(?<!\.pending)\Z")


class KnownNodeError(Exception):
    """What is known of a node cannot be used: there is no such node, its file is damaged, others can read it, or it cannot be written."""


@dataclass(frozen=True)
class KnownNode:
    """A node as this machine knows it: `addresses` with a `port`, its `key` and this machine's `secret` in hexadecimal; or in place of the key the certificates
    of a CA in PEM (`authority`) and the name that its own has (`server_name`)."""

    name: str
    addresses: tuple[str, ...]
    port: int
    key: str | None
    secret: str | None = field(default=None, repr=False)
    client: str | None = None  # what the node calls this machine
    authority: str | None = field(default=None, repr=False)
    server_name: str | None = None

    @classmethod
    def load(cls, name: str, folder: str | os.PathLike[str] | None = None) -> KnownNode:
        """The node that was paired by this name. Raises KnownNodeError."""
        found = read(Path(folder or usual_folder()), name)
        if found is None:
            names = known_names(folder)
            raise KnownNodeError(f"no node is known as {name!r}; there are: {', '.join(names) or 'none'}")
        return found[0]

    @property
    def endpoint(self) -> Endpoint:
        authority = None if self.authority is None or self.server_name is None else Authority(self.authority, self.server_name)
        if (self.key is None) == (authority is None):
            raise ValueError("neither a key nor a CA tells the node")
        return Endpoint.of(tuple(Address(host=host, port=self.port) for host in self.addresses), self.key, self.secret, authority)


def endpoint_of(
    address: str | KnownNode | None, key: str | bytes | None, credential: str | bytes | None, ca: str | os.PathLike[str] | None
) -> Endpoint:
    """What `connect` was given. A credential in place of a known node's own is one for many nodes."""
    if address is None:
        address = _usual_node()
    if not isinstance(address, KnownNode):
        where = Address.parse(address)
        return Endpoint.of((where,), key, credential, None if ca is None else Authority(Path(ca).read_text(), where.host))
    if key is not None or ca is not None:
        raise ValueError(f"{address.name!r} is known already")
    known = address.endpoint
    return Endpoint.of(known.addresses, address.key, address.secret if credential is None else credential, known.authority)


def _usual_node() -> KnownNode | str | None:
    """The node of $CAPTURE_NODE: as for `capturectl`, one that is known by that name, else an address. None: this machine's. Raises KnownNodeError."""
    text = os.environ.get("CAPTURE_NODE") or None
    found = None if text is None else read(usual_folder(), text)
    return text if found is None else found[0]


def known_names(folder: str | os.PathLike[str] | None = None) -> list[str]:
    """The names of the nodes that this user has paired with."""
    files = Path(folder or usual_folder()).glob("*.json")
    return sorted(file.name[:-5] for file in files if _NAME.match(file.name[:-5]))


def usual_folder() -> Path:
    home = os.environ.get("XDG_CONFIG_HOME", "")
    return Path(home if home.startswith("/") else Path.home() / ".config", "remote-capture/nodes")


def require_name(name: str) -> None:
    if not _NAME.match(name):
        raise ValueError(f"{name!r} is no name for a node: 1 to 63 letters, digits, '.', '_' and '-', without '.' or '-' at the beginning and without '.pending' at the end")


def read(folder: Path, name: str, ending: str = ".json") -> tuple[KnownNode, dict[str, Any]] | None:
    """A node with all that its file has; None: there is none. Raises KnownNodeError."""
    if not _NAME.match(name):
        return None
    path = folder / (name + ending)
    try:
        if path.stat().st_mode & 0o077:
            raise KnownNodeError(
                f"{path} has a secret, and others can read it. If nobody has, chmod 600 it; otherwise have the node's administrator revoke this client, and pair again")
        kept = json.loads(path.read_text())
        node = KnownNode(name, tuple(kept["addresses"]), int(kept["port"]), kept.get("key"), kept.get("secret"), kept.get("client"), kept.get("authority"), kept.get("serverName"))
        node.endpoint
        return node, kept
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise KnownNodeError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise KnownNodeError(f"{path} is damaged; remove it, and pair again") from None


def write(folder: Path, node: KnownNode, code_sha256: str | None = None) -> None:
    """Writes a node's file whole, which only this user can read. With the hash of a code it is one with which pairing has begun."""
    path = folder / (node.name + (".pending.json" if code_sha256 else ".json"))
    kept = dict(addresses=list(node.addresses), port=node.port, key=node.key, secret=node.secret, client=node.client, codeSHA256=code_sha256, authority=node.authority, serverName=node.server_name)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump({key: value for key, value in kept.items() if value is not None}, file, indent=2, sort_keys=True)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, path)
        if not code_sha256:
            (folder / f"{node.name}.pending.json").unlink(missing_ok=True)
    except OSError as error:
        raise KnownNodeError(f"{path} cannot be written: {error.strerror}") from None


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """While no other process changes these files. Makes the folder. Raises KnownNodeError."""
    try:
        before = os.umask(0o077)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        finally:
            os.umask(before)
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise KnownNodeError(f"{folder} cannot be written: {error.strerror}") from None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise KnownNodeError("another program is changing what is known of nodes just now; try again when it is done") from None
        yield
    finally:
        os.close(lock)
