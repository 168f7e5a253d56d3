"""More connections and calls than are good."""

import contextlib
import json
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from node import Bystander, Node, require_in_time, wait_until
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
            clients = node.status().clients
            served = time.monotonic() - began
            for one in crowd:
                one.close()
        report(f"{clients} clients, RSS +{grown / 2**20:.1f} MiB, bystander p99 {p99 * 1e3:.2f} ms, new client {served * 1e3:.1f} ms")
        require(grown < 64 << 20, "RSS")
        # The node gives up on those that say nothing after 5 s.
        require_in_time(clients > 10_000, "some of the 10,000 were gone before all was measured")
        require_in_time(p99 < 0.05, "the bystander waited")
        require_in_time(served < 1, "the new client waited")


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
        require_in_time(p99 < 0.05, "the bystander waited")
        require(share < 0.8, "the node spins")
        require_in_time(freed < 1, "the new client waited")


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


FLOOD = Path(__file__).with_name("flood.py")


def hundred_thousand_cancels(report):
    """Calls opened and cancelled as fast as the socket takes them, 100,000 at a time: GoAway, and nobody else suffers.

    Another client's round trips are compared with those to a node beside it that is not flooded: the flood takes as much of the
    machine from both.
    """
    with Node("--camera", "synthetic") as node, Node("--camera", "synthetic") as beside, flooded(node) as flood:
        first = json.loads(flood.stdout.readline())
        calm, under = [], []
        for _ in range(5):
            calm.append(beside.bench("ping", beside.address, 2_000)["p99_us"] / 1e3)
            under.append(node.bench("ping", node.address, 2_000)["p99_us"] / 1e3)
        most = max(node.status().calls for _ in range(20))
        flood.terminate()
        others = [json.loads(line) for line in flood.stdout]
        calm, under = statistics.median(calm), statistics.median(under)
        slowest = max(one["seconds"] for one in [first, *others])
        wait_until(lambda: node.status().calls == 1, 1, "the end of the cancelled calls")
        report(f"GoAway after {first['seconds']:.3f} s, at most {slowest:.3f} s in {1 + len(others)} floods; "
               f"another's p99 {under:.2f} ms, at a node beside it {calm:.2f} ms; at most {most} calls")
        for one in [first, *others]:
            require(one["code"] == RESOURCE_EXHAUSTED and "cancel" in one["text"], f"GoAway says {one}")
        require(most <= 101, "more handlers run than a connection may have")
        require_in_time(slowest < 1, "no GoAway within 1 s of the flood")
        require_in_time(under <= 2 * calm, "another client waited")


def flooded(node):
    return running(sys.executable, FLOOD, node.address, stdout=subprocess.PIPE, text=True)


@contextlib.contextmanager
def running(*command, **options):
    process = subprocess.Popen(command, **options)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
