"""The few V4L2 calls that tests need beside v4l2-ctl: those whose errno or moment counts."""

import errno
import fcntl
import os
import select
import struct

G_CTRL, S_CTRL, SUBSCRIBE_EVENT, DQEVENT = 0xC008561B, 0xC008561C, 0x4020565A, 0x80885659
EVENT_CTRL = 3
CONTROL_IDS = {
    "brightness": 0x00980900, "focus_absolute": 0x009A090A, "focus_automatic_continuous": 0x009A090C,
    "privacy": 0x009A0910, "zoom_absolute": 0x009A090D,
}


class Device:
    """An open video node."""

    def __init__(self, path):
        self._descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._descriptor)

    def get(self, name):
        answer = fcntl.ioctl(self._descriptor, G_CTRL, struct.pack("<Ii", CONTROL_IDS[name], 0))
        return struct.unpack("<Ii", answer)[1]

    def set(self, name, value):
        """Sets a control: None, or the name of the error."""
        try:
            fcntl.ioctl(self._descriptor, S_CTRL, struct.pack("<Ii", CONTROL_IDS[name], value))
            return None
        except OSError as error:
            return errno.errorcode[error.errno]

    def subscribe(self, name):
        """From now on the control's changes are events."""
        fcntl.ioctl(self._descriptor, SUBSCRIBE_EVENT, struct.pack("<III20x", EVENT_CTRL, CONTROL_IDS[name], 0))

    def event(self, seconds):
        """The next event: the id and the value of a control; None if there is none in time."""
        poll = select.poll()
        poll.register(self._descriptor, select.POLLPRI)
        if not poll.poll(seconds * 1000):
            return None
        event = fcntl.ioctl(self._descriptor, DQEVENT, bytes(136))
        (value,) = struct.unpack_from("<i", event, 8 + 8)  # after its type, the changes, and the control's type
        (control,) = struct.unpack_from("<I", event, 96)
        return control, value
