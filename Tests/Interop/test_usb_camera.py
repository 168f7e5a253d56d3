"""Drives a real node with a USB camera, both in the virtual machine, from here with the Python client.

usage: test_usb_camera.py CAPTURE-NODE-BINARY

Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import contextlib
import shlex
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from cases import passes
from capture_client import Connection, NodeError, pb

PROJECT = Path(__file__).resolve().parents[2]
USB_CAMERA = PROJECT / "Tests/Support/usb-camera"
sys.path[:0] = [str(USB_CAMERA), str(PROJECT / "Tests/Support")]

from plaintext import Plaintext  # noqa: E402
from usbcamera import pictures  # noqa: E402
from usbcamera.remote import Remote  # noqa: E402

IDENTITY = "usb-vhci_hcd.0-1-1209_0c4a_CAM0001"
INVALID_ARGUMENT, UNAVAILABLE = 3, 14
SMALL = pb.Size(width=640, height=480)


def frames(node, size=SMALL, **options):
    """The frames of a subscription."""
    for frame in node.frames(IDENTITY, encoding=pb.ENCODING_JPEG, size=size, **options):
        if frame.data:
            yield frame


def jpegs(node, **options):
    """The pictures of a subscription."""
    for frame in frames(node, **options):
        yield frame.data


def set_controls(node, **literals):
    request = pb.SetControlsRequest(device=IDENTITY)
    for name, literal in literals.items():
        request.assignments.add(name=name, literal=str(literal))
    return node.unary("capture.v1.Devices/SetControls", request, pb.SetControlsResponse)


def await_presence(node, present):
    for event in node.server_stream("capture.v1.Devices/Watch", pb.WatchDevicesRequest(), pb.DeviceEvent, timeout=20):
        if event.device.id == IDENTITY and event.device.present == present:
            return event.device
    raise AssertionError(f"it is not {'present' if present else 'absent'}")


def await_answers(node):
    """Waits until the camera itself answers: the node may just be about to hear that it was pulled."""
    deadline = time.monotonic() + 20
    while True:
        await_presence(node, True)
        try:
            return node.unary("capture.v1.Devices/GetControls", pb.GetControlsRequest(device=IDENTITY, names=["brightness"]), pb.GetControlsResponse)
        except NodeError as error:
            if error.code != UNAVAILABLE or time.monotonic() > deadline:
                raise
        time.sleep(0.1)


def is_known_by_place_model_and_serial_number(node, camera):
    device = await_presence(node, True)
    assert (device.serial, device.model, device.driver) == ("CAM0001", "1209:0c4a", "uvcvideo"), device
    assert len(node.devices()) == 1, "its metadata node is no camera"


def its_jpegs_arrive_byte_for_byte(node, camera):
    numbers = []
    for frame in frames(node):
        number, length = pictures.parse(frame.data)
        assert length == len(frame.data), (number, length, len(frame.data))
        numbers.append((frame.info.sequence, number))
        if len(numbers) == 20:
            break
    for part in zip(*numbers):
        assert list(part) == sorted(set(part)), numbers


def a_damaged_jpeg_reaches_nobody(node, camera):
    """A second of nothing but damaged frames, in which one that passes cannot hide."""
    for kind in "truncate", "headless":
        end = None
        for data in jpegs(node):
            number, length = pictures.parse(data)
            assert length == len(data), (kind, number)
            if end is None:
                camera(f"spoil {kind} 30")
                end = camera.json("status")["next"] + 30
            elif number >= end:
                break


def a_switch_and_its_value_go_in_one_request(node, camera):
    set_controls(node, focus_automatic_continuous="off", focus_absolute=100)
    assert camera("get focus_absolute") == "100"


def a_value_out_of_range_is_refused_with_the_range(node, camera):
    camera("requests")
    try:
        set_controls(node, brightness=999)
    except NodeError as error:
        assert error.code == INVALID_ARGUMENT and "-64" in error.text and "64" in error.text, error
    else:
        raise AssertionError("it was not refused")
    seen = camera.json("requests")
    assert not any(request == "SET_CUR" for request, *_ in seen), seen


def a_refusal_sets_back_what_was_set_before_it(node, camera):
    camera("refuse brightness 4")
    try:
        set_controls(node, contrast=7, brightness=9)
    except NodeError as error:
        assert "brightness" in error.text, error
    else:
        raise AssertionError("it was not refused")
    assert camera("get contrast") == "128"


def the_iris_is_set_and_frames_tell_it(node, camera):
    change = pb.SettingsChange(exposure=pb.ExposureChange(iris=600))
    stream = frames(node)
    next(stream)
    request = pb.SetSettingsRequest(device=IDENTITY, change=change)
    made = node.unary("capture.v1.Settings/Set", request, pb.SetSettingsResponse)
    assert camera("get iris_absolute") == "600" and made.settings.exposure.iris.value == 600, made
    assert made.settings.exposure.mode == pb.EXPOSURE_MODE_CONTINUOUS, made
    for frame in stream:
        if frame.info.settings.change >= made.change:
            assert frame.info.settings.iris.value == 600, frame.info
            break
    request.change.exposure.iris = 90
    try:
        node.unary("capture.v1.Settings/Set", request, pb.SetSettingsResponse)
    except NodeError as error:
        assert error.code == INVALID_ARGUMENT and "exposure.iris cannot be 90" in error.text, error
    else:
        raise AssertionError("it was not refused")
    assert camera("get iris_absolute") == "600"


def the_iris_is_set_again_when_the_camera_returns(node, camera):
    change = pb.SettingsChange(exposure=pb.ExposureChange(iris=1000))
    node.unary("capture.v1.Settings/Set", pb.SetSettingsRequest(device=IDENTITY, change=change), pb.SetSettingsResponse)
    camera("unplug")
    await_presence(node, False)
    camera("set iris_absolute 200 silently")
    camera("plug")
    camera("wait attached")
    await_answers(node)
    deadline = time.monotonic() + 10
    while camera("get iris_absolute") != "1000":
        assert time.monotonic() < deadline, camera("get iris_absolute")
        time.sleep(0.1)


def unplugged_it_ends_the_stream_and_comes_back_as_itself(node, camera):
    index = await_presence(node, True).index
    for _ in range(3):
        stream = jpegs(node)
        next(stream)
        camera("unplug")
        try:
            for _ in stream:
                pass
            raise AssertionError("the stream ended without an error")
        except NodeError as error:
            assert error.code == UNAVAILABLE, error
        await_presence(node, False)
        camera("plug")
        camera("wait attached")
        plugged = time.monotonic()
        device = await_presence(node, True)
        took = time.monotonic() - plugged
        assert device.index == index, device
        assert took < 2, f"{took:.1f} s after plugging in"
        pictures.parse(next(jpegs(node)))


TESTS = (
    is_known_by_place_model_and_serial_number, its_jpegs_arrive_byte_for_byte, a_damaged_jpeg_reaches_nobody,
    a_switch_and_its_value_go_in_one_request, a_value_out_of_range_is_refused_with_the_range,
    a_refusal_sets_back_what_was_set_before_it, the_iris_is_set_and_frames_tell_it,
    the_iris_is_set_again_when_the_camera_returns, unplugged_it_ends_the_stream_and_comes_back_as_itself,
)


@contextlib.contextmanager
def running(*command):
    """A program, its output in `stdout`, ended with the block."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield process
    finally:
        process.terminate()
        process.communicate()


