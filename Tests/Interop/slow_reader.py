"""A client that reads slowly, over TLS: `slow_reader.py HOST PORT BYTES SECONDS`, with its secret in the first line of the input.

It takes frames of the first camera and prints "ready" when its kernel has no room for more. From then on it reads so many bytes fifty times a second; 0: none.
When another line comes, it goes on so for SECONDS, and then reads all there is. It prints how many bytes were in its kernel at that moment, and how many of frames
it decrypted from then on."""

import array
import fcntl
import select
import socket
import ssl
import sys
import termios
import time

import capture_client as c

PAUSE = 0.02
# A reset, or an end without TLS's goodbye.
ENDS = ConnectionError, ssl.SSLEOFError


def connected(host, port):
    plain = socket.socket()
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    plain.connect((host, int(port)))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(plain)


def subscribe(stream, secret):
    request = c.pb.Request(
        method="capture.v1.Video/Subscribe", last=True, credit=10_000, body=c.pb.SubscribeRequest(device="0").SerializeToString())
    for envelope in c.pb.Envelope(hello=c.pb.Hello(version=1, agent="slow", credential=bytes.fromhex(secret))), c.pb.Envelope(call_id=1, request=request):
        body = envelope.SerializeToString()
        stream.sendall(c.PREFIX.pack(len(body), 0) + body)
    stream.recv(1000)


def waiting(stream):
    """How many bytes its kernel has for it."""
    count = array.array("i", [0])
    fcntl.ioctl(stream.fileno(), termios.FIONREAD, count)
    return count[0]


def fill(stream):
    old = -1
    while (now := waiting(stream)) != old or now == 0:
        old = now
        time.sleep(0.5)


def read_slowly(stream, size, until):
    while not until():
        if size:
            stream.recv(size)
        time.sleep(PAUSE)


def rest(stream):
    """How many bytes still come, to the end of the connection."""
    total = 0
    try:
        while data := stream.recv(65_536):
            total += len(data)
    except ENDS:
        pass
    return total


def main(host, port, size, seconds):
    stream = connected(host, port)
    subscribe(stream, sys.stdin.readline())
    fill(stream)
    print("ready", flush=True)
    try:
        read_slowly(stream, int(size), lambda: select.select([sys.stdin], [], [], 0)[0])
        end = time.monotonic() + float(seconds)
        read_slowly(stream, int(size), lambda: time.monotonic() >= end)
        # What is decrypted already it had.
        while stream.pending():
            stream.recv(stream.pending())
        print(waiting(stream), rest(stream))
    except ENDS:
        print(0, 0)  # the end came before


main(*sys.argv[1:])
