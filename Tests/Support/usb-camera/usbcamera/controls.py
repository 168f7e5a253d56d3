"""The camera's controls and how they answer the requests of the class (UVC 1.1, sections 4.2 and 4.2.2).

A strict camera: it refuses what is out of range, off the step, read-only, or taken over by an automatic mode.
"""

import struct
from dataclasses import dataclass

SET_CUR, GET_CUR, GET_MIN, GET_MAX = 0x01, 0x81, 0x82, 0x83
GET_RES, GET_LEN, GET_INFO, GET_DEF = 0x84, 0x85, 0x86, 0x87
REQUEST_NAMES = {
    SET_CUR: "SET_CUR", GET_CUR: "GET_CUR", GET_MIN: "GET_MIN", GET_MAX: "GET_MAX",
    GET_RES: "GET_RES", GET_LEN: "GET_LEN", GET_INFO: "GET_INFO", GET_DEF: "GET_DEF",
}
WRONG_STATE, OUT_OF_RANGE, INVALID_UNIT, INVALID_CONTROL, INVALID_REQUEST, INVALID_VALUE = 2, 4, 5, 6, 7, 8
CAMERA, PROCESSING = 1, 2  # the ids of the units
INFO_GET, INFO_SET, INFO_TAKEN, INFO_AUTO_UPDATE = 0x01, 0x02, 0x04, 0x08


class Refused(Exception):
    """A stalled request; `code` is what VC_REQUEST_ERROR_CODE_CONTROL then says."""

    def __init__(self, code):
        super().__init__(f"UVC error {code}")
        self.code = code


@dataclass(frozen=True)
class Control:
    """One control. Its values are tuples: pan and tilt are one control of two numbers.

    `bit` is its place in the unit's bmControls; `resolution` the step, or the set of a bit mask's allowed values;
    `ranged` is false for those that the class gives no minimum and maximum; `automatic` names the switch that takes
    the control over, and the switch's values that do so.
    """

    name: str
    unit: int
    selector: int
    bit: int
    layout: str
    minimum: int
    maximum: int
    default: int
    resolution: int = 1
    ranged: bool = True
    automatic: tuple = ()
    info: int = INFO_GET | INFO_SET

    @property
    def size(self):
        return struct.calcsize(self.layout)

    @property
    def count(self):
        return len(self.layout) - 1

    def pack(self, number):
        return struct.pack(self.layout, *[number] * self.count)

    def check(self, value):
        for number in value:
            if not self.minimum <= number <= self.maximum:
                raise Refused(OUT_OF_RANGE)
            if self.name == "auto_exposure":
                if number not in (1, 2, 4, 8) or not number & self.resolution:
                    raise Refused(INVALID_VALUE)
            elif (number - self.minimum) % self.resolution:
                raise Refused(INVALID_VALUE)


MOVES = INFO_GET | INFO_SET | INFO_AUTO_UPDATE  # an automatic mode changes it
SHOWS = INFO_GET | INFO_AUTO_UPDATE

# Ranges as of a common desk webcam. `auto_exposure` has manual (1) and aperture priority (8): V4L2's 1 and 3.
CONTROLS = (
    Control("auto_exposure", CAMERA, 0x02, 1, "<B", 1, 8, 8, resolution=0b1001, ranged=False),
    Control("exposure_dynamic_framerate", CAMERA, 0x03, 2, "<B", 0, 1, 0, ranged=False),
    Control("exposure_time_absolute", CAMERA, 0x04, 3, "<I", 3, 2047, 250,
            automatic=("auto_exposure", {2, 8}), info=MOVES),
    Control("focus_absolute", CAMERA, 0x06, 5, "<H", 0, 250, 0, resolution=5,
            automatic=("focus_automatic_continuous", {1}), info=MOVES),
    Control("focus_automatic_continuous", CAMERA, 0x08, 17, "<B", 0, 1, 1, ranged=False),
    Control("iris_absolute", CAMERA, 0x09, 7, "<H", 200, 1600, 200, resolution=100),
    Control("zoom_absolute", CAMERA, 0x0B, 9, "<H", 100, 500, 100),
    Control("pan_tilt", CAMERA, 0x0D, 11, "<ii", -36000, 36000, 0, resolution=3600),
    Control("privacy", CAMERA, 0x11, 18, "<B", 0, 1, 0, ranged=False, info=SHOWS),
    Control("brightness", PROCESSING, 0x02, 0, "<h", -64, 64, 0),
    Control("contrast", PROCESSING, 0x03, 1, "<H", 0, 255, 128),
    Control("hue", PROCESSING, 0x06, 2, "<h", -180, 180, 0, resolution=10),
    Control("saturation", PROCESSING, 0x07, 3, "<H", 0, 255, 128),
    Control("sharpness", PROCESSING, 0x08, 4, "<H", 0, 255, 128),
    Control("gamma", PROCESSING, 0x09, 5, "<H", 100, 500, 100),
    Control("white_balance_temperature", PROCESSING, 0x0A, 6, "<H", 2000, 6500, 4000, resolution=10,
            automatic=("white_balance_automatic", {1}), info=MOVES),
    Control("white_balance_automatic", PROCESSING, 0x0B, 12, "<B", 0, 1, 1, ranged=False),
    Control("backlight_compensation", PROCESSING, 0x01, 8, "<H", 0, 2, 0),
    Control("gain", PROCESSING, 0x04, 9, "<H", 0, 255, 0),
    Control("power_line_frequency", PROCESSING, 0x05, 10, "<B", 0, 2, 2, ranged=False),
)
BY_NAME = {control.name: control for control in CONTROLS}
BY_ADDRESS = {(control.unit, control.selector): control for control in CONTROLS}


def bitmap(unit, size):
    """A unit's bmControls."""
    return sum(1 << control.bit for control in CONTROLS if control.unit == unit).to_bytes(size, "little")


def find(unit, selector):
    if unit not in (CAMERA, PROCESSING):
        raise Refused(INVALID_UNIT)
    if (unit, selector) not in BY_ADDRESS:
        raise Refused(INVALID_CONTROL)
    return BY_ADDRESS[unit, selector]


class Bank:
    """The controls' values."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.values = {control.name: (control.default,) * control.count for control in CONTROLS}

    def is_taken(self, control):
        """Whether an automatic mode has taken a control over."""
        if not control.automatic:
            return False
        switch, modes = control.automatic
        return self.values[switch][0] in modes

    def get(self, control, request):
        """The answer to a GET request."""
        if request == GET_CUR:
            return struct.pack(control.layout, *self.values[control.name])
        if request == GET_LEN:
            return struct.pack("<H", control.size)
        if request == GET_INFO:
            return bytes([control.info | (INFO_TAKEN if self.is_taken(control) else 0)])
        if request == GET_DEF and control.info & INFO_SET:
            return control.pack(control.default)
        if request == GET_RES and (control.ranged or control.name == "auto_exposure"):
            return control.pack(control.resolution)
        if request == GET_MIN and control.ranged:
            return control.pack(control.minimum)
        if request == GET_MAX and control.ranged:
            return control.pack(control.maximum)
        raise Refused(INVALID_REQUEST)

    def set(self, control, data):
        """Carries a SET_CUR out."""
        if not control.info & INFO_SET or len(data) != control.size:
            raise Refused(INVALID_REQUEST)
        if self.is_taken(control):
            raise Refused(WRONG_STATE)
        value = struct.unpack(control.layout, data)
        control.check(value)
        self.values[control.name] = value
