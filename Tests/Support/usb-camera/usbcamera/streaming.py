"""The video stream: negotiation by probe and commit (UVC 1.1, section 4.3.1.1), then frames in payloads."""

import asyncio
import struct
import time

from . import pictures
from .controls import GET_CUR, GET_DEF, GET_INFO, GET_LEN, GET_MAX, GET_MIN, INVALID_CONTROL, INVALID_REQUEST, Refused
from .descriptors import CLOCK, VIDEO_ENDPOINT
from .modes import FORMATS, TICKS

PROBE, COMMIT = 1, 2
SETTINGS = struct.Struct("<HBBIHHHHHIIIBBBB")
PAYLOAD = 16384  # bytes with the header: what uvcvideo's URBs hold (32 packets of 512)
HEADER = struct.Struct("<BBI")  # length, flags, presentation time
TOGGLE, END_OF_FRAME, HAS_TIME, ERROR, END_OF_HEADER = 0x01, 0x02, 0x04, 0x40, 0x80


class Stream:
    """Sends frames from commit until the host clears the endpoint's halt, its way of stopping a bulk stream.

    Frames are numbered from 0 for as long as the camera exists, across streams and unplugging.
    """

    def __init__(self, faults, changed, blur):
        self.number = 0
        self.sent = 0
        self.mode = None
        self.rate = 0
        self._faults = faults
        self._changed = changed
        self._blur = blur
        self._task = None
        self._settings = settings(1, 1, 0)

    @property
    def running(self):
        return self._task is not None

    def get(self, selector, request):
        if selector not in (PROBE, COMMIT):
            raise Refused(INVALID_CONTROL)
        if request == GET_LEN:
            return struct.pack("<H", SETTINGS.size)
        if request == GET_INFO:
            return b"\x03"
        if request == GET_DEF:
            return settings(1, 1, 0)
        if request in (GET_CUR, GET_MIN, GET_MAX):
            return self._settings
        raise Refused(INVALID_REQUEST)

    def set(self, selector, data, link):
        if selector not in (PROBE, COMMIT):
            raise Refused(INVALID_CONTROL)
        _, format_index, frame_index, interval, *_ = SETTINGS.unpack(data.ljust(SETTINGS.size, b"\0")[:SETTINGS.size])
        self._settings = settings(format_index, frame_index, interval)
        if selector == COMMIT:
            self.stop()
            self.mode = chosen(format_index, frame_index)
            interval = SETTINGS.unpack(self._settings)[3]
            self.rate = TICKS / interval
            self._task = asyncio.create_task(self._run(link))
            self._task.add_done_callback(lambda task: task.cancelled() or task.result())  # no mistake is silent
            self._changed()

    def stop(self):
        if self._task:
            self._task.cancel()
            self._task = None
            self._faults.halted = False
            self._changed()

    async def _run(self, link):
        await asyncio.to_thread(pictures.bodies, self.mode.fourcc, self.mode.width, self.mode.height)
        await link.pipe(VIDEO_ENDPOINT).ready()
        due = time.monotonic()
        toggle = 0
        while True:
            await self._faults.flowing()
            fault = self._faults.next_frame()
            if fault != "skip":
                await self._send(link, spoiled(self._picture(), fault), toggle | (ERROR if fault == "error" else 0))
                toggle ^= TOGGLE
                self.sent += 1
                self._changed()
            self.number += 1
            due += 1 / self.rate
            late = time.monotonic() - due
            if late > 0:  # a sensor does not wait for a slow host: these frames are lost
                missed = int(late * self.rate)
                self.number += missed
                due += missed / self.rate
            await asyncio.sleep(max(0, -late))

    def _picture(self):
        return pictures.frame(self.mode.fourcc, self.mode.width, self.mode.height, self.number, self._blur())

    async def _send(self, link, frame, flags):
        flags |= HAS_TIME | END_OF_HEADER
        taken = int(time.monotonic() * CLOCK) & 0xFFFFFFFF
        step = PAYLOAD - HEADER.size
        for start in range(0, len(frame), step):
            urb = await link.pipe(VIDEO_ENDPOINT).take()
            if self._faults.halted:
                link.stall(urb)
                continue
            last = END_OF_FRAME if start + step >= len(frame) else 0
            link.complete(urb, HEADER.pack(HEADER.size, flags | last, taken) + frame[start:start + step])


def chosen(format_index, frame_index):
    """The mode of two indices; the nearest that exists, as the class wants it."""
    _, modes = FORMATS[min(max(format_index, 1), len(FORMATS)) - 1]
    return modes[min(max(frame_index, 1), len(modes)) - 1]


def settings(format_index, frame_index, interval):
    """What the camera makes of a proposal: the nearest of its modes and intervals."""
    mode = chosen(format_index, frame_index)
    format_index = 1 + [fourcc for fourcc, _ in FORMATS].index(mode.fourcc)
    frame_index = 1 + FORMATS[format_index - 1][1].index(mode)
    interval = min(mode.intervals, key=lambda each: abs(each - interval)) if interval else mode.intervals[0]
    return SETTINGS.pack(1, format_index, frame_index, interval, 0, 0, 0, 0, 0,
                         mode.largest_frame, PAYLOAD, CLOCK, 0, 0, 0, 0)


def spoiled(frame, fault):
    if fault == "truncate":
        return frame[:len(frame) // 2]
    if fault == "corrupt":
        third = len(frame) // 3
        return frame[:third] + bytes(third) + frame[2 * third:]
    if fault == "headless":
        return frame[PAYLOAD - HEADER.size:]
    return frame
