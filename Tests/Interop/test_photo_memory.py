"""What a photo takes of memory at most, beside a stream that runs, in sizes of the raw picture.

usage: test_photo_memory.py DIRECTORY-OF-PROGRAMS

Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import contextlib
import statistics
import sys
import threading
import time
from pathlib import Path

from cases import passes
from capture_client import Connection, NodeError, pb
from configured_node import running_node

WIDTH, HEIGHT = 3840, 2160
RAW = WIDTH * HEIGHT * 2
CONFIGURATION = """{
  listen: [{ address: "127.0.0.1:0", trustLocalUsers: true }], state: "none", cameras: ["synthetic:%dx%d@5"], logLevel: "error",
  limits: { recentFrameBytesPerCamera: 0 },
}""" % (WIDTH, HEIGHT)
YUYV, MJPEG = (int.from_bytes(code, "little") for code in (b"YUYV", b"MJPG"))
TURNED = pb.PhotoOrientation(degrees=90)
LOSSLESS, ENCODED = pb.ORIENTATION_METHOD_LOSSLESS, pb.ORIENTATION_METHOD_ENCODED


class Memory:
    """What a process takes of memory."""

    def __init__(self, process):
        self._folder = Path(f"/proc/{process}")

    def most(self, during):
        """Bytes that it has at most meanwhile."""
        (self._folder / "clear_refs").write_text("5")
        during()
        line = next(line for line in (self._folder / "status").read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024


@contextlib.contextmanager
def viewer(address, code):
    """Watches frames of the camera's own format, as they are, two a second; `seen()` waits for two more."""
    arrived, ends = threading.Semaphore(0), threading.Event()

    def watch():
        with Connection(address, timeout=30) as node, contextlib.suppress(NodeError):
            encoding = pb.ENCODING_JPEG if code == MJPEG else pb.ENCODING_RAW
            for _ in node.frames("0", encoding=encoding, source_pixel_format=code, size=pb.Size(width=WIDTH, height=HEIGHT), rate=2):
                arrived.release()
                if ends.is_set():
                    return

    def seen():
        for _ in range(2):
            assert arrived.acquire(timeout=30), "no frames"

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        ends.set()
        thread.join()


def taken(address, **settings):
    request = pb.CapturePhotoRequest(device="0", settings=pb.PhotoSettings(when=pb.When(now=True), **settings))
    with Connection(address, timeout=60) as node:
        *_, photo = node.server_stream("capture.v1.Photos/Capture", request, pb.PhotoEvent, timeout=60)
    assert photo.data


def growth(node, code, **settings):
    """Returns how much more memory the node takes at most with a photo than without one, in raw pictures: the median of three."""
    memory = Memory(node.process.pid)
    with viewer(node.address, code) as seen:
        seen()
        taken(node.address, **settings)
        grown = []
        for _ in range(3):
            seen()
            without = memory.most(seen)
            grown.append((memory.most(lambda: taken(node.address, **settings)) - without) / RAW)
    return statistics.median(grown)


CASES = {
    "a photo of raw frames": (2, YUYV, {}),
    # Its planes before and after, and the JPEG (docs/performance.md).
    "a turned photo of raw frames": (2.1, YUYV, {"orientation": TURNED}),
    "a photo of the camera's own JPEG": (2, MJPEG, {}),
    "a photo of a JPEG that is turned by encoding it again": (2.1, MJPEG, {"orientation": TURNED, "orientation_method": ENCODED}),
    "a photo of a JPEG that is turned without loss": (6, MJPEG, {"orientation": TURNED, "orientation_method": LOSSLESS}),
}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    failed = 0
    for name, (bound, code, settings) in CASES.items():
        def within(name=name, bound=bound, code=code, settings=settings):
            with running_node(sys.argv[1], CONFIGURATION) as node:
                grown = growth(node, code, **settings)
            print(f"# {name}: {grown:.3f} raw pictures of {RAW / 1e6:.1f} MB", flush=True)
            assert grown <= bound, f"{grown:.2f} raw pictures, and {bound} are allowed"

        failed += not passes(within, name=f"{name} takes at most {bound} raw pictures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
