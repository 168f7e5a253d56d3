"""A camera of which any size can be had: vivid's HDMI input, up to 16384x8640. Nodes of their own in the machine see it as it appears with that input."""

import base64
import contextlib
import json
import re

import pictures
from cameras import PATHS, SINGLE
from control import until

# The inputs of the machine of inputs.py.
HDMI, TV = 0, 1
PLACE = "/tmp/hdmi"


class Node:
    """A node in the machine, and capturectl there."""

    def __init__(self, machine):
        self._machine = machine

    def __call__(self, words):
        return self._machine.guest(f"{self._machine.programs}/capturectl --timeout 60 --node unix:{PLACE}/socket {words}")

    def refused(self, words):
        """What is said by a command that has to fail."""
        return self._machine.guest(
            f"! {self._machine.programs}/capturectl --timeout 60 --node unix:{PLACE}/socket {words} 2>&1")

    def status(self):
        return json.loads(self("--json status"))["cameras"][0]

    def photo(self):
        self(f"photo 0 -o {PLACE}/photo.jpg")
        return pictures.decode(base64.b64decode(self._machine.guest(f"base64 -w0 {PLACE}/photo.jpg")))

    def most_memory(self):
        """Bytes that it has had at most, mapped buffers included."""
        return 1024 * int(self._machine.guest(f"grep VmHWM /proc/$(cat {PLACE}/pid)/status").split()[1])


@contextlib.contextmanager
def node(machine, limit=None):
    """A node for the HDMI input alone, which may have so many bytes of buffers; and the size that its driver is set to."""
    path = PATHS[SINGLE]
    machine.guest(f"rm -rf {PLACE} && mkdir {PLACE} && v4l2-ctl -d {path} -i {HDMI}")
    try:
        limits = "" if limit is None else f"limits: {{ bufferBytesPerCamera: {limit} }}"
        machine.guest(f"echo '{{ {limits} }}' > {PLACE}/config")
        shown = machine.guest(f"v4l2-ctl -d {path} --get-fmt-video")
        size = tuple(int(side) for side in re.search(r"Width/Height\s*: (\d+)/(\d+)", shown).groups())
        machine.guest(
            f"{machine.programs}/capture-node --listen unix:{PLACE}/socket --state none --camera {SINGLE} --config {PLACE}/config "
            f">{PLACE}/log 2>&1 & echo $! >{PLACE}/pid; timeout 30 sh -c 'until grep -q \"listening on\" {PLACE}/log; do sleep 0.1; done'")
        yield Node(machine), size
    finally:
        # With another input the driver lets go of the size that was set.
        machine.guest(
            f"kill $(cat {PLACE}/pid); timeout 10 sh -c 'while test -e {PLACE}/socket; do sleep 0.1; done'; v4l2-ctl -d {path} -i {TV}")


def a_photo_without_a_size_has_the_drivers_and_memory_stays_bounded(machine, control):
    with node(machine) as (hdmi, size):
        formats = json.loads(hdmi("--json formats 0"))["formats"]
        assert formats[0]["sizes"][0]["maximum"] == {"width": 16384, "height": 8640}, formats[0]
        width, height, _ = hdmi.photo()
        assert (width, height) == size, f"{width}x{height}, and the driver is set to {size}"
        assert hdmi.most_memory() < 256_000_000, hdmi.most_memory()
        error = hdmi.refused(f"photo 0 --size 16384x8640 -o {PLACE}/large.jpg")
        assert "RESOURCE_EXHAUSTED" in error and "limits.bufferBytesPerCamera" in error, error
        assert hdmi.most_memory() < 256_000_000, hdmi.most_memory()
        print(f"# a photo of {width}x{height}; at most {hdmi.most_memory() / 1e6:.1f} MB", flush=True)


def buffers_stay_within_what_is_configured(machine, control):
    limit = 4_000_000
    with node(machine, limit) as (hdmi, size):
        assert hdmi.photo()[:2] == size
        machine.guest(
            f"{machine.programs}/capturectl --node unix:{PLACE}/socket stream 0 --format YUYV -o /dev/null >/dev/null 2>&1 & echo $! >{PLACE}/stream")
        until(20, "frames", lambda: hdmi.status()["frames"] > 0)
        buffers = hdmi.status()["buffers"]
        shown = machine.guest(f"v4l2-ctl -d {PATHS[SINGLE]} --get-fmt-video; kill $(cat {PLACE}/stream)")
        each = int(re.search(r"Size Image\s*: (\d+)", shown).group(1))
        assert 2 <= buffers < 6 and buffers * each <= limit, f"{buffers} of {each} bytes"


def what_is_configured_too_small_refuses_the_stream_and_says_so(machine, control):
    with node(machine, 1_000_000) as (hdmi, (width, height)):
        for command in f"photo 0 -o {PLACE}/photo.jpg", f"stream 0 --size {width}x{height} --count 1 -o /dev/null":
            error = hdmi.refused(command)
            assert "RESOURCE_EXHAUSTED" in error and ("--size" not in command or f"{width}x{height}" in error), error
            assert "may take 1 MB in all" in error and "limits.bufferBytesPerCamera" in error, error
        hdmi("stream 0 --size 320x180 --count 1 -o /dev/null")


TESTS = (
    a_photo_without_a_size_has_the_drivers_and_memory_stays_bounded, buffers_stay_within_what_is_configured,
    what_is_configured_too_small_refuses_the_stream_and_says_so,
)
