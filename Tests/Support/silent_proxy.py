"""Passes the packets of a capture node on, without any text for people in what it says of failures: that of Status and GoAway
becomes empty. `python3 silent_proxy.py LISTEN_PATH NODE_PATH` serves a Unix socket in front of another; it prints "ready".

It needs no protobuf library: it rewrites the one field of the one message that it looks at."""

import socket
import struct
import sys
import threading

STATUS, GO_AWAY = 6, 11  # fields of Envelope
TEXT = {STATUS: 2, GO_AWAY: 3}


def varint(data, place):
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, place


def encoded(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def fields(data):
    """(number, bytes of the whole field, content or None) of a message."""
    place = 0
    while place < len(data):
        start = place
        tag, place = varint(data, place)
        kind, content = tag & 7, None
        if kind == 0:
            _, place = varint(data, place)
        elif kind == 2:
            length, place = varint(data, place)
            content, place = data[place : place + length], place + length
        else:
            place += {1: 8, 5: 4}[kind]
        yield tag >> 3, data[start:place], content


def silenced(envelope):
    out = b""
    for number, whole, content in fields(envelope):
        if number in TEXT:
            kept = b"".join(part for inner, part, _ in fields(content) if inner != TEXT[number])
            whole = encoded(number << 3 | 2) + encoded(len(kept)) + kept
        out += whole
    return out


def exactly(source, count):
    data = b""
    while len(data) < count:
        part = source.recv(count - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def from_node(node, client):
    try:
        while True:
            length, chunk = struct.unpack(">II", exactly(node, 8))
            envelope = silenced(exactly(node, length))
            client.sendall(struct.pack(">II", len(envelope), chunk) + envelope + exactly(node, chunk))
    except (EOFError, OSError):
        end(node, client)


def to_node(client, node):
    try:
        while data := client.recv(65536):
            node.sendall(data)
    except OSError:
        pass
    end(client, node)


def end(*sockets):
    for one in sockets:
        try:
            one.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def main():
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen()
    print("ready", flush=True)
    while True:
        client, _ = listener.accept()
        node = socket.socket(socket.AF_UNIX)
        node.connect(sys.argv[2])
        threading.Thread(target=from_node, args=(node, client), daemon=True).start()
        threading.Thread(target=to_node, args=(client, node), daemon=True).start()


if __name__ == "__main__":
    main()
