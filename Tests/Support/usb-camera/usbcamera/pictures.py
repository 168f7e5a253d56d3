"""The frames that the camera sends: colour bars, the last digit of the frame's number, and a band of noise.

Every frame proves itself: it carries its number, the length and the CRC-32 of what follows. A JPEG has them in
a comment right after its first marker, raw video in its first pixels. `parse` checks them.
"""

import functools
import itertools
import random
import re
import struct
import subprocess
import zlib

DISTINCT = 10
BARS = ("white", "yellow", "cyan", "green", "magenta", "red", "blue", "black")
RGB = {
    "white": (235, 235, 235), "yellow": (235, 235, 16), "cyan": (16, 235, 235), "green": (16, 235, 16),
    "magenta": (235, 16, 235), "red": (235, 16, 16), "blue": (16, 16, 235), "black": (16, 16, 16),
}
# Rows of five cells, a bit each.
DIGITS = (
    (14, 17, 19, 21, 25, 17, 14), (4, 12, 4, 4, 4, 4, 14), (14, 17, 1, 2, 4, 8, 31), (31, 2, 4, 2, 1, 17, 14),
    (2, 6, 10, 18, 31, 2, 2), (31, 16, 30, 1, 1, 17, 14), (6, 8, 16, 30, 17, 17, 14), (31, 1, 2, 4, 8, 8, 8),
    (14, 17, 17, 14, 17, 17, 14), (14, 17, 17, 15, 1, 2, 12),
)
COMMENT = re.compile(
    rb"\xff\xd8\xff\xfe\x00\x2fframe (\d{8}) length (\d{8}) crc32 ([0-9a-f]{8})"
)
RAW_STAMP = struct.Struct("<4sIII")  # "UVC1", number, length, CRC-32


class Damaged(Exception):
    """Bytes that are no frame as the camera made it."""


def frame(fourcc, width, height, number, blur=None):
    """The bytes of a frame. With a blur, of raw frames alone, the picture keeps still, and only the blur changes it."""
    if blur is None or fourcc == "MJPG":
        body = bodies(fourcc, width, height)[number % DISTINCT]
    else:
        body = blurred(fourcc, width, height, blur)
    if fourcc == "MJPG":
        stamp = b"frame %08d length %08d crc32 %08x" % (number, len(body), zlib.crc32(body))
        return b"\xff\xd8\xff\xfe" + struct.pack(">H", len(stamp) + 2) + stamp + body
    return RAW_STAMP.pack(b"UVC1", number, len(body), zlib.crc32(body)) + body


def parse(data):
    """The number and the length of the frame at the beginning of some bytes; `Damaged` if a bit is wrong."""
    if match := COMMENT.match(data):
        start, number, length, checksum = match.end(), int(match[1]), int(match[2]), int(match[3], 16)
    elif data[:4] == b"UVC1" and len(data) >= RAW_STAMP.size:
        start = RAW_STAMP.size
        _, number, length, checksum = RAW_STAMP.unpack_from(data)
    else:
        raise Damaged("no frame starts here")
    body = data[start:start + length]
    if len(body) != length:
        raise Damaged(f"frame {number} ends after {len(body)} of {length} bytes")
    if zlib.crc32(body) != checksum:
        raise Damaged(f"frame {number} differs from what was sent")
    return number, start + length


def numbers(data):
    """The number of each frame in a file of frames that follow each other; None for a damaged one."""
    starts = [match.start() for match in COMMENT.finditer(data)]
    if not starts:
        _, size = parse(data)  # raw frames are all of a size
        starts = range(0, len(data), size)
    return [number(data[start:end]) for start, end in zip(starts, [*starts[1:], len(data)])]


def number(data):
    """The number of the one frame in some bytes; None if it is damaged."""
    try:
        found, length = parse(data)
    except Damaged:
        return None
    return found if length == len(data) else None


@functools.cache
def bodies(fourcc, width, height):
    """The distinct pictures of a mode, each without what identifies the frame."""
    if fourcc == "MJPG":
        return tuple(jpeg(width, height, digit)[2:] for digit in range(DISTINCT))
    return tuple(packed(fourcc, width, yuyv(width, height, digit))[RAW_STAMP.size:] for digit in range(DISTINCT))


@functools.cache
def blurred(fourcc, width, height, reach):
    """A raw picture through a lens that is out of focus: each pair of pixels is the mean of its row so many pairs to either side."""
    row, sharp = width * 2, yuyv(width, height, 8)
    picture = b"".join(smeared(sharp[start:start + row], reach) for start in range(0, len(sharp), row))
    return packed(fourcc, width, picture)[RAW_STAMP.size:]


@functools.cache
def smeared(row, reach):
    smooth = bytearray(len(row))
    for places in (0, 2), (1,), (3,):  # luma, and the two colours
        values = row[places[0]::4]
        count = len(values)
        sums = [0, *itertools.accumulate(values)]
        means = bytes(
            (sums[min(x + reach + 1, count)] - sums[max(x - reach, 0)]) // (min(x + reach + 1, count) - max(x - reach, 0))
            for x in range(count))
        for place in places:
            smooth[place::4] = means
    return bytes(smooth)


def yuyv(width, height, digit):
    return paint(width // 2, height, {name: pixel_pair(*rgb) for name, rgb in RGB.items()}, digit)


def packed(fourcc, width, picture):
    """A picture of YUYV in another raw format."""
    if fourcc == "YUYV":
        return picture
    # M420: two rows of luma, then one of both colours in turn. The colours are those of the upper row.
    row = width * 2
    return b"".join(
        picture[start:start + 2 * row:2] + picture[start + 1:start + row:2] for start in range(0, len(picture), 2 * row))


def jpeg(width, height, digit):
    colors = {name: bytes(rgb) for name, rgb in RGB.items()}
    picture = b"P6 %d %d 255\n" % (width, height) + paint(width, height, colors, digit)
    command = ("cjpeg", "-quality", "80", "-sample", "2x1")  # 4:2:2, as webcams send
    return subprocess.run(command, input=picture, stdout=subprocess.PIPE, check=True).stdout


def paint(width, height, colors, digit):
    """Rows from top to bottom, of `width` items that `colors` names: pixels, or pairs of them."""
    size = len(colors["white"])
    bars = bytearray(b"".join(colors[BARS[x * len(BARS) // width]] for x in range(width)))
    noisy = height // 8
    cell_height = (height - noisy) // 9
    cell_width = width // 12
    rows = [bytes(bars) * cell_height]
    for bits in DIGITS[digit]:
        row = bytearray(bars)
        for column in range(7):  # the digit stands on a black ground one cell wider than itself
            lit = 1 <= column <= 5 and bits >> (5 - column) & 1
            start = (column + 2) * cell_width * size
            row[start:start + cell_width * size] = colors["white" if lit else "black"] * cell_width
        rows.append(bytes(row) * cell_height)
    rows.append(bytes(bars) * (height - noisy - 8 * cell_height))
    rows.append(random.Random(digit).randbytes(width * size * noisy))
    return b"".join(rows)


def pixel_pair(red, green, blue):
    """Two equal pixels as YUYV: BT.601, limited range."""
    luma = 16 + (66 * red + 129 * green + 25 * blue >> 8)
    blueness = 128 + (-38 * red - 74 * green + 112 * blue >> 8)
    redness = 128 + (112 * red - 94 * green - 18 * blue >> 8)
    return bytes((luma, blueness, luma, redness))
