"""Hostile strangers of fifty addresses, in a process that the machine's others go before: `stranger.py ATTACK ADDRESS SOURCE…`.

Until its input is closed, each source goes on with one thing, on as many connections as it may have: secrets that nobody knows, codes that were never given,
handshakes that are half done or left once the node has signed, records of one byte and without content, new keys. Prints "ready" once it has begun, and at its
end how many connections ended how, and how much they sent of what it is about."""

import collections
import contextlib
import ctypes
import hmac
import json
import os
import re
import select
import secrets
import socket
import ssl
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "WireSpec"))
from wire import Wire, packet, pb  # noqa: E402

# The most of an address that may be there at once.
EACH = 8
# How connections ended, and what they sent before that. Threads add to the second without a lock: some may be missing.
counts, done = collections.Counter(), collections.Counter()
# Connections that would go on are so many of an address that all fit into the node's pool; others push each other out of it.
LASTING = {"bytewise", "empty", "keys"}
# What begins a record of a handshake, and says that more comes.
HALF = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200)


def to(address):
    host, port = address.rsplit(":", 1)
    return host, int(port)


def end(wire):
    """How the node ended it."""
    try:
        while (received := wire.receive(within=6)) is not None:
            envelope, _ = received
            if envelope.WhichOneof("kind") in ("go_away", "status"):
                return str(getattr(envelope, envelope.WhichOneof("kind")).code)
        return "closed"
    finally:
        wire.socket.close()


def secret(address, source):
    wire = Wire(address, source)
    wire.raw(packet(hello=pb.Hello(version=1, credential=secrets.token_bytes(32))))
    return end(wire)


def code(address, source):
    wire = Wire(address, source)
    request = pb.PairRequest(code=secrets.token_bytes(16), secret_sha256=secrets.token_bytes(32), name="x")
    opening = pb.Request(method="capture.v1.Access/Pair", body=request.SerializeToString(), last=True, credit=1)
    wire.raw(packet(hello=pb.Hello(version=1)) + packet(call_id=1, request=opening))
    return end(wire)


def handshake(address, source):
    with socket.create_connection(to(address), 10, (source, 0)) as one:
        one.sendall(HALF)
        return "closed" if one.recv(1) == b"" else "told"


def client_hello():
    """What a client's handshake begins with, as Python's TLS makes it. Without tickets and early data a node takes it again and again."""
    context, sent = ssl.create_default_context(), ssl.MemoryBIO()
    try:
        context.wrap_bio(ssl.MemoryBIO(), sent, server_hostname="node.remote-capture.invalid").do_handshake()
    except ssl.SSLWantReadError:
        return sent.read()


HELLO = client_hello()


def hello(address, source):
    """Has the node sign, and leaves."""
    with socket.create_connection(to(address), 10, (source, 0)) as one:
        one.sendall(HELLO)
        return "signed" if len(one.recv(4096)) > 500 else "told"


def bytewise(address, source):
    wire = Wire(address, source)
    try:
        while True:
            wire.socket.send(b"\0")
            done["records"] += 1
    except OSError:
        return "closed"
    finally:
        wire.socket.close()


@contextlib.contextmanager
def opened(address, source):
    """A connection that Python's TLS has opened, what its suite is, and the secret of what is sent on it: its records are made here."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with tempfile.NamedTemporaryFile() as log:
        context.keylog_filename = log.name
        plain = socket.create_connection(to(address), 10, (source, 0))
        with context.wrap_socket(plain) as wrapped:
            (secret,) = re.findall(r"CLIENT_TRAFFIC_SECRET_0 \w+ (\w+)", Path(log.name).read_text())
            with socket.socket(fileno=os.dup(wrapped.fileno())) as bare:
                bare.settimeout(10)
                yield bare, wrapped.cipher()[0], bytes.fromhex(secret)


def empty(address, source):
    """No TLS library writes records without content, which are legal."""
    with opened(address, source) as (bare, suite, secret):
        seal, number = sealer(suite, secret), 0
        try:
            while True:
                bare.sendall(b"".join(seal(at) for at in range(number, number + 64)))
                number += 64
                done["records"] += 64
        except OSError:
            return "closed"


def expanded(secret, label, length):
    """HKDF-Expand-Label with SHA-256 (RFC 8446, 7.1)."""
    return hmac.digest(secret, length.to_bytes(2, "big") + bytes([6 + len(label)]) + b"tls13 " + label + b"\0\1", "sha256")[:length]


def sealer(suite, secret):
    """Makes a client's records of an open connection, by their numbers, without content unless they are given some (RFC 8446, 5.2 and 7.3)."""
    crypto = ctypes.CDLL("libcrypto.so.3")
    for function in "EVP_CIPHER_CTX_new", "EVP_aes_128_gcm", "EVP_chacha20_poly1305":
        getattr(crypto, function).restype = ctypes.c_void_p
    cipher, size = {
        "TLS_AES_128_GCM_SHA256": (crypto.EVP_aes_128_gcm, 16), "TLS_CHACHA20_POLY1305_SHA256": (crypto.EVP_chacha20_poly1305, 32)}[suite]

    key, start = expanded(secret, b"key", size), int.from_bytes(expanded(secret, b"iv", 12), "big")
    state = ctypes.c_void_p(crypto.EVP_CIPHER_CTX_new())
    count, text, tag = ctypes.c_int(), ctypes.create_string_buffer(1 << 14), ctypes.create_string_buffer(16)

    def seal(number, content=b"", kind=b"\x17"):
        inner = content + kind
        head = b"\x17\x03\x03" + (len(inner) + 16).to_bytes(2, "big")
        nonce = (start ^ number).to_bytes(12, "big")
        crypto.EVP_EncryptInit_ex(state, ctypes.c_void_p(cipher()), None, key, nonce)
        crypto.EVP_EncryptUpdate(state, None, ctypes.byref(count), head, len(head))
        crypto.EVP_EncryptUpdate(state, text, ctypes.byref(count), inner, len(inner))
        crypto.EVP_EncryptFinal_ex(state, None, ctypes.byref(count))
        crypto.EVP_CIPHER_CTX_ctrl(state, 0x10, 16, tag)  # EVP_CTRL_AEAD_GET_TAG
        return head + text.raw[:len(inner)] + tag.raw

    return seal


def keys(address, source):
    """Asks for new keys, and has its own anew each time (KeyUpdate, RFC 8446, 4.6.3 and 7.2)."""
    with opened(address, source) as (bare, suite, secret):
        try:
            while True:
                bare.sendall(sealer(suite, secret)(0, b"\x18\0\0\1\1", b"\x16"))
                secret = expanded(secret, b"traffic upd", 32)
                done["keys"] += 1
                if select.select([bare], [], [], 0)[0]:  # the node's own new keys, which are of no interest
                    bare.recv(65_536)
        except OSError:
            return "closed"


def main(attack, address, *sources):
    os.nice(19)
    work, lock = globals()[attack], threading.Lock()
    begins, over = threading.Event(), threading.Event()

    def go_on(source):
        begins.wait()
        while not over.is_set():
            try:
                how = work(address, source)
            except Exception as error:  # whatever the node does to it, it goes on
                how = type(error).__name__
            with lock:
                counts[how] += 1

    for source in sources:
        for _ in range(2 if attack in LASTING else EACH):
            threading.Thread(target=go_on, args=[source], daemon=True).start()
    print("ready", flush=True)
    begins.set()
    sys.stdin.read()
    over.set()
    with lock:
        print(json.dumps(counts | done), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
