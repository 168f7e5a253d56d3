"""Drives a real node with the Python client.

usage: test_interop.py CAPTURE-NODE-BINARY

Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import os
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cases import passes
from capture_client import Connection, NodeError, pb

SUPPORT = Path(__file__).resolve().parents[1] / "Support"
NOT_FOUND, INVALID_ARGUMENT, UNIMPLEMENTED, FAILED_PRECONDITION = 5, 3, 12, 9
SIZE = (640, 480)


def has_a_hello_and_serves_unix_sockets_too(addresses):
    for address in addresses:
        with Connection(address) as node:
            assert node.hello.version == 1, node.hello
            assert node.hello.agent.startswith("capture-node/"), node.hello
            assert Path("/proc/sys/kernel/random/boot_id").read_text().strip() == node.hello.boot_id


def lists_the_synthetic_camera(addresses):
    with Connection(addresses[0]) as node:
        (device,) = node.devices()
        assert device.index == 0 and device.id and device.present and device.usable, device


def takes_a_photo_that_djpeg_decodes(addresses):
    with Connection(addresses[0]) as node:
        picture, info = node.photo("0")
        pixels = subprocess.run(["djpeg", "-pnm"], input=picture, stdout=subprocess.PIPE, check=True).stdout
        magic, width, height = pixels.split(maxsplit=3)[:3]
        assert (magic, int(width), int(height)) == (b"P6", info.size.width, info.size.height)


def receives_30_frames_with_credit(addresses):
    with Connection(addresses[0]) as node:
        frames, before = [], lost(node)
        for frame in node.frames("0", encoding=pb.ENCODING_JPEG):
            if frame.data:
                frames.append(frame)
            if len(frames) == 30:
                break
        assert all(frame.data.startswith(b"\xff\xd8") and frame.data.endswith(b"\xff\xd9") for frame in frames)
        for earlier, later in zip(frames, frames[1:]):
            assert later.info.timestamp_ns > earlier.info.timestamp_ns
        told = sum(frame.discarded for frame in frames[1:])
        left_out = frames[-1].info.sequence - frames[0].info.sequence - (len(frames) - 1)
        assert 0 <= left_out - told <= lost(node) - before, (left_out, told, lost(node) - before)
        # The connection serves on after a call that was cancelled.
        assert len(node.devices()) == 1


def receives_raw_frames_of_the_announced_planes(addresses):
    with Connection(addresses[0]) as node:
        for frame in node.frames("0", encoding=pb.ENCODING_RAW):
            if frame.data:
                break
        assert sum(plane.bytes for plane in frame.info.planes) == len(frame.data), frame.info
        assert (frame.info.size.width, frame.info.size.height) == SIZE


def a_slow_reader_gets_the_newest_frame(addresses):
    with Connection(addresses[0]) as node, Connection(addresses[0]) as other:
        before = lost(other)
        frames = node.frames("0", window=1)
        newest = next(frame for frame in frames if frame.data)
        time.sleep(0.5)  # what is tested: a reader that is slow
        late = next(frames)
        assert late.discarded > 5, late.discarded
        left_out = late.info.sequence - newest.info.sequence - 1
        # The rest the camera itself lost, if the machine had no processor for it.
        assert 0 <= left_out - late.discarded <= lost(other) - before, (left_out, late.discarded, lost(other) - before)
        frames.close()


def lost(node):
    return sum(camera.frames_lost for camera in node.unary("capture.v1.Node/Status", pb.StatusRequest(), pb.StatusResponse).cameras)


def refused(addresses, code, *words, call):
    with Connection(addresses[0]) as node:
        try:
            call(node)
        except NodeError as error:
            assert error.code == code, error
            assert all(word in error.text for word in words), error
        else:
            raise AssertionError("it was not refused")
        assert len(node.devices()) == 1, "the connection serves on"


def an_unknown_method_is_unimplemented(addresses):
    unknown = "capture.v1.Devices/Nothing"
    refused(addresses, UNIMPLEMENTED, unknown,
            call=lambda node: node.unary(unknown, pb.ListDevicesRequest(), pb.ListDevicesResponse))


def the_test_service_is_there_only_when_asked_for(addresses):
    with Connection(addresses[0]) as node:
        info = node.unary("capture.v1.Node/Info", pb.InfoRequest(), pb.InfoResponse)
        assert "capture.v1.Node/Info" in info.methods and not any("Test" in method for method in info.methods), info.methods
    refused(addresses, UNIMPLEMENTED, "capture.v1.Test/Empty",
            call=lambda node: node.unary("capture.v1.Test/Empty", pb.TestEmpty(), pb.TestEmpty))


def a_camera_that_is_not_there_is_named_with_those_that_are(addresses):
    refused(addresses, NOT_FOUND, "no-such-camera", "synthetic", call=lambda node: node.photo("no-such-camera"))


def a_body_that_does_not_parse_is_refused_naming_the_method(addresses):
    class Garbage:
        @staticmethod
        def SerializeToString():
            return b"\x0a\xff"  # a string longer than the message

    method = "capture.v1.Devices/Formats"
    refused(addresses, INVALID_ARGUMENT, method, call=lambda node: node.unary(method, Garbage, pb.FormatsResponse))


def another_protocol_gets_a_line_and_the_end(addresses):
    host, port = addresses[0].rsplit(":", 1)
    with socket.create_connection((host, int(port)), 5) as stranger:
        stranger.sendall(b"GET / HTTP/1.1\r\nHost: node\r\n\r\n")
        answer = b"".join(iter(lambda: stranger.recv(4096), b""))
    assert answer.endswith(b"\n") and answer.count(b"\n") <= 4 and b"capture" in answer, answer


def a_packet_past_the_limits_is_answered_with_why(addresses):
    with Connection(addresses[0]) as node:
        node.socket.sendall(struct.pack(">II", 1 << 20, 0))
        try:
            node.receive()
        except NodeError as error:
            assert "65536" in error.text.replace(",", ""), error
        else:
            raise AssertionError("no GoAway came")


def a_version_nobody_speaks_is_refused_naming_those_spoken(addresses):
    host, port = addresses[0].rsplit(":", 1)
    node = Connection.__new__(Connection)
    node.socket = socket.create_connection((host, int(port)), 5)
    node.stream = node.socket.makefile("rb")
    with node:
        node.send(pb.Envelope(hello=pb.Hello(version=99)))
        try:
            while True:
                node.receive()
        except NodeError as error:
            assert error.code == FAILED_PRECONDITION and "1" in error.text, error


def a_change_of_settings_names_its_first_frame(addresses):
    """In docs/integration.md, as the next three."""
    with Connection(addresses[0]) as node, Connection(addresses[1]) as viewer:
        frames = viewer.frames("0")
        next(frame for frame in frames if frame.data)
        answer = node.change("0", exposure=pb.ExposureChange(duration=1 / 100, gain=20))
        assert answer.settings.exposure.duration == pb.Observed(value=1 / 100, provenance=pb.PROVENANCE_REPORTED), answer
        assert answer.streaming
        request = pb.AwaitChangeRequest(device="0", change=answer.change)
        for frame in frames:  # the change waits for frames
            if frame.data and frame.info.settings.change >= answer.change:
                break
        applied = node.unary("capture.v1.Settings/AwaitChange", request, pb.AppliedChange)
        assert applied.frame.sequence <= frame.info.sequence, (applied, frame.info)
        assert abs(frame.info.settings.exposure_duration.value - 1 / 100) < 1e-6, frame.info
        frames.close()


def a_watch_tells_what_others_change(addresses):
    with Connection(addresses[0]) as node, Connection(addresses[0]) as other:
        request = pb.WatchSettingsRequest(device="0", names=["exposure"])
        events = node.server_stream("capture.v1.Settings/Watch", request, pb.SettingsEvent, window=16)
        first = next(events)
        assert not first.changed and first.settings.exposure.mode, first
        answer = other.change("0", exposure=pb.ExposureChange(gain=7))
        event = next(events)
        assert event.changed == ["exposure.gain"] and event.change == answer.change, event
        assert event.settings.exposure.gain.value == 7, event
        events.close()


def a_lease_keeps_others_from_changing_a_camera(addresses):
    with Connection(addresses[0]) as node, Connection(addresses[0]) as other:
        request = pb.AcquireLeaseRequest(device="0", duration_ms=10_000, holder="studio-a")
        lease = node.unary("capture.v1.Leases/Acquire", request, pb.LeaseInfo)
        try:
            other.change("0", exposure=pb.ExposureChange(gain=1))
        except NodeError as error:
            assert error.code == FAILED_PRECONDITION and "studio-a" in error.text, error
        else:
            raise AssertionError("it was not refused")
        node.change("0", lease=lease.token, exposure=pb.ExposureChange(gain=2))
        other.change("0", lease=lease.token, exposure=pb.ExposureChange(gain=3))  # whoever has the token
        node.unary("capture.v1.Leases/Release", pb.ReleaseLeaseRequest(token=lease.token), pb.ReleaseLeaseResponse)
        assert other.change("0", exposure=pb.ExposureChange(gain=4)).settings.exposure.gain.value == 4


def a_session_runs_a_camera_as_it_says(addresses):
    configuration = pb.SessionConfiguration(
        inputs=[pb.SessionInput(device="0")],
        outputs=[pb.SessionOutput(name="live", kind=pb.OUTPUT_KIND_VIDEO)],
        connections=[pb.SessionConnection(output="live", orientation=90)],
        preset=pb.SESSION_PRESET_640X480)
    with Connection(addresses[0]) as node:
        request = pb.ConfigureSessionRequest(session="door", configuration=configuration, start=True)
        state = node.unary("capture.v1.Sessions/Configure", request, pb.SessionState)
        assert state.running and state.named and state.revision == 1, state
        frames = node.frames("", session="door", output="live")
        frame = next(frame for frame in frames if frame.data)
        assert (frame.info.size.width, frame.info.size.height) == (SIZE[1], SIZE[0]), frame.info
        frames.close()
        request = pb.SessionEventsRequest(session="door")
        events = node.server_stream("capture.v1.Sessions/Events", request, pb.SessionEvent)
        assert next(events).kind == pb.SessionEvent.STATE
        events.close()
        node.unary("capture.v1.Sessions/Close", pb.CloseSessionRequest(session="door"), pb.CloseSessionResponse)


TESTS = [
    has_a_hello_and_serves_unix_sockets_too,
    lists_the_synthetic_camera,
    takes_a_photo_that_djpeg_decodes,
    receives_30_frames_with_credit,
    receives_raw_frames_of_the_announced_planes,
    a_slow_reader_gets_the_newest_frame,
    an_unknown_method_is_unimplemented,
    the_test_service_is_there_only_when_asked_for,
    a_camera_that_is_not_there_is_named_with_those_that_are,
    a_body_that_does_not_parse_is_refused_naming_the_method,
    another_protocol_gets_a_line_and_the_end,
    a_packet_past_the_limits_is_answered_with_why,
    a_version_nobody_speaks_is_refused_naming_those_spoken,
    a_change_of_settings_names_its_first_frame,
    a_watch_tells_what_others_change,
    a_lease_keeps_others_from_changing_a_camera,
    a_session_runs_a_camera_as_it_says,
]


def tells_its_service_manager_that_it_serves(manager):
    """It is said once it listens: nothing has been read from its standard output yet."""
    assert manager.recv(100) == b"READY=1"
    path = f"{Path(manager.getsockname()).parent}/node.sock"
    with Connection(f"unix:{path}") as node:
        assert len(node.devices()) == 1


def ends_in_order_on_sigterm_and_tells_its_service_manager(node, manager):
    assert manager.recv(100) == b"STOPPING=1"
    assert node.wait(10) == 0, node.returncode


def a_sigterm_that_comes_at_once_ends_it(program, directory):
    """Also where its threads are late to watch for signals: whoever has read that it listens may end it."""
    library = f"{directory}/late_signals.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Wall", "-o", library, SUPPORT / "late_signals.c"], check=True)
    with subprocess.Popen(
        [program, "--state", "none", "--trust-local-users", "--listen", "127.0.0.1:0", "--camera", "synthetic:160x120@5"],
        stdout=subprocess.PIPE, text=True, env={**os.environ, "LD_PRELOAD": library}) as node:
        try:
            assert "listening on" in node.stdout.readline()
            node.terminate()
            assert node.wait(10) == 0, node.returncode
        finally:
            node.kill()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    failures = 0
    with tempfile.TemporaryDirectory() as directory, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(f"{directory}/notify.sock")
        manager.settimeout(10)
        node = subprocess.Popen(
            [sys.argv[1], "--state", "none", "--trust-local-users", "--listen", "127.0.0.1:0", "--listen", f"unix:{directory}/node.sock",
             "--camera", "synthetic:{}x{}@30".format(*SIZE)],
            stdout=subprocess.PIPE, text=True, env={**os.environ, "NOTIFY_SOCKET": f"{directory}/notify.sock"})
        try:
            failures += not passes(tells_its_service_manager_that_it_serves, manager)
            addresses = [node.stdout.readline().removeprefix("listening on ").strip() for _ in range(2)]
            for test in TESTS:
                failures += not passes(test, addresses)
        finally:
            node.terminate()
        failures += not passes(ends_in_order_on_sigterm_and_tells_its_service_manager, node, manager)
        failures += not passes(a_sigterm_that_comes_at_once_ends_it, sys.argv[1], directory)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
