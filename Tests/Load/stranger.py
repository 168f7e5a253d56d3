"""Hostile strangers of fifty addresses, in a process that the machine's others go before: `stranger.py ATTACK ADDRESS`.

Until its input is closed, each address goes on with one thing: secrets that nobody knows, codes that were never given, handshakes that are half done or
left once the node has signed, records of one byte and without content, new keys. Prints "ready" once it has begun, and at its end how often each ended how."""

import collections
import ctypes
import hmac
import json
import os
import re
import secrets
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "WireSpec"))
from wire import Wire, packet, pb  # noqa: E402

ADDRESSES = [f"127.0.3.{number}" for number in range(1, 51)]
# The most of an address that may be there at once.
EACH = 8
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
    except OSError:
        return "closed"
    finally:
        wire.socket.close()


def empty(address, source):
    """No TLS library writes records without content, which are legal: they are made here, with the keys of a connection that Python's has opened."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with tempfile.NamedTemporaryFile() as log:
        context.keylog_filename = log.name
        plain = socket.create_connection(to(address), 10, (source, 0))
        with context.wrap_socket(plain) as opened:
            suite = opened.cipher()[0]
            (secret,) = re.findall(r"CLIENT_TRAFFIC_SECRET_0 \w+ (\w+)", Path(log.name).read_text())
            bare = socket.socket(fileno=os.dup(opened.fileno()))
            bare.settimeout(10)
            seal, number = sealer(suite, bytes.fromhex(secret)), 0
            with bare:
                try:
                    while True:
                        bare.sendall(b"".join(seal(at) for at in range(number, number + 64)))
                        number += 64
                except OSError:
                    return "closed"


def sealer(suite, secret):
    """Makes a client's records of an open connection, by their numbers, without content unless they are given some (RFC 8446, 5.2 and 7.3)."""
    crypto = ctypes.CDLL("libcrypto.so.3")
    for function in "EVP_CIPHER_CTX_new", "EVP_aes_128_gcm", "EVP_chacha20_poly1305":
        getattr(crypto, function).restype = ctypes.c_void_p
    cipher, size = {
        "TLS_AES_128_GCM_SHA256": (crypto.EVP_aes_128_gcm, 16), "TLS_CHACHA20_POLY1305_SHA256": (crypto.EVP_chacha20_poly1305, 32)}[suite]

    def expanded(label, length):
        info = length.to_bytes(2, "big") + bytes([6 + len(label)]) + b"tls13 " + label + b"\0\1"
        return hmac.digest(secret, info, "sha256")[:length]

    key, start = expanded(b"key", size), int.from_bytes(expanded(b"iv", 12), "big")
    state = ctypes.c_void_p(crypto.EVP_CIPHER_CTX_new())
    count, text, tag = ctypes.c_int(), ctypes.create_string_buffer(1 << 14), ctypes.create_string_buffer(16)

    def seal(number, content=b""):
        inner = content + b"\x17"
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
    """OpenSSL's client asks for new keys with each line "K"."""
    command = ["openssl", "s_client", "-connect", address, "-bind", f"{source}:0", "-tls1_3"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as client:
        try:
            while client.poll() is None:
                client.stdin.write(b"K\n")
                client.stdin.flush()
        except OSError:
            pass
    return "closed"


def main(attack, address):
    os.nice(19)
    work, counts, lock = globals()[attack], collections.Counter(), threading.Lock()
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

    for source in ADDRESSES:
        for _ in range(EACH if attack in ("handshake", "hello") else 1):
            threading.Thread(target=go_on, args=[source], daemon=True).start()
    print("ready", flush=True)
    begins.set()
    sys.stdin.read()
    over.set()
    with lock:
        print(json.dumps(counts), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
