"""Opens and cancels 100,000 calls on a connection as fast as the socket takes them, again and again, until it is terminated. Prints
for each connection what the node made of it: `python3 flood.py ADDRESS`."""

import contextlib
import json
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "WireSpec"))
from wire import Violation, Wire, packet, pb  # noqa: E402

CALLS = 100_000
REQUEST = pb.Request(method="capture.v1.Test/Upload", no_message=True)


def flood(address, data):
    with Wire(address).greet() as wire:
        began = time.monotonic()
        # What the node no longer reads comes back as an error.
        wire.socket.settimeout(10)
        with contextlib.suppress(TimeoutError):
            wire.raw(data)
        while True:
            received = wire.receive(within=10)
            if received is None:
                raise Violation("closed without a GoAway")
            if received[0].WhichOneof("kind") == "go_away":
                break
        away = received[0].go_away
        return {"seconds": time.monotonic() - began, "code": away.code, "text": away.text}


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    pairs = b"".join(packet(call_id=call, request=REQUEST) + packet(call_id=call, cancel=pb.Cancel())
                     for call in range(1, 2 * CALLS, 2))
    while True:
        print(json.dumps(flood(sys.argv[1], pairs)), flush=True)
