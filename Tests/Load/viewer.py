"""An honest viewer in a process of its own: `viewer.py ADDRESS`. It watches the first camera and calls now and then, until its input is closed;
then it prints how old frames were and how long calls took, in seconds, and how many frames of the camera it did not get."""

import json
import selectors
import sys
import threading
import time

from open_calls import subscribe
from wire import Violation, Wire, pb

CALLS = [("Empty", None), ("capture.v1.Node/Status", pb.StatusRequest()), ("capture.v1.Devices/List", pb.ListDevicesRequest()),
         ("capture.v1.Settings/Get", pb.GetSettingsRequest(device="0"))]
PAUSE = 0.005


class Caller:
    """Calls on a connection of its own, one after the other."""

    def __init__(self, address):
        self.wire, self.trips, self.is_over = Wire(address).greet(), [], threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def work(self):
        made = 0
        while not self.is_over.wait(PAUSE):
            method, request = CALLS[made % len(CALLS)]
            began = time.monotonic()
            self.wire.expect_status(self.wire.call(method, request), 0, within=30)
            self.trips.append(time.monotonic() - began)
            made += 1

    def end(self):
        self.is_over.set()
        self.thread.join()
        return self.trips


def main(address):
    ages, numbers = [], []
    with Wire(address).greet() as wire:
        caller = Caller(address)
        stream = subscribe(wire, credit=2)
        missing, info = 0, None
        selector = selectors.DefaultSelector()
        selector.register(sys.stdin.buffer.raw, selectors.EVENT_READ)
        print("ready", flush=True)
        while not selector.select(0):
            received = wire.receive(within=30)
            if received is None:
                raise Violation("closed")
            envelope, chunk = received
            kind = envelope.WhichOneof("kind")
            if kind == "status":
                raise Violation(f"the stream ended: {envelope.status}")
            if kind == "message":
                info, missing = pb.VideoFrame.FromString(envelope.message.body).info, envelope.message.payload_length
            elif kind == "chunk" and envelope.chunk.abort:
                info = None
            missing -= len(chunk)
            if info is not None and missing == 0:
                numbers.append(info.sequence)
                ages.append(time.monotonic_ns() / 1e9 - info.timestamp_ns / 1e9)
                info = None
                wire.send(call_id=stream, credit=pb.Credit(messages=1))
        trips = caller.end()
    lost = numbers[-1] - numbers[0] + 1 - len(numbers) if numbers else 0
    print(json.dumps({"ages": ages[3:], "trips": trips[3:], "lost": lost}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
