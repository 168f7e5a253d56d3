"""Ports for nodes that listen where a test says."""

import random
import socket
from pathlib import Path


def unused_port():
    """A port that nobody has, outside of the range from which the kernel gives connections theirs: none of those can get it meanwhile."""
    first, last = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    others = [port for port in range(10_000, 65_536) if not first <= port <= last]
    for port in random.sample(others, len(others)):
        with socket.socket() as probe:
            try:
                probe.bind(("", port))
            except OSError:
                continue
            return port
    raise AssertionError("all ports are in use")
