"""What a connection needs to know of a node: where it is, its key, and what this client proves itself with."""

from __future__ import annotations

from dataclasses import dataclass, field

from .address import Address
from .tls import Authority

PLAINTEXT = "plaintext "  # how a credential begins that is for listeners without TLS alone


@dataclass(frozen=True)
class Endpoint:
    """A node's addresses, to be tried in this order; with a `key` or an `authority`, over TLS."""

    addresses: tuple[Address, ...]
    key: bytes | None = None
    credential: bytes = field(default=b"", repr=False)
    authority: Authority | None = None

    @classmethod
    def of(
        cls, addresses: tuple[Address, ...], key: str | bytes | None, credential: str | bytes | None, authority: Authority | None = None
    ) -> Endpoint:
        """Raises ValueError for a key or a credential that is none, and for a credential that would go where others can read it."""
        pin = None if key is None else _bytes(key, "the node's key", "'capture-node fingerprint' prints it")
        if pin is not None and authority is not None:
            raise ValueError("a node is known by its key or by a CA, not by both")
        is_known = pin is not None or authority is not None
        if is_known and any(address.path for address in addresses):
            raise ValueError("a Unix socket has no key: whoever may open it may use it")
        if credential is None:
            return cls(addresses, pin, authority=authority)
        is_for_plaintext = isinstance(credential, str) and credential.startswith(PLAINTEXT)
        if isinstance(credential, str):
            credential = credential[len(PLAINTEXT) * is_for_plaintext:].strip()
        secret = _bytes(credential, "the credential", "'capturectl pair' and 'capturectl credential new' make one")
        if is_for_plaintext and is_known:
            raise ValueError("the node has a known key or CA: nothing goes there in the clear, but the credential is for plaintext alone")
        if not is_known and not is_for_plaintext and not all(address.is_local for address in addresses):
            raise ValueError("a credential goes only to a node whose key or CA is known: give that too")
        return cls(addresses, pin, secret, authority)

    @property
    def is_encrypted(self) -> bool:
        return self.key is not None or self.authority is not None


def _bytes(value: str | bytes, what: str, source: str) -> bytes:
    """32 bytes, or their 64 hexadecimal digits. No error repeats the value."""
    try:
        found = bytes.fromhex(value) if isinstance(value, str) else bytes(value)
    except ValueError:
        found = b""
    if len(found) != 32:
        raise ValueError(f"{what} has to be 32 bytes, or 64 hexadecimal digits: {source}")
    return found
