"""The USB camera through capturectl: MJPEG, damage, a format that libv4lconvert reads, unplugging, focus."""

import tempfile
import threading
import time
from pathlib import Path

from cameras import capture_client
from machine import USB_CAMERA, Disturbed  # puts the camera's modules on the path
from pictures import average, decode
from usbcamera import pictures

pb = capture_client.pb

CAMERA = "usb-vhci_hcd.0-1-1209_0c4a_CAM0001"
FAILED_PRECONDITION = 9
PICTURE = ("--size", "640x480", "--format", "jpeg")


def is_known_by_model_and_serial_number(machine, control):
    device = control.device(CAMERA)
    assert (device["serial"], device["model"], device["driver"]) == ("CAM0001", "1209:0c4a", "uvcvideo"), device


def received(control, *arguments):
    """Streams to a file; the report, and the number of every frame in it, `None` for a damaged one."""
    with tempfile.TemporaryDirectory() as directory:
        clip = Path(directory, "clip")
        report = control.json("stream", CAMERA, *PICTURE, *arguments, "-o", str(clip))
        return report, pictures.numbers(clip.read_bytes())


def its_mjpeg_arrives_byte_for_byte(machine, control):
    report, numbers = received(control, "--count", "30")
    assert len(numbers) == report["frames"] == 30 and None not in numbers, numbers
    assert numbers == sorted(set(numbers)), numbers


def damaged_frames_are_dropped_and_counted(machine, control):
    for kind in "truncate", "headless":
        before = control.camera(CAMERA)["frames_corrupt"]
        machine.usb(f"spoil {kind} 10")
        report, numbers = received(control, "--count", "10")
        assert None not in numbers, (kind, numbers)
        # The host may miss some of the camera's frames.
        dropped = control.camera(CAMERA)["frames_corrupt"] - before
        assert 1 <= dropped <= 10, f"{dropped} {kind} frames were counted"


def what_is_damaged_inside_is_no_photo(machine, control):
    """Photos in a size that the camera has only as JPEG: others are encoded from raw frames. They do not wait: the damaged frames would be over.
    Without metadata they are the camera's bytes, which have the frame's number."""
    def photo(*arguments):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory, "photo.jpg")
            control("photo", CAMERA, "--size", "1280x720", "--settle", "none", "--no-metadata", *arguments, "-o", str(path))
            return path.read_bytes()

    for quality in (), ("--quality", "90"):
        before = control.camera(CAMERA)["frames_corrupt"]
        machine.usb("spoil corrupt 6")
        data = photo(*quality)
        decode(data)
        if not quality:
            assert pictures.numbers(data) != [None], "a damaged frame was delivered"
        counted = control.camera(CAMERA)["frames_corrupt"] - before
        assert 1 <= counted <= 6, f"{counted} damaged frames were counted"
    machine.usb("spoil corrupt 300")
    assert pictures.numbers(photo("--unchecked")) == [None]
    error = control.refused("photo", CAMERA, "--size", "1280x720", "-o", "/dev/null")
    assert "DATA_LOSS" in error and "20 frames" in error and "unchecked" in error, error


