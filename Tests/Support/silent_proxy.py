"""Passes the packets of a capture node on, without any text for people: that of Status and GoAway becomes empty, and every other one
"*", in their error details and in the messages of all answers. `python3 silent_proxy.py LISTEN_PATH NODE_PATH` serves a Unix socket in front of
another; it prints "ready".

It needs no protobuf library: it rewrites the few fields that it names. A text whose absence means something is absent still."""

import socket
import struct
import sys
import threading

REQUEST, MESSAGE, STATUS, GO_AWAY = 3, 4, 6, 11  # fields of Envelope
EMPTY, HIDDEN = b"", b"*"

# For each message the fields that are texts for people, or that have some: number to replacement, or to the fields of the message in it.
DETAILS = {3: HIDDEN, 10: HIDDEN}  # asked_text, holder
DEVICE = {3: HIDDEN, 12: HIDDEN}
SESSION = {7: HIDDEN, 9: HIDDEN, 10: HIDDEN, 13: DETAILS}
LEASE = {3: HIDDEN}
JOB = {10: HIDDEN}  # last_error
SETTINGS = {2: {7: HIDDEN}, 3: {10: HIDDEN}, 4: {8: HIDDEN}}  # failure
ANSWERS = {
    "Devices/List": {1: DEVICE, 2: HIDDEN},
    "Devices/Watch": {2: DEVICE},
    "Devices/Formats": {1: {2: HIDDEN}},
    "Devices/Controls": {1: {3: HIDDEN, 20: HIDDEN}},
    "Sessions/List": {1: SESSION},
    "Sessions/Get": SESSION,
    "Sessions/Configure": SESSION,
    "Sessions/Start": SESSION,
    "Sessions/Stop": SESSION,
    "Sessions/Presets": {1: {3: HIDDEN, 5: DETAILS}},
    "Sessions/Events": {3: HIDDEN, 4: SESSION},
    "Settings/Describe": {5: {3: HIDDEN}, 6: {3: HIDDEN}, 7: {3: HIDDEN}, 8: {4: HIDDEN}},
    "Settings/Get": SETTINGS,
    "Settings/Set": {2: SETTINGS},
    "Settings/Reset": {2: SETTINGS},
    "Settings/LoadProfile": {2: SETTINGS},
    "Settings/SaveProfile": {3: SETTINGS},
    "Settings/ListProfiles": {1: {3: SETTINGS}},
    "Settings/Watch": {2: SETTINGS},
    "Settings/Calibrate": {3: HIDDEN},
    "Leases/Acquire": LEASE,
    "Leases/Renew": LEASE,
    "Leases/Release": {1: LEASE},
    "Leases/List": {1: LEASE},
    "Node/Status": {15: {16: HIDDEN}, 16: {1: HIDDEN}, 17: HIDDEN},
    "Library/Status": {2: HIDDEN},
    "Jobs/Start": JOB,
    "Jobs/List": {1: JOB},
    "Jobs/Control": JOB,
    "Jobs/Watch": {2: JOB},
    "Access/Reload": {5: HIDDEN},
    "Access/Revoke": {5: HIDDEN},
    "Access/Status": {7: HIDDEN},
    "Access/Watch": {7: HIDDEN},
    "Access/Request": {7: HIDDEN},
    "Video/Subscribe": {5: HIDDEN},
}


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


def field(number, content):
    return encoded(number << 3 | 2) + encoded(len(content)) + content


def without_texts(message, texts):
    out = b""
    for number, whole, content in fields(message):
        replacement = texts.get(number)
        if content is not None and replacement is not None:
            hidden = replacement if isinstance(replacement, bytes) else without_texts(content, replacement)
            whole = field(number, hidden if content else content)
        out += whole
    return out


def failure(message, text, metadata):
    """A Status or a GoAway: no text, and details without any."""
    out = b""
    for number, whole, content in fields(message):
        if number == metadata:
            entry = {inner: value for inner, _, value in fields(content)}
            if entry.get(1) == b"capture-error-bin":
                whole = field(number, field(1, entry[1]) + field(2, without_texts(entry.get(2, b""), DETAILS)))
        out += b"" if number == text else whole
    return out


def call(envelope):
    """The number of the call to which a packet belongs."""
    for number, whole, content in fields(envelope):
        if number == 1 and content is None:
            return varint(whole, 1)[0]
    return 0


class Calls:
    """The methods of a connection's calls."""

    def __init__(self):
        self.methods = {}

    def note(self, envelope):
        for number, _, content in fields(envelope):
            if number == REQUEST:
                method = next((value for inner, _, value in fields(content) if inner == 1), b"")
                self.methods[call(envelope)] = method.decode().removeprefix("capture.v1.")

    def silenced(self, envelope):
        out = b""
        for number, whole, content in fields(envelope):
            if number == STATUS:
                whole = field(number, failure(content, 2, 3))
            elif number == GO_AWAY:
                whole = field(number, failure(content, 3, 4))
            elif number == MESSAGE:
                texts = ANSWERS.get(self.methods.get(call(envelope)), {})
                body = b"".join(
                    field(inner, without_texts(value, texts)) if inner == 1 else part
                    for inner, part, value in fields(content)
                )
                whole = field(number, body)
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


def packets(source):
    while True:
        length, chunk = struct.unpack(">II", exactly(source, 8))
        yield exactly(source, length), exactly(source, chunk)


def passed_on(source, target, change):
    try:
        for envelope, chunk in packets(source):
            envelope = change(envelope)
            target.sendall(struct.pack(">II", len(envelope), len(chunk)) + envelope + chunk)
    except (EOFError, OSError):
        end(source, target)


def to_node(client, node, calls):
    def note(envelope):
        calls.note(envelope)
        return envelope

    passed_on(client, node, note)


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
        calls = Calls()
        threading.Thread(target=passed_on, args=(node, client, calls.silenced), daemon=True).start()
        threading.Thread(target=to_node, args=(client, node, calls), daemon=True).start()


if __name__ == "__main__":
    main()
