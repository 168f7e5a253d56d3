"""What a connection needs to know of a node: where it is, its key, and what this client proves itself with."""

from __future__ import annotations

from dataclasses import dataclass, field

from .address import Address

PLAINTEXT = "plaintext "  # how a credential begins that is for listeners without TLS alone


@dataclass(frozen=True)
class Endpoint:
    """A node's addresses, to be tried in this order; with a `key`, over TLS."""

    addresses: tuple[Address, ...]
    key: bytes | None = None
    credential: bytes = field(default=b"", repr=False)

    @classmethod
    def of(cls, addresses: tuple[Address, ...], key: str | bytes | None, credential: str | bytes | None) -> Endpoint:
        """Raises ValueError for a key or a credential that is none, and for a credential that would go where others can read it."""
        pin = None if key is None else _bytes(key, "the node's key", "'capture-node fingerprint' prints it")
        if pin is not None and any(address.path for address in addresses):
            raise ValueError("a Unix socket has no key: whoever may open it may use it")
        if credential is None:
            return cls(addresses, pin)
        is_for_plaintext = isinstance(credential, str) and credential.startswith(PLAINTEXT)
        if isinstance(credential, str):
            credential = credential[len(PLAINTEXT) * is_for_plaintext:].strip()
        secret = _bytes(credential, "the credential", "'capturectl pair' and 'capturectl credential new' make one")
        if is_for_plaintext and pin is not None:
            raise ValueError("the credential is for plaintext alone, and the node's key is known: nothing goes there in the clear")
        if pin is None and not is_for_plaintext and not all(address.is_local for address in addresses):
            raise ValueError("a credential goes only to a node whose key is known: give that too")
        return cls(addresses, pin, secret)


def _bytes(value: str | bytes, what: str, source: str) -> bytes:
    """32 bytes, or their 64 hexadecimal digits. No error repeats the value."""
    try:
        found = bytes.fromhex(value) if isinstance(value, str) else bytes(value)
    except ValueError:
        found = b""
    if len(found) != 32:
        raise ValueError(f"{what} has to be 32 bytes, or 64 hexadecimal digits: {source}")
    return found
