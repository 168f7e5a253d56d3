"""Makes this machine a client of a node, with the line that `capture-node pair` has printed there."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import secrets
from dataclasses import dataclass, replace
from pathlib import Path

from . import messages
from .known import KnownNode, KnownNodeError, locked, read, require_name, usual_folder, write
from .wire.connection import Connection

_LINE = re.compile(r"capture-pair/([A-Za-z0-9._-]{1,63})/([0-9A-Fa-f:.]{2,45}(?:,[0-9A-Fa-f:.]{2,45}){0,3})/([0-9]{1,5})/([0-9A-Fa-f]{64})/([0-9A-Fa-f]{32})\Z")


@dataclass(frozen=True)
class PairingLine:
    """What such a line has. `code` is a secret."""

    host: str
    addresses: tuple[str, ...]
    port: int
    key: str
    code: bytes

    @classmethod
    def parse(cls, text: str) -> PairingLine:
        """Raises ValueError, which never repeats the line."""
        match = _LINE.match(text.strip())
        if match is None or not 0 < int(match[3]) < 65536:
            raise ValueError("this is no pairing line: copy the whole line that 'sudo capture-node pair' has printed, once")
        return cls(match[1], tuple(match[2].split(",")), int(match[3]), match[4].lower(), bytes.fromhex(match[5]))


def pair(line: str, name: str | None = None, *, timeout: float = 10.0, folder: str | os.PathLike[str] | None = None) -> KnownNode:
    """Pairs with a node, and keeps what is known of it for `connect(KnownNode.load(name))` and for `capturectl --node NAME`.

    `name` is what the node is called here; None: its host name. `folder` is where it is kept; None: where `capturectl` does. The secret is written down
    before it is sent: after a failure the same line goes on with the same secret. Raises ValueError for a line or name that is none, KnownNodeError where nothing
    can be kept or another node has the name, and NodeError: UNAUTHENTICATED for a code that is unknown, expired or used, and where no address shows the
    node's key; UNAVAILABLE where nothing answers.
    """
    parsed, place = PairingLine.parse(line), Path(folder or usual_folder())
    name = parsed.host if name is None else name
    require_name(name)
    with locked(place):
        node = _begun(parsed, name, place)
        connection = Connection(replace(node.endpoint, credential=b""), timeout)
        try:
            request = messages.PairRequest(
                code=parsed.code, secret_sha256=hashlib.sha256(bytes.fromhex(node.secret or "")).digest(), name=platform.node().partition(".")[0])
            answer = connection.unary("capture.v1.Access/Pair", request, messages.PairResponse, timeout)
        finally:
            connection.close()
        node = replace(node, client=answer.client)
        write(place, node)
        return node


def _begun(line: PairingLine, name: str, folder: Path) -> KnownNode:
    """The node as it is written down before anything is sent; what has begun with the same line goes on."""
    other = read(folder, name)
    if other is not None and other[0].key != line.key:
        raise KnownNodeError(
            f"another node is known as {name!r}, and this one has another key. If that node was set up anew, remove {folder / name}.json and pair again; "
            "otherwise give this one another name")
    code = hashlib.sha256(line.code).hexdigest()
    try:
        begun = read(folder, name, ".pending.json")
    except KnownNodeError:
        begun = None
    if begun is not None and begun[0].key == line.key and begun[1].get("codeSHA256") == code and begun[0].secret:
        return begun[0]
    node = KnownNode(name, line.addresses, line.port, line.key, secrets.token_hex(32))
    write(folder, node, code)
    return node
