"""USB/IP, the side that has the device (Documentation/usb/usbip_protocol.rst in the kernel's sources)."""

import asyncio
import collections
import errno
import socket
import struct

VERSION = 0x0111
REQUEST_IMPORT, REPLY_IMPORT = 0x8003, 0x0003
HIGH_SPEED = 3
SUBMIT, UNLINK, SUBMIT_REPLY, UNLINK_REPLY = 1, 2, 3, 4

OPERATION = struct.Struct(">HHI")  # version, code, status
BUS_ID = 32
DEVICE = struct.Struct(">256s32sIIIHHHBBBBBB")
COMMAND = struct.Struct(">IIIII")  # command, sequence number, device, direction, endpoint
SUBMIT_BODY = struct.Struct(">IiiiI8s")  # flags, length, start frame, packets, interval, setup
SUBMIT_REPLY_BODY = struct.Struct(">iiiii8x")  # status, length, start frame, packets, errors
UNLINK_BODY = struct.Struct(">I24x")
UNLINK_REPLY_BODY = struct.Struct(">i24x")


class Urb:
    """A transfer that the host asked for; it stays open until it is completed or unlinked."""

    def __init__(self, sequence, endpoint, packets, length, setup, data):
        self.sequence = sequence
        self.endpoint = endpoint
        self.packets = packets
        self.length = length
        self.setup = setup
        self.data = data
        self.unlinked = asyncio.Event()

    async def hold(self, seconds):
        """Lets time pass, but not beyond the moment at which the host gives the transfer up."""
        try:
            await asyncio.wait_for(self.unlinked.wait(), seconds)
        except TimeoutError:
            pass


class Pipe:
    """The URBs that wait at one endpoint, oldest first."""

    def __init__(self):
        self._waiting = collections.deque()
        self._arrived = asyncio.Event()

    def put(self, urb):
        self._waiting.append(urb)
        self._arrived.set()

    def discard(self, urb):
        if urb in self._waiting:
            self._waiting.remove(urb)

    async def take(self):
        await self.ready()
        return self._waiting.popleft()

    async def ready(self):
        while not self._waiting:
            self._arrived.clear()
            await self._arrived.wait()


class Link:
    """The cable: one import of a device by a kernel, from plugging in to unplugging."""

    def __init__(self, reader, writer):
        self._reader = reader
        self._writer = writer
        self._open = {}
        self._newest = 0
        self._early = {}
        self._withheld = None
        self._pipes = collections.defaultdict(Pipe)

    def pipe(self, endpoint):
        return self._pipes[endpoint]

    def complete(self, urb, data=b"", length=None, status=0):
        """Ends a transfer: with the data for the host, or with the number of bytes taken from it."""
        if self._open.pop(urb.sequence, None) is None:
            return
        assert len(data) <= urb.length or not data, f"{len(data)} bytes for an URB of {urb.length}"
        body = SUBMIT_REPLY_BODY.pack(status, len(data) if length is None else length, 0, urb.packets, 0)
        self._writer.write(COMMAND.pack(SUBMIT_REPLY, urb.sequence, 0, 0, 0) + body + data)

    def stall(self, urb):
        self.complete(urb, status=-errno.EPIPE)

    def cut(self):
        """Unplugs: what the kernel sees is a device that went away."""
        self._writer.transport.abort()

    async def run(self):
        """Takes the host's commands until the connection ends."""
        while True:
            head = await self._reader.readexactly(COMMAND.size)
            command, sequence, _, is_input, endpoint = COMMAND.unpack(head)
            if command == SUBMIT:
                await self._submit(sequence, endpoint, is_input)
            elif command == UNLINK:
                (victim,) = UNLINK_BODY.unpack(await self._reader.readexactly(UNLINK_BODY.size))
                self._unlink(sequence, victim)
            else:
                raise ValueError(f"USB/IP command {command}")

    async def _submit(self, sequence, endpoint, is_input):
        body = await self._reader.readexactly(SUBMIT_BODY.size)
        _, length, _, packets, _, setup = SUBMIT_BODY.unpack(body)
        data = b"" if is_input else await self._reader.readexactly(length)
        self._newest = sequence
        if unlink := self._early.pop(sequence, None):
            return self._unlinked(unlink, -errno.ECONNRESET)
        urb = Urb(sequence, endpoint, packets, length, setup, data)
        self._open[sequence] = urb
        self._pipes[endpoint].put(urb)

    def _unlink(self, sequence, victim):
        if 0 < self._newest < victim:
            # vhci sends what is submitted and what is unlinked from two lists: this one has overtaken its URB. A cable that was
            # just plugged in is asked for URBs of the old one, which never come.
            self._early[victim] = sequence
            return
        urb = self._open.pop(victim, None)
        status = 0  # completed already: its reply is on the way
        if urb:
            status = -errno.ECONNRESET
            self._pipes[urb.endpoint].discard(urb)
            urb.unlinked.set()
        self._unlinked(sequence, status)

    def withhold(self, is_withholding):
        """Whether what the host gives up is answered: a driver that waits for it hangs in the kernel until it is."""
        withheld, self._withheld = self._withheld, [] if is_withholding else None
        for answer in withheld or ():
            self._unlinked(*answer)

    def _unlinked(self, sequence, status):
        if self._withheld is not None:
            self._withheld.append((sequence, status))
            return
        self._writer.write(COMMAND.pack(UNLINK_REPLY, sequence, 0, 0, 0) + UNLINK_REPLY_BODY.pack(status))


class Server:
    """Lets kernels import devices: mappings from bus ids ("1-1") to devices.

    An import of a device that is unplugged, or imported already, waits until it can be had.
    """

    def __init__(self, devices):
        self._devices = devices

    async def start(self, port):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", port)
        return self._server.sockets[0].getsockname()[1]

    async def _serve(self, reader, writer):
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            device = await self._import(reader, writer)
            if device:
                link = Link(reader, writer)
                await device.serve(link)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.transport.abort()

    async def _import(self, reader, writer):
        _, code, _ = OPERATION.unpack(await reader.readexactly(OPERATION.size))
        bus_id = (await reader.readexactly(BUS_ID)).rstrip(b"\0").decode()
        device = self._devices.get(bus_id)
        if code != REQUEST_IMPORT or device is None:
            writer.write(OPERATION.pack(VERSION, REPLY_IMPORT, 1))
            await writer.drain()
            return None
        await device.available()
        if reader.at_eof():
            return None  # the importer has not waited; nothing may come between this and the start of `serve`
        writer.write(OPERATION.pack(VERSION, REPLY_IMPORT, 0) + describe(bus_id, device))
        return device


def describe(bus_id, device):
    bus, number = map(int, bus_id.split("-"))
    return DEVICE.pack(
        b"/sys/devices/usb-camera/" + bus_id.encode(), bus_id.encode(), bus, number + 1, HIGH_SPEED,
        device.vendor, device.product, device.release, 0xEF, 2, 1, 1, 1, 2,
    )
