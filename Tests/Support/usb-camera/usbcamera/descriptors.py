"""The camera's USB descriptors: UVC 1.1, one bulk video endpoint, one status interrupt endpoint."""

import struct

from . import controls
from .modes import BITS, FORMATS

DEVICE, CONFIGURATION, STRING = 1, 2, 3
INTERFACE, ENDPOINT, ASSOCIATION = 4, 5, 11
CLASS_INTERFACE, CLASS_ENDPOINT = 0x24, 0x25
VIDEO, CONTROL_SUBCLASS, STREAMING_SUBCLASS, COLLECTION_SUBCLASS = 0x0E, 1, 2, 3
CONTROL_INTERFACE, STREAMING_INTERFACE = 0, 1
VIDEO_ENDPOINT, STATUS_ENDPOINT = 1, 3  # both to the host
UVC = 0x0110
CLOCK = 1_000_000  # Hz, of the presentation times
OUTPUT = 3  # the id of the unit after the camera (1) and the processing unit (2)
MEDIA = bytes.fromhex("00001000800000aa00389b71")  # what follows the code in a format's GUID
GUIDS = {"YUYV": b"YUY2" + MEDIA, "M420": b"M420" + MEDIA}


def descriptor(kind, layout, *fields):
    body = struct.pack("<" + layout, *fields)
    return bytes((len(body) + 2, kind)) + body


def device(vendor, product, release, has_serial):
    return descriptor(DEVICE, "HBBBBHHHBBBB", 0x0200, 0xEF, 2, 1, 64, vendor, product, release, 1, 2, 3 * has_serial, 1)


def string(text):
    if text is None:  # string 0: the languages
        return descriptor(STRING, "H", 0x0409)
    return descriptor(STRING, f"{len(text) * 2}s", text.encode("utf-16-le"))


def configuration():
    body = (
        descriptor(ASSOCIATION, "BBBBBB", CONTROL_INTERFACE, 2, VIDEO, COLLECTION_SUBCLASS, 0, 2)
        + interface(CONTROL_INTERFACE, CONTROL_SUBCLASS) + control_class()
        + descriptor(ENDPOINT, "BBHB", 0x80 | STATUS_ENDPOINT, 3, 16, 8)
        + descriptor(CLASS_ENDPOINT, "BH", 3, 16)
        + interface(STREAMING_INTERFACE, STREAMING_SUBCLASS) + streaming_class()
        + descriptor(ENDPOINT, "BBHB", 0x80 | VIDEO_ENDPOINT, 2, 512, 0)
    )
    return descriptor(CONFIGURATION, "HBBBBB", 9 + len(body), 2, 1, 0, 0x80, 250) + body


def interface(number, subclass):
    return descriptor(INTERFACE, "BBBBBBB", number, 0, 1, VIDEO, subclass, 0, 0)


def control_class():
    units = (
        descriptor(CLASS_INTERFACE, "BBHBBHHHB3s", 2, controls.CAMERA, 0x0201, 0, 0, 0, 0, 0, 3,
                   controls.bitmap(controls.CAMERA, 3))
        + descriptor(CLASS_INTERFACE, "BBBHB2sBB", 5, controls.PROCESSING, controls.CAMERA, 0, 2,
                     controls.bitmap(controls.PROCESSING, 2), 0, 0)
        + descriptor(CLASS_INTERFACE, "BBHBBB", 3, OUTPUT, 0x0101, 0, controls.PROCESSING, 0)
    )
    return descriptor(CLASS_INTERFACE, "BHHIBB", 1, UVC, 13 + len(units), CLOCK, 1, STREAMING_INTERFACE) + units


def streaming_class():
    formats = b"".join(format_class(index, *entry) for index, entry in enumerate(FORMATS, 1))
    per_format = bytes(len(FORMATS))  # no controls of a format
    size = 13 + len(FORMATS) + len(formats)
    # It has a trigger button, for general purposes.
    return descriptor(CLASS_INTERFACE, f"BBHBBBBBBB{len(FORMATS)}s", 1, len(FORMATS), size, 0x80 | VIDEO_ENDPOINT,
                      0, OUTPUT, 0, 1, 1, 1, per_format) + formats


def format_class(index, fourcc, modes):
    if fourcc == "MJPG":
        frame_kind = 7
        head = descriptor(CLASS_INTERFACE, "BBBBBBBBB", 6, index, len(modes), 1, 1, 0, 0, 0, 0)
    else:
        frame_kind = 5
        head = descriptor(CLASS_INTERFACE, "BBB16sBBBBBB", 4, index, len(modes), GUIDS[fourcc], BITS[fourcc], 1, 0, 0, 0, 0)
    frames = b"".join(frame_class(frame_kind, number, mode) for number, mode in enumerate(modes, 1))
    return head + frames + descriptor(CLASS_INTERFACE, "BBBB", 13, 1, 1, 4)  # BT.709 primaries, BT.601 matrix


def frame_class(kind, number, mode):
    bits = mode.largest_frame * 8
    return descriptor(
        CLASS_INTERFACE, f"BBBHHIIIIB{len(mode.intervals)}I", kind, number, 0, mode.width, mode.height,
        bits * min(mode.rates), bits * max(mode.rates), mode.largest_frame,
        mode.intervals[0], len(mode.intervals), *mode.intervals,
    )
