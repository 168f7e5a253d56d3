"""A client in a process of its own: one that sits there, one that has calls open in every state, or one that measures the age of what it
gets at the far end of a bad link."""

import json
import sys
import time

from open_calls import calibration, open_calls, subscribe
from wire import Violation, Wire, pb


def sit(address):
    """Holds a stream, and with it the camera's format and a buffer now and then; and another camera, with a call that takes long."""
    with Wire(address).greet() as wire:
        calibration(wire, camera="1")
        subscribe(wire, credit=1_000_000)
        wire.receive(within=10)
        print("connected", flush=True)
        wire.socket.settimeout(None)
        while wire.socket.recv(65_536):
            pass


def hold(address):
    """Has calls open, until it is killed."""
    held = open_calls(address)
    print("connected", flush=True)
    sys.stdin.read()
    del held


def age(address, seconds):
    """Both namespaces share one CLOCK_MONOTONIC, so ages need no offset."""
    ages, calls, sizes = [], [], []
    with Wire(address).greet() as wire:
        call = subscribe(wire, credit=1, quality=95)
        end, asked, pending = time.monotonic() + float(seconds), 0.0, None
        current, missing = None, 0
        while time.monotonic() < end:
            received = wire.receive(within=10)
            if received is None:
                raise Violation("closed")
            envelope, chunk = received
            kind = envelope.WhichOneof("kind")
            if envelope.call_id == pending and kind == "status":
                calls.append(time.monotonic() - asked)
                pending = None
            if envelope.call_id == call:
                if kind == "message":
                    current, missing = pb.VideoFrame.FromString(envelope.message.body), envelope.message.payload_length
                    if len(sizes) < 1_000:
                        sizes.append(missing)
                elif kind == "chunk" and envelope.chunk.abort:
                    current = None
                missing -= len(chunk)
                if current is not None and missing == 0:
                    ages.append((time.monotonic_ns() - current.info.timestamp_ns) / 1e9)
                    current = None
                    wire.send(call_id=call, credit=pb.Credit(messages=1))
            if pending is None and time.monotonic() - asked > 0.5:
                asked = time.monotonic()
                pending = wire.call("Empty")
    ages, calls = sorted(ages[3:]), sorted(calls[1:])
    print(json.dumps({"frame_bytes": max(sizes), "age_p50": ages[len(ages) // 2], "age_p99": ages[len(ages) * 99 // 100],
                      "call_p99": calls[len(calls) * 99 // 100]}))


if __name__ == "__main__":
    {"sit": sit, "hold": hold, "age": age}[sys.argv[1]](*sys.argv[2:])
