"""A disk whose power can be cut: what was written since its last flush is then lost, or reaches the medium in part and in any order.

It is a server of NBD (https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md) for one client after the other, and QEMU is one.
"""

import contextlib
import os
import random
import socket
import struct
import threading
from pathlib import Path

# A disk writes one whole or not at all. Ext4 needs that of its journal's blocks, and refuses one with a part of a commit.
SECTOR = 4096
HAS_FLAGS, SEND_FLUSH, SEND_FUA = 1, 4, 8
FUA = 1
READ, WRITE, DISCONNECT, FLUSH = 0, 1, 2, 3
EXPORT, INFORMATION, ACKNOWLEDGED, UNSUPPORTED = 0, 3, 1, 0x80000001
GO = 7
EINVAL = 22


class VolatileDisk:
    """`image` is the medium; `url` is what QEMU opens. Its cache is as large as it has to be."""

    def __init__(self, image, chance=random):
        self.image, self._chance = Path(image), chance
        self._socket = Path(f"{image}.socket")
        self.url = f"nbd+unix:///?socket={self._socket}"
        self._lock = threading.Lock()
        self._cache = {}  # sectors that were written since the last flush
        self._has_power = True
        self._remaining = None  # writes until the cut
        self._is_cut = threading.Event()
        self.lost = 0

    def __enter__(self):
        self._medium = os.open(self.image, os.O_RDWR)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self._socket))
        self._listener.listen()
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        with self._lock:
            self._has_power = False
            # Wakes the thread that accepts.
            with contextlib.suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            self._socket.unlink()
            os.close(self._medium)

    def cut_power(self, writes=0):
        """Cuts it once so many more writes were taken, or ten seconds have passed; nothing is answered from then on. Of what was not flushed, each sector
        has reached the medium with a chance of one half; `lost` tells how many have not."""
        with self._lock:
            self._remaining = writes
            self._cut_if_due()
        if not self._is_cut.wait(10):
            self.cut_power()

    def _cut_if_due(self):
        if self._remaining != 0:
            return
        self._has_power = False
        self._write_out([sector for sector in self._cache if self._chance.random() < 0.5])
        self.lost = len(self._cache)
        self._is_cut.set()

    def read(self, offset, length):
        first, last = offset // SECTOR, (offset + length - 1) // SECTOR
        data = bytearray(os.pread(self._medium, (last - first + 1) * SECTOR, first * SECTOR))
        for sector in range(first, last + 1):
            if sector in self._cache:
                place = (sector - first) * SECTOR
                data[place:place + SECTOR] = self._cache[sector]
        begin = offset - first * SECTOR
        return bytes(data[begin:begin + length])

    def write(self, offset, data):
        assert offset % SECTOR == len(data) % SECTOR == 0, "a write is not of whole sectors"
        for place in range(0, len(data), SECTOR):
            self._cache[(offset + place) // SECTOR] = data[place:place + SECTOR]

    def flush(self):
        self._write_out(list(self._cache))

    def _write_out(self, sectors):
        for sector in sectors:
            os.pwrite(self._medium, self._cache.pop(sector), sector * SECTOR)

    def _serve(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return  # closed
            with client, contextlib.suppress(EOFError, OSError):
                self._negotiate(client)
                while self._answer(client):
                    pass

    def _negotiate(self, client):
        client.sendall(struct.pack(">8s8sH", b"NBDMAGIC", b"IHAVEOPT", 3))
        exactly(client, 4)
        option = None
        while option != GO:
            _, option, length = struct.unpack(">8sII", exactly(client, 16))
            exactly(client, length)
            if option != GO:
                client.sendall(self._reply(option, UNSUPPORTED, b""))
        information = struct.pack(">HQH", EXPORT, self.image.stat().st_size, HAS_FLAGS | SEND_FLUSH | SEND_FUA)
        client.sendall(self._reply(option, INFORMATION, information) + self._reply(option, ACKNOWLEDGED, b""))

    @staticmethod
    def _reply(option, kind, data):
        return struct.pack(">QIII", 0x3E889045565A9, option, kind, len(data)) + data

    def _answer(self, client):
        """Carries one request out and answers it; whether there may be another."""
        _, flags, kind, cookie, offset, length = struct.unpack(">IHHQQI", exactly(client, 28))
        data = exactly(client, length) if kind == WRITE else b""
        with self._lock:
            if not self._has_power or kind == DISCONNECT:
                return False
            error, answer = 0, b""
            if kind == READ:
                answer = self.read(offset, length)
            elif kind == WRITE:
                self.write(offset, data)
                if flags & FUA:
                    self._write_out(range(offset // SECTOR, (offset + length) // SECTOR))
            elif kind == FLUSH:
                self.flush()
            else:
                error = EINVAL
            client.sendall(struct.pack(">IIQ", 0x67446698, error, cookie) + answer)
            if kind == WRITE and self._remaining is not None:
                self._remaining -= 1
                self._cut_if_due()
        return True


def exactly(client, length):
    data = bytearray()
    while len(data) < length:
        piece = client.recv(length - len(data))
        if not piece:
            raise EOFError
        data += piece
    return bytes(data)
