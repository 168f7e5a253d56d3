"""A link with a rate, a delay, loss and jitter between this network namespace and a new one: two TUN devices and this process
between them. Needs root. `python3 bad_link.py RATE_MBIT DELAY_MS LOSS_PERCENT JITTER_MS -- COMMAND…` runs COMMAND in the other namespace,
which reaches this side as 10.73.0.1."""

import ctypes
import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import sys
import threading
import time

NEAR, FAR = "10.73.0.1", "10.73.0.2"
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 1, 0x1000
CLONE_NEWNET = 0x40000000
libc = ctypes.CDLL("libc.so.6", use_errno=True)


def ip(*words, namespace=None):
    prefix = ["ip", "-n", namespace] if namespace else ["ip"]
    subprocess.run([*prefix, *words], check=True, capture_output=True)


def tun(name):
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(descriptor, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    return descriptor


def tun_inside(namespace, name):
    """Opens a TUN device in another namespace, from a thread of its own that goes there and never comes back."""
    result = {}

    def work():
        target = os.open(f"/run/netns/{namespace}", os.O_RDONLY)
        try:
            if libc.setns(target, CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), "setns")
            result["descriptor"] = tun(name)
        except OSError as error:
            result["error"] = error
        finally:
            os.close(target)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if "error" in result:
        raise result["error"]
    return result["descriptor"]


class Direction:
    """One way of the link: a queue in front of a transmitter of a fixed rate, then the delay, which varies and keeps the order."""

    QUEUE_S = 0.5  # what a home router buffers; later packets are lost

    def __init__(self, source, target, rate_bits, delay_s, loss, jitter_s, seed):
        self.source, self.target = source, target
        self.rate_bits, self.delay_s, self.loss, self.jitter_s = rate_bits, delay_s, loss, jitter_s
        self.random = random.Random(seed)
        self.free_at, self.latest, self.arrivals, self.count = 0.0, 0.0, [], 0

    def take(self, now):
        while True:
            try:
                packet = os.read(self.source, 65_536)
            except BlockingIOError:
                return
            if self.random.random() < self.loss or self.free_at - now > self.QUEUE_S:
                continue
            self.free_at = max(self.free_at, now) + len(packet) * 8 / self.rate_bits
            self.count += 1
            self.latest = max(self.latest, self.free_at + self.delay_s + self.random.random() * self.jitter_s)
            heapq.heappush(self.arrivals, (self.latest, self.count, packet))

    def deliver(self, now):
        while self.arrivals and self.arrivals[0][0] <= now:
            try:
                os.write(self.target, heapq.heappop(self.arrivals)[2])
            except OSError:
                pass  # the device's queue is full, or it is down: the packet is lost

    def due(self):
        return self.arrivals[0][0] if self.arrivals else None


class BadLink:
    """`with BadLink(20, 20, 0) as link:` — then `link.popen([...])` runs a command at the far end. Half the delay each way, and up to
    `jitter_ms` more."""

    def __init__(self, rate_mbit, round_trip_ms, loss_percent, jitter_ms=0):
        self.namespace = f"bad{os.getpid()}"
        self.figures = rate_mbit * 1e6, round_trip_ms / 2e3, loss_percent / 100, jitter_ms / 1e3
        self.is_black_hole, self.is_over = False, False

    def __enter__(self):
        ip("netns", "add", self.namespace)
        near_name, far_name = f"bn{os.getpid()}", "bf0"
        self.near, self.far = tun(near_name), tun_inside(self.namespace, far_name)
        ip("addr", "add", NEAR, "peer", FAR, "dev", near_name)
        ip("link", "set", near_name, "up")
        ip("addr", "add", FAR, "peer", NEAR, "dev", far_name, namespace=self.namespace)
        ip("link", "set", far_name, "up", namespace=self.namespace)
        ip("link", "set", "lo", "up", namespace=self.namespace)
        self.thread = threading.Thread(target=self.carry, daemon=True)
        self.thread.start()
        return self

    def carry(self):
        ways = [Direction(self.near, self.far, *self.figures, 1), Direction(self.far, self.near, *self.figures, 2)]
        while not self.is_over:
            due = [way.due() for way in ways if way.due() is not None]
            wait = min(max(min(due) - time.monotonic(), 0), 0.1) if due else 0.1
            select.select([self.near, self.far], [], [], wait)
            now = time.monotonic()
            for way in ways:
                way.take(now)
                if self.is_black_hole:
                    way.arrivals.clear()
                way.deliver(now)

    def popen(self, command, **options):
        return subprocess.Popen(["ip", "netns", "exec", self.namespace, *command], **options)

    def __exit__(self, *_):
        self.is_over = True
        self.thread.join()
        os.close(self.near)
        os.close(self.far)
        ip("netns", "del", self.namespace)


if __name__ == "__main__":
    split = sys.argv.index("--") if "--" in sys.argv else 0
    if split != 5:
        sys.exit(__doc__)
    with BadLink(*map(float, sys.argv[1:5])) as bad_link:
        sys.exit(bad_link.popen(sys.argv[5:]).wait())