def line(process, start, seconds):
    """What follows `start` in the first of its lines that begins so; it is killed if there is none in time."""
    alarm = threading.Timer(seconds, process.kill)
    alarm.start()
    seen = []
    try:
        for text in process.stdout:
            if text.startswith(start):
                return text.removeprefix(start).strip()
            seen.append(text)
    finally:
        alarm.cancel()
    raise AssertionError(f"no {start}: {''.join(seen)}")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def main(binary):
    port = free_port()
    directory = Path(binary).resolve().parent
    credential = Plaintext(PROJECT / ".cache/usb-camera")
    with running(USB_CAMERA / "serve") as serve:
        usbip, control = line(serve, "usbip ", 10), line(serve, "control ", 10)
        guest = f"{USB_CAMERA}/attach {usbip.replace('127.0.0.1', '10.0.2.2')} >/dev/null & exec " \
            f"{directory}/capture-node --listen 10.0.2.15:7311 --state none {shlex.join(credential.options)} --camera 1209_0c4a --log-level error"
        machine = (
            PROJECT / "scripts/vm/run", "--vivid", "none", "--module", "uvcvideo", "--module", "vhci-hcd",
            "--visible", directory, "--forward", f"{port}:7311", "--", "sh", "-c", guest,
        )
        with running(*machine) as vm:
            line(vm, "listening on ", 120)
            return run(f"127.0.0.1:{port}", Remote(control), credential.secret)


def run(address, camera, secret):
    failed = 0
    for test in TESTS:
        def with_a_connection(test=test):
            with Connection(address, timeout=20, credential=secret) as node:
                await_answers(node)
                test(node, camera)

        failed += not passes(with_a_connection, name=test.__name__, before=lambda: camera("reset"))
    print(f"{len(TESTS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
