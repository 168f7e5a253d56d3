"""TLS 1.3 between buffers. A node is known by its public key, whatever its certificate says, or by a certificate of a CA with its name."""

from __future__ import annotations

import hashlib
import ssl
import time
from dataclasses import dataclass
from typing import Any

from .. import messages
from ..errors import UNAUTHENTICATED, NodeError

SERVER_NAME = "node.remote-capture.invalid"  # in every node's certificate
CHUNK = 1 << 16


@dataclass(frozen=True)
class Authority:
    """The certificates of a CA, in PEM, and the name that the node's own has to have: a host's, or an IP address."""

    pem: str
    name: str

    def __post_init__(self) -> None:
        try:
            context(self)
        except (ssl.SSLError, ValueError):
            raise ValueError("a CA's file has certificates in PEM (BEGIN CERTIFICATE), and this one has none that can be read") from None


def context(authority: Authority | None = None) -> ssl.SSLContext:
    if authority is not None:
        made = ssl.create_default_context(cadata=authority.pem)
        made.minimum_version = ssl.TLSVersion.TLSv1_3
        return made
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_3
    made.check_hostname = False
    made.verify_mode = ssl.CERT_NONE  # `require_key` compares the key in place of that, before anything is sent
    return made


def distrust(error: ssl.SSLCertVerificationError, place: Any) -> NodeError:
    """The error for a node whose certificate is not the one that it has to have."""
    clock = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
    return NodeError(
        UNAUTHENTICATED, f"{place} is not taken for the node: {error.verify_message.rstrip('.')}; this machine's clock says {clock}. Nothing was sent to it",
        messages.ErrorDetails(reason=messages.ERROR_REASON_NODE_CHANGED))


def require_key(certificate: bytes | None, key: bytes, place: Any) -> None:
    """Raises NodeError where the certificate, in DER, has another public key than the node's, or is none that can be read with certainty."""
    try:
        found = hashlib.sha256(_public_key(certificate or b"")).digest()
    except ValueError:
        found = b""
    if found != key:
        raise NodeError(
            UNAUTHENTICATED, f"{place}: the node there has another key than the one that is known. Nothing was sent to it",
            messages.ErrorDetails(reason=messages.ERROR_REASON_NODE_CHANGED))


SEQUENCE, INTEGER, VERSION = 0x30, 0x02, 0xA0


def _element(der: bytes, at: int, end: int, tag: int) -> tuple[int, int]:
    """Where the contents of the element at a place begin, and where they end. Raises ValueError unless it has that tag, a length as DER has it, and ends
    before its parent does. OpenSSL takes more than DER: whatever could be read in two ways must not be read at all, or another key is taken for the node's."""
    if end - at < 2 or der[at] != tag:
        raise ValueError(f"no element {tag:#x} at {at}")
    length, start = der[at + 1], at + 2
    if length & 0x80:
        count = length & 0x7F
        if not 1 <= count <= 4 or end - start < count or der[start] == 0:
            raise ValueError(f"the length at {at} is not DER's")
        length, start = int.from_bytes(der[start:start + count], "big"), start + count
        if length < 0x80:
            raise ValueError(f"the length at {at} is not the shortest")
    if length > end - start:
        raise ValueError(f"the element at {at} is longer than what it is in")
    return start, start + length


def _public_key(certificate: bytes) -> bytes:
    """The SubjectPublicKeyInfo of an X.509 certificate (RFC 5280), with its own head: what a node's key is the SHA-256 of."""
    at, whole = _element(certificate, 0, len(certificate), SEQUENCE)
    if whole != len(certificate):
        raise ValueError("something follows the certificate")
    at, end = _element(certificate, at, whole, SEQUENCE)
    if certificate[at:at + 1] == bytes([VERSION]):
        _, at = _element(certificate, at, end, VERSION)
    # Its serial number, signature, issuer, validity and subject.
    for tag in (INTEGER, SEQUENCE, SEQUENCE, SEQUENCE, SEQUENCE):
        _, at = _element(certificate, at, end, tag)
    return certificate[at:_element(certificate, at, end, SEQUENCE)[1]]


class Channel:
    """One end of a TLS connection. It does no I/O: `received` takes what came from the node, `pending` gives what is to go there.

    Python's own sockets with TLS may not be read by one thread while another writes.
    """

    def __init__(self, authority: Authority | None = None) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context(authority).wrap_bio(
            self._incoming, self._outgoing, server_hostname=authority.name if authority else SERVER_NAME)

    def shake_hands(self) -> bool:
        """Whether the handshake is done; else more has to come. Raises ssl.SSLError."""
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            return False
        return True

    @property
    def certificate(self) -> bytes | None:
        """The node's, in DER."""
        return self._tls.getpeercert(binary_form=True)

    def received(self, data: memoryview | bytes) -> None:
        self._incoming.write(data)

    def pending(self) -> bytes:
        return self._outgoing.read()

    def encrypted(self, data: bytes) -> bytes:
        view = memoryview(data)
        while view:
            view = view[self._tls.write(view):]
        return self.pending()

    def read_into(self, buffer: memoryview) -> int | None:
        """How many bytes of the node's text are in the buffer now; None: more has to come; 0: the node has closed. Raises ssl.SSLError."""
        try:
            return self._tls.read(len(buffer), buffer)  # type: ignore[return-value]
        except ssl.SSLWantReadError:
            return None
        except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
            return 0
