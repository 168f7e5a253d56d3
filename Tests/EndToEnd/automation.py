"""What the node does from pictures, and to them: focus on the USB camera, zoom on vivid."""

import tempfile
from pathlib import Path

import pictures
import settings
from cameras import SINGLE
from control import until
from usb import CAMERA

RAW = ("--size", "320x240", "--format", "YUYV", "--rate", "30")
RAW_BYTES = 320 * 240 * 2


def the_node_focuses_once_at_a_point(machine, control):
    """The camera's driver has continuous focus alone. v4l2-ctl says where the lens came to rest."""
    # What clients set before holds in this stream too: the picture shall be neither dark nor a part.
    settings.automatic(control)
    control("zoom", CAMERA, "1")
    control("focus", CAMERA, "--lens", "1")
    machine.usb("subject 150")
    with control.stream(CAMERA, RAW_BYTES, *RAW) as stream:
        stream.more(5)
        control("focus", CAMERA, "--mode", "auto", "--at", "0.5,0.4")
        # Some 200 frames where they come late; on a machine without time they are few a second.
        until(150, "focus", lambda: control.json("focus", CAMERA)["settings"]["focus"]["mode"] == "locked")
        found = settings.driver(machine, control, ("focus_absolute", "focus_automatic_continuous"))
        told = control.json("focus", CAMERA)["settings"]["focus"]
        stream.more(1)
    assert abs(found["focus_absolute"] - 150) <= 25 and found["focus_automatic_continuous"] == 0, (found, told)


def the_node_zooms_where_the_driver_cannot(machine, control):
    control("set", SINGLE, "test_pattern=1", "osd_text_mode=2", "brightness=128", "contrast=128", "saturation=128", "hue=0")
    with tempfile.TemporaryDirectory() as directory:
        photo = Path(directory, "photo.jpg")
        control("zoom", SINGLE, "4")
        try:
            info = control.json("photo", SINGLE, "--size", "640x360", "-o", str(photo))["info"]
        finally:
            control("zoom", SINGLE, "1")
        width, height, pixels = pictures.decode(photo.read_bytes())
    assert info["settings"]["zoom_factor"]["value"] == 4 and (width, height) == (640, 360), info
    # The middle two of eight bars.
    for x, name in (width // 4, "green"), (3 * width // 4, "magenta"):
        mean = pictures.average(pixels, width, x, height // 2, radius=8)
        wrong = max(abs(is_ - should) for is_, should in zip(mean, pictures.COLORS[name]))
        assert wrong <= pictures.TOLERANCE, f"{mean} where {name} should be"


TESTS = (the_node_focuses_once_at_a_point, the_node_zooms_where_the_driver_cannot)
