"""Hostile strangers of fifty addresses, in a process that the machine's others go before: `stranger.py ATTACK ADDRESS`.

Until its input is closed, each address goes on with one thing: secrets that nobody knows, codes that were never given, handshakes that are half done, records
of one byte, new keys. Prints "ready" once it has begun, and at its end how often each ended how."""

import collections
import json
import os
import secrets
import socket
import subprocess
import sys
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


def bytewise(address, source):
    wire = Wire(address, source)
    try:
        while True:
            wire.socket.send(b"\0")
    except OSError:
        return "closed"
    finally:
        wire.socket.close()


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
        for _ in range(EACH if attack == "handshake" else 1):
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
