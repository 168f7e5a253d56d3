"""More connections and calls than are good."""

import contextlib
import resource
import socket
import tempfile
import time

from node import Bystander, Node, wait_until
from wire import RESOURCE_EXHAUSTED, Wire, packet, pb, require

WIDE = '{ limits: { connections: 12000, connectionsPerAddress: 12000 } }'


@contextlib.contextmanager
def configured(text):
    with tempfile.NamedTemporaryFile("w", suffix=".json5") as file:
        file.write(text)
        file.flush()
        yield ("--config", file.name)


def connect(node):
    host, port = node.address.rsplit(":", 1)
    return socket.create_connection((host, int(port)), 5)


def ten_thousand_silent(report):
    """10,000 connections that never say Hello, then a new client."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (20_000, max(20_000, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
    with configured(WIDE) as options, Node(*options, "--camera", "synthetic", descriptors=20_000) as node:
        with Bystander(node) as bystander:
            bystander.p99()
            before = node.resident_bytes()
            crowd = [connect(node) for _ in range(10_000)]
            grown = node.resident_bytes() - before
            p99 = bystander.p99()
            began = time.monotonic()
            node.status()
            served = time.monotonic() - began
            for one in crowd:
                one.close()
        report(f"RSS +{grown / 2**20:.1f} MiB, bystander p99 {p99 * 1e3:.2f} ms, new client {served * 1e3:.1f} ms")
        require(grown < 64 << 20, "RSS")
        require(p99 < 0.05, "the bystander waited")
        require(served < 1, "the new client waited")


def descriptors_used_up(report):
    """More connections than descriptors: nothing spins, nobody who is in is harmed, and it ends."""
    with configured(WIDE) as options, Node(*options, "--camera", "synthetic", descriptors=200) as node:
        with Bystander(node) as bystander:
            bystander.p99()
            crowd = [connect(node) for _ in range(400)]
            cpu, began = node.cpu_seconds(), time.monotonic()
            p99 = bystander.p99(least=500)
            share = (node.cpu_seconds() - cpu) / (time.monotonic() - began)
            for one in crowd:
                one.close()
            freed = wait_until(lambda: answers(node), 5, "a new client")
        report(f"bystander p99 {p99 * 1e3:.2f} ms, node CPU {share:.0%}, new client after {freed:.2f} s")
        require(p99 < 0.05, "the bystander waited")
        require(share < 0.8, "the node spins")
        require(freed < 1, "the new client waited")


def answers(node):
    try:
        node.status()
        return True
    except (AssertionError, OSError):
        return False


def caps(report):
    """The caps as they come: 256 of one address, refused at once and with a reason."""
    with Node("--camera", "synthetic") as node:
        crowd = [Wire(node.address).greet() for _ in range(256)]
        began = time.monotonic()
        with Wire(node.address) as one_more:
            one_more.raw(packet(hello=pb.Hello(version=1)))
            one_more.expect_go_away(RESOURCE_EXHAUSTED, "256")
        report(f"refused after {(time.monotonic() - began) * 1e3:.1f} ms")
        for one in crowd:
            one.close()
        wait_until(lambda: answers(node), 1, "a place that is free again")


def hundred_thousand_cancels(report):
    """Calls opened and cancelled as fast as the socket takes them: GoAway, and nobody else suffers."""
    with Node("--camera", "synthetic") as node, Bystander(node, pause=0) as bystander:
        calm = bystander.p99(least=2_000)
        with Wire(node.address).greet() as wire:
            request = pb.Request(method="capture.v1.Test/Upload", no_message=True)
            began = time.monotonic()
            for start in range(1, 200_001, 1_000):
                wire.raw(b"".join(
                    packet(call_id=call, request=request) + packet(call_id=call, cancel=pb.Cancel())
                    for call in range(start, start + 1_000, 2)))
                if time.monotonic() - began > 2:
                    break
            wire.expect_go_away(RESOURCE_EXHAUSTED, "cancel", within=2)
            ended = time.monotonic() - began
        under = bystander.p99(least=2_000)
        calls = node.status().calls
        report(f"GoAway after {ended:.2f} s, bystander p99 {calm * 1e3:.2f} -> {under * 1e3:.2f} ms, {calls} calls after")
        require(ended < 3, "no GoAway within 1 s of the flood")
        require(under < max(2 * calm, 0.005), "the bystander waited")
        require(calls <= 2, "handlers were left running")
