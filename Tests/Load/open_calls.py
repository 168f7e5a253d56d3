"""Calls that stay open, in every state that a call can wait in."""

import socket
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "WireSpec"))
from wire import Wire, packet, pb  # noqa: E402

LONG_US = 600_000_000
BULK = pb.TestRequest(response_count=50, response_payload_bytes=1_000_000)


def subscribe(wire, credit, camera="0", **rendition):
    return wire.call("capture.v1.Video/Subscribe", pb.SubscribeRequest(
        device=camera, rendition=pb.Rendition(**rendition)), credit=credit)


def unary_in_its_handler(wire):
    wire.call("Unary", pb.TestRequest(interval_us=LONG_US))


def stream_without_credit(wire):
    wire.call("Download", BULK, credit=0)


def stream_that_nobody_reads(wire):
    wire.first_message(wire.call("Download", BULK))


def upload_that_waits(wire):
    wire.call("Upload", pb.TestRequest(), last=False)


def upload_in_a_payload(wire):
    call = wire.call("Upload", pb.TestRequest(), last=False)
    wire.send(call_id=call, message=pb.Message(payload_length=1_000_000), data=b"a" * 100_000)


def upload_in_a_chunk(wire):
    call = wire.call("Upload", pb.TestRequest(), last=False)
    wire.raw(packet(call_id=call, message=pb.Message(payload_length=1_000_000), data=b"a" * 100_000)[:-50_000])


def frames_without_credit(wire):
    subscribe(wire, credit=0)


def frames_that_nobody_reads(wire):
    subscribe(wire, credit=1_000)


def events(wire):
    wire.call("capture.v1.Devices/Watch")


def calibration(wire, camera="0"):
    """While it runs no other client changes the camera: the client has it leased without having asked for a lease."""
    wire.call("capture.v1.Settings/Calibrate", pb.CalibrateRequest(device=camera))


STATES = [
    unary_in_its_handler, stream_without_credit, stream_that_nobody_reads, upload_that_waits, upload_in_a_payload, upload_in_a_chunk,
    frames_without_credit, frames_that_nobody_reads, events, calibration,
]


def open_calls(address):
    """A connection for each state. The node has what all of them say."""
    wires = []
    for state in STATES:
        wire = Wire(address)
        wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
        state(wire.greet())
        wires.append(wire)
    return wires