def m420_that_the_driver_gives_is_a_photo_in_its_colours(machine, control):
    """One frame gives both files: the camera's bytes as the driver gives them, and the JPEG that libv4lconvert's planes become."""
    made_by = {row["pixel_format"]: row["jpeg_conversion"] for row in control.json("formats", CAMERA)["formats"]}
    assert made_by == {"MJPG": "as it is", "YUYV": "libyuv", "M420": "libv4lconvert"}, made_by
    m420 = int.from_bytes(b"M420", "little")
    formats = [
        pb.PhotoFormat(type=pb.PHOTO_FILE_TYPE_JPEG),
        pb.PhotoFormat(type=pb.PHOTO_FILE_TYPE_RAW, rendition=pb.Rendition(pixel_format=m420)),
    ]
    request = pb.CapturePhotoRequest(device=CAMERA, settings=pb.PhotoSettings(formats=formats, settle=pb.SettlingBound()))
    with capture_client.Connection(machine.address, timeout=20, credential=machine.credential.secret) as node:
        events = node.server_stream("capture.v1.Photos/Capture", request, pb.PhotoEvent)
        photo, raw = (event for event in events if event.stage == pb.PhotoEvent.PHOTO)
    assert len(raw.data) == 320 * 240 * 12 // 8 and pictures.number(raw.data) is not None, "not as it was sent"
    assert (photo.info.source_pixel_format, raw.info.source_pixel_format) == (m420, m420), (photo.info, raw.info)
    frames = [(file.info.sequence, file.info.timestamp_ns) for file in (photo, raw)]
    assert frames[0] == frames[1], f"two frames, by their numbers and times: {frames}"
    width, height, pixels = decode(photo.data)
    assert (width, height) == (320, 240), (width, height)
    for place, name in enumerate(pictures.BARS):
        # Below the digit and above the noise: a row of the JPEG's blocks of 16 pixels that has bars alone.
        mean = average(pixels, width, (2 * place + 1) * width // 16, 200, radius=8)
        wrong = max(abs(is_ - should) for is_, should in zip(mean, pictures.RGB[name]))
        assert wrong <= 8, f"the {name} bar is {mean}"


def focus_goes_from_automatic_to_manual_in_one_command(machine, control):
    control("set", CAMERA, "focus_automatic_continuous=on")
    error = control.refused("set", CAMERA, "focus_absolute=100")
    assert "FAILED_PRECONDITION" in error and "change that one first" in error, error
    control("set", CAMERA, "focus_automatic_continuous=off", "focus_absolute=100")
    assert machine.usb("get focus_absolute") == "100"
    assert control.value(CAMERA, "focus_absolute") == 100


def unplugged(machine, control, times, returned=lambda: None):
    """In mid-stream: the client hears of it within 1 s; with the camera back, it is itself again within 2 s. Then `returned` is called."""
    known = control.device(CAMERA)
    slowest = {"heard": 0.0, "back": 0.0}

    def disconnects():
        """How often the machine's kernel has seen it pulled."""
        return int(machine.guest("dmesg | grep -c 'USB disconnect' || true"))

    def cycle():
        before = disconnects()
        with control.stream(CAMERA, 1, *PICTURE) as stream:
            try:
                stream.more(1)
            except AssertionError as error:
                if "unplugged" not in str(error) or disconnects() == before:
                    raise
                # The machine's USB stack attached the camera twice: the first one is pulled by it.
                watch.event("vanished", CAMERA)
                watch.event("appeared", CAMERA, within=20)
                raise Disturbed(str(error)) from None
            control.settle(baseline)
            pulled = time.monotonic()
            machine.usb("unplug")
            heard = stream.said("UNAVAILABLE", within=5) - pulled
            watch.event("vanished", CAMERA)
        machine.usb("plug")
        machine.usb("wait attached")
        plugged = time.monotonic()
        device = watch.event("appeared", CAMERA, within=20)
        back = time.monotonic() - plugged
        assert (device["index"], device["id"]) == (known["index"], CAMERA), device
        assert heard < 1, f"heard after {heard:.2f} s"
        assert back < 2, f"back after {back:.2f} s"
        returned()
        slowest["heard"], slowest["back"] = max(slowest["heard"], heard), max(slowest["back"], back)

    with control.watch() as watch:
        watch.event("listed")
        with control.stream(CAMERA, 1, *PICTURE) as stream:
            stream.more(1)
            baseline = control.descriptors()
        for _ in range(times):
            machine.measure(cycle)
    print(f"# slowest of {times}: heard after {slowest['heard']:.2f} s, back after {slowest['back']:.2f} s", flush=True)


def who_had_its_stream_has_it_again_whoever_else_asks(machine, control, times=5):
    """Whenever the camera is back, a newcomer that is connected already asks for another format; who streamed comes when a program has started."""
    def state():
        camera = control.camera(CAMERA)
        return camera["streaming"], camera["pixel_format"], camera["size"]

    with control.stream(CAMERA, 1, *PICTURE) as stream:
        stream.more(1)
        former = state()
    assert former[0] and former[2] == {"width": 640, "height": 480}, former

    def returned():
        outcomes = []

        def asks():
            with capture_client.Connection(machine.address, timeout=20, credential=machine.credential.secret) as node:
                connected.set()
                try:
                    size = next(node.frames(CAMERA, size=pb.Size(width=1280, height=720), encoding=pb.ENCODING_JPEG)).info.size
                    outcomes.append(f"frames of {size.width}x{size.height}")
                except capture_client.NodeError as error:
                    outcomes.append(error.code)

        connected = threading.Event()
        newcomer = threading.Thread(target=asks)
        newcomer.start()
        assert connected.wait(20)
        try:
            with control.stream(CAMERA, 1, *PICTURE) as stream:
                stream.more(1)
                newcomer.join()
                stream.more(1)
                assert state() == former, f"{state()}, not {former}"
        finally:
            newcomer.join()
        assert outcomes == [FAILED_PRECONDITION], f"the newcomer has {outcomes}"

    unplugged(machine, control, times, returned)


TESTS = (
    is_known_by_model_and_serial_number, its_mjpeg_arrives_byte_for_byte, damaged_frames_are_dropped_and_counted,
    what_is_damaged_inside_is_no_photo, m420_that_the_driver_gives_is_a_photo_in_its_colours,
    focus_goes_from_automatic_to_manual_in_one_command, who_had_its_stream_has_it_again_whoever_else_asks,
)
