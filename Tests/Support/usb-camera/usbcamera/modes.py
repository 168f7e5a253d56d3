"""What the camera can stream: formats, sizes and frame rates, numbered from 1 as the class does."""

from dataclasses import dataclass

TICKS = 10_000_000  # of a frame interval, a second
BITS = {"MJPG": 16, "YUYV": 16, "M420": 12}  # of a pixel; a JPEG is given as many as the same picture in YUYV


@dataclass(frozen=True)
class Mode:
    """A size of a format. The first rate is the default, in frames a second."""

    fourcc: str
    width: int
    height: int
    rates: tuple

    @property
    def intervals(self):
        return tuple(TICKS // rate for rate in self.rates)

    @property
    def largest_frame(self):
        """Bytes; an uncompressed frame has exactly so many."""
        return self.width * self.height * BITS[self.fourcc] // 8


FORMATS = (
    ("MJPG", tuple(Mode("MJPG", *size, (30, 15)) for size in ((640, 480), (1280, 720), (1920, 1080)))),
    ("YUYV", tuple(Mode("YUYV", *size, (30, 15, 10, 5)) for size in ((640, 480), (320, 240)))),
    ("M420", (Mode("M420", 320, 240, (30, 15)),)),
)
