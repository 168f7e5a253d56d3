"""The camera: its default endpoint, its status endpoint, and what holds its parts together."""

import asyncio
import collections
import struct

from . import controls, descriptors
from .controls import REQUEST_NAMES, SET_CUR, Refused
from .faults import Faults
from .streaming import Stream
from .usbip import Link

GET_STATUS, CLEAR_FEATURE, GET_DESCRIPTOR, GET_CONFIGURATION, SET_CONFIGURATION = 0, 1, 6, 8, 9
GET_INTERFACE, SET_INTERFACE = 10, 11
TO_HOST, CLASS, RECIPIENT, TO_ENDPOINT = 0x80, 0x20, 0x1F, 2
ERROR_CODE = 2  # the selector of VC_REQUEST_ERROR_CODE_CONTROL
STATUS_CONTROL, STATUS_STREAMING = 1, 2


class Camera:
    """A camera. Its settings, faults and frame numbers survive unplugging; `reset` restores the defaults."""

    vendor, product, release = 0x1209, 0x0C4A, 0x0100

    def __init__(self, serial, model="USB Camera"):
        self.serial = serial
        self.model = model
        self.plugged = True
        self.link = None
        self.faults = Faults()
        self.bank = controls.Bank()
        self.requests = collections.deque(maxlen=1000)
        self._happened = asyncio.Event()
        self.subject = None
        self.stream = Stream(self.faults, self._changed, self._blur)

    def _blur(self):
        """How far the lens blurs, in pairs of pixels; None while the picture does not tell."""
        if self.subject is None:
            return None
        return abs(self.bank.values["focus_absolute"][0] - self.subject) // 10

    # What others wait for.

    def _changed(self):
        self._happened.set()
        self._happened.clear()

    async def until(self, condition):
        while not condition():
            await self._happened.wait()

    async def available(self):
        await self.until(lambda: self.plugged and self.link is None)

    # The cable.

    async def serve(self, link):
        """Lives on a link until it is cut."""
        self.link = link
        self._error = 0
        self._events = asyncio.Queue()
        tasks = [asyncio.create_task(part(link)) for part in (Link.run, self._control, self._status)]
        self._changed()
        try:
            ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in ended:
                task.result()  # none ends well: the cable was cut, or there is a mistake here to be seen
        finally:
            self.stream.stop()
            for task in tasks:
                task.cancel()
            self.link = None
            self._changed()

    def withhold(self, is_withholding):
        """Until the cable is cut, at the latest."""
        if self.link:
            self.link.withhold(is_withholding)

    def unplug(self):
        self.plugged = False
        if self.link:
            self.link.cut()

    def plug(self):
        self.plugged = True
        self._changed()

    # What the camera does by itself.

    def change(self, control, value, announced=True):
        """Changes a control as a mode, a shutter or a dial does, and tells the host."""
        self.bank.values[control.name] = value
        if announced:
            data = struct.pack(control.layout, *value)
            self._announce(bytes((STATUS_CONTROL, control.unit, 0, control.selector, 0)) + data)

    def press(self):
        for value in (1, 0):
            self._announce(bytes((STATUS_STREAMING, descriptors.STREAMING_INTERFACE, 0, value)))

    def _announce(self, event):
        if self.link:
            self._events.put_nowait(event)

    async def _status(self, link):
        while True:
            event = await self._events.get()
            urb = await link.pipe(descriptors.STATUS_ENDPOINT).take()
            link.complete(urb, event)

    # The default endpoint: one transfer at a time.

    async def _control(self, link):
        while True:
            urb = await link.pipe(0).take()
            try:
                data = await self._transfer(urb, link)
            except Refused as refusal:
                self._error = refusal.code
                link.stall(urb)
                continue
            if data is None:
                link.complete(urb, length=len(urb.data))
            else:
                link.complete(urb, data[:urb.length])

    async def _transfer(self, urb, link):
        """Carries a request out: the data for the host, or None if the host sent it."""
        kind, request, value, index, length = struct.unpack("<BBHHH", urb.setup)
        if kind & 0x60 == CLASS:
            return await self._class_transfer(urb, link, request, value >> 8, index >> 8, index & 0xFF)
        if kind & TO_HOST:
            return self._standard_answer(request, value)
        if request == CLEAR_FEATURE and kind & RECIPIENT == TO_ENDPOINT:
            if index & 0x7F == descriptors.VIDEO_ENDPOINT:
                self.stream.stop()
        elif request not in (CLEAR_FEATURE, SET_CONFIGURATION, SET_INTERFACE):
            raise Refused(controls.INVALID_REQUEST)
        return None

    def _standard_answer(self, request, value):
        if request == GET_DESCRIPTOR:
            kind, index = value >> 8, value & 0xFF
            if kind == descriptors.DEVICE:
                return descriptors.device(self.vendor, self.product, self.release, bool(self.serial))
            if kind == descriptors.CONFIGURATION:
                return descriptors.configuration()
            texts = (None, "RemoteCapture", self.model, self.serial)
            if kind == descriptors.STRING and index < len(texts):
                return descriptors.string(texts[index])
        answers = {GET_STATUS: b"\0\0", GET_CONFIGURATION: b"\1", GET_INTERFACE: b"\0"}
        if request not in answers:
            raise Refused(controls.INVALID_REQUEST)
        return answers[request]

    async def _class_transfer(self, urb, link, request, selector, unit, interface):
        if interface == descriptors.STREAMING_INTERFACE:
            if request == SET_CUR:
                return self.stream.set(selector, urb.data, link)
            return self.stream.get(selector, request)
        if (unit, selector) == (0, ERROR_CODE):
            code, self._error = self._error, 0
            return b"\x03" if request == controls.GET_INFO else bytes((code,))
        self._error = 0
        control = controls.find(unit, selector)
        self.requests.append((REQUEST_NAMES.get(request, hex(request)), control.name, urb.data.hex()))
        if request in (SET_CUR, controls.GET_CUR):
            await urb.hold(self.faults.delays.get(control.name, 0))
            if urb.unlinked.is_set():
                return None
        if request != SET_CUR:
            return self.bank.get(control, request)
        if code := self.faults.next_refusal(control.name):
            raise Refused(code)
        return self.bank.set(control, urb.data)
