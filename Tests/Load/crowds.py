"""More connections and calls than are good."""

import contextlib
import json
import resource
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from node import PRODUCTS, Bystander, Node, killed, require_in_time, wait_until
from open_calls import subscribe
from wire import CANCELLED, LIMIT_S, RESOURCE_EXHAUSTED, Answer, Wire, packet, pb, require

WIDE = '{ limits: { connections: 12000, connectionsPerAddress: 12000 } }'


@contextlib.contextmanager
def configured(text):
    with tempfile.NamedTemporaryFile("w", suffix=".json5") as file:
        file.write(text)
        file.flush()
        yield ("--config", file.name)


@contextlib.contextmanager
def library(limits="{}"):
    """The options of a node that keeps pictures, with these limits."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([PRODUCTS / "capture-node", "library", "init", "--mark-only", folder], check=True, stdout=subprocess.DEVNULL)
        with configured(f"{{ library: {{ root: '{folder}', freeBytes: 0 }}, limits: {limits} }}") as options:
            yield options


def allow_descriptors():
    """For this process, and the nodes that it starts."""
    most = 20_000
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, max(most, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))


def connect(node):
    host, port = node.address.rsplit(":", 1)
    return socket.create_connection((host, int(port)), 5)


def ten_thousand_silent(report):
    """10,000 connections that never say Hello, then a new client."""
    allow_descriptors()
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


# How often too many cameras are asked for at once: which of them get the last descriptors differs each time.
ATTEMPTS = 20


def descriptors_used_up(report):
    """More connections than descriptors: nothing spins, clients that are connected go on, and new ones come in once there are descriptors again.

    The node keeps some descriptors for itself. So it outlives the moment at which Dispatch looks after its threads, and a client that is connected
    gets streams, until too many cameras want one: then it is told that no more files can be open."""
    cameras = ["--camera", "synthetic:320x240@5"] * 12
    with configured(WIDE) as options, Node(*options, *cameras, descriptors=200) as node:
        with Bystander(node) as bystander, Wire(node.address).greet() as viewer:
            bystander.p99()
            before = node.resident_bytes()
            crowd = [connect(node) for _ in range(400)]
            wait_until(lambda: node.descriptors_in_use() >= node.descriptors - 16, "the last descriptor's use")
            viewer.first_message(subscribe(viewer, credit=1))
            most, without_streams = 0, node.descriptors_in_use()
            for attempt in range(ATTEMPTS):
                streams = [subscribe(viewer, credit=1, camera=str(camera)) for camera in range(1, len(cameras) // 2)]
                some_are_refused(viewer, streams)
                most = max(most, node.descriptors_in_use())
                if attempt == ATTEMPTS - 1:
                    break
                for call in streams:
                    viewer.send(call_id=call, cancel=pb.Cancel())
                wait_until(lambda: node.descriptors_in_use() <= without_streams, "the descriptors of ended streams")
            cpu, began = node.cpu_seconds(), time.monotonic()
            p99 = bystander.p99(least=1_000)
            share = (node.cpu_seconds() - cpu) / (time.monotonic() - began)
            grown = node.resident_bytes() - before
            most = max(most, node.descriptors_in_use())
            for one in crowd:
                one.close()
            freed = wait_until(lambda: answers(node), "a new client")
            viewer.first_message(subscribe(viewer, credit=1))
        report(f"bystander p99 {p99 * 1e3:.2f} ms, node CPU {share:.0%}, RSS {grown / 2**20:+.1f} MiB, new client after {freed:.2f} s")
        require_in_time(p99 < 0.05, "the bystander waited")
        require(most < node.descriptors, "nothing is left for the node itself")
        require(share < 0.8, "the node spins")
        require(grown < 64 << 20, "memory grows with connections")
        require_in_time(freed < 1, "the new client waited")


def some_are_refused(viewer, streams):
    """Each stream has its first frame, or was told that no more files can be open."""
    answers, deadline = {call: Answer() for call in streams}, time.monotonic() + LIMIT_S
    while any(not answer.messages and answer.status is None for answer in answers.values()):
        viewer.take(answers, deadline)
    refusals = [answer.status for answer in answers.values() if answer.status]
    require(refusals, "each stream got its descriptors")
    for status in refusals:
        require(status.code == RESOURCE_EXHAUSTED and "open files" in status.text, f"refused with {status.code}: {status.text!r}")


def answers(node):
    try:
        node.status()
        return True
    except (AssertionError, OSError):
        return False


def caps(report):
    """The caps as they come: 256 connections of one address, 1,024 in all. However many more come at once, each is refused at once, and with
    a reason."""
    allow_descriptors()
    with Node("--camera", "synthetic") as node:
        crowd = [Wire(node.address).greet() for _ in range(256)]
        before = node.resident_bytes()
        of_one = refusals(node, "127.0.0.1", "256 connections of one address")
        crowd += [Wire(node.address, f"127.0.0.{host}").greet() for host in (2, 3, 4) for _ in range(256)]
        in_all = refusals(node, "127.0.0.5", "1024 connections at once")
        for one in crowd:
            one.expect_alive()
        grown = node.resident_bytes() - before
        for one in crowd:
            one.close()
        freed = wait_until(lambda: answers(node), "a place that is free again")
        report(f"past 256 of an address refused after {of_one[0] * 1e3:.1f} ms, {EXCESS} more after {of_one[1]:.2f} s; past {len(crowd)} in all after "
               f"{in_all[0] * 1e3:.1f} ms, {in_all[1]:.2f} s; RSS +{grown / 2**20:.1f} MiB; a place free after {freed:.2f} s")
        require(grown < 8 << 20, "RSS")
        require_in_time(max(of_one[0], in_all[0]) < 0.1, "one more was not refused at once")
        require_in_time(max(of_one[1], in_all[1]) < 2, "many more were not refused at once")
        require_in_time(freed < 1, "places do not become free")


EXCESS = 500


def refusals(node, source, reason):
    """Seconds until one connection more was refused, and until many more were that came at once; all with the reason."""
    began = time.monotonic()
    with refused(node, source) as one_more:
        one_more.expect_go_away(RESOURCE_EXHAUSTED, reason)
    alone, began = time.monotonic() - began, time.monotonic()
    excess = [refused(node, source) for _ in range(EXCESS)]
    for one in excess:
        one.expect_go_away(RESOURCE_EXHAUSTED, reason)
        one.close()
    return alone, time.monotonic() - began


def refused(node, source):
    """A connection that is one too many, and begins as any other."""
    return Wire(node.address, source).raw(packet(hello=pb.Hello(version=1)))


FLOOD = Path(__file__).with_name("flood.py")
REQUEST = pb.Request(method="capture.v1.Test/Upload", no_message=True)


def hundred_thousand_cancels(report):
    """Calls opened and cancelled as fast as the socket takes them, 100,000 at a time: GoAway, and nobody else suffers.

    Another client's round trips may take twice as long as just before the flood, or as those to a node beside it that is not flooded, on processors
    that the flood's two ends take from both: of all three the median of seven times, each 2,000 round trips long and during the floods from end to end.
    """
    with Node("--camera", "synthetic") as node, Node("--camera", "synthetic") as beside:
        calm = [ping_p99_ms(node) for _ in range(7)]
        with ThreadPoolExecutor() as beside_it, flooded(node) as flood:
            begun = beside_it.submit(flood.stdout.readline)
            most = 0
            while not begun.done():
                most = max(most, node.status().calls)
            first = json.loads(begun.result())
            other, under = zip(*[(ping_p99_ms(beside), ping_p99_ms(node)) for _ in range(7)])
            flood.terminate()
            others = [json.loads(line) for line in flood.stdout]
        slowest = max(one["seconds"] for one in [first, *others])
        ended = wait_until(lambda: node.status().calls == 1, "the end of the cancelled calls")
        report(f"GoAway after {first['seconds']:.3f} s, at most {slowest:.3f} s in {1 + len(others)} floods; "
               f"another's p99 {median(calm):.3f} -> {median(under):.3f} ms, "
               f"{median(other):.3f} at a node beside it; at most {most} calls")
        for one in [first, *others]:
            require(one["code"] == RESOURCE_EXHAUSTED and "cancel" in one["text"], f"GoAway says {one}")
        require(1 < most <= 101, "no handler was seen to run, or more than a connection may have")
        require_in_time(slowest < 1, "no GoAway within 1 s of the flood")
        require_in_time(ended < 1, "cancelled calls run on")
        require_in_time(median(under) <= 2 * max(median(calm), median(other)), "another client waited")


def ping_p99_ms(node):
    """The 99th percentile of round trips, one after the other, in milliseconds."""
    return node.bench("ping", node.address, 2_000)["p99_us"] / 1e3


def cancels_of_one_address(report):
    """Connections of which each cancels less than it may, and that cancel more together than an address may; who cancels little stays."""
    pairs = b"".join(packet(call_id=call, request=REQUEST) + packet(call_id=call, cancel=pb.Cancel()) for call in range(1, 601, 2))
    with Node("--camera", "synthetic") as node, Wire(node.address).greet() as modest:
        crowd = [Wire(node.address).greet() for _ in range(20)]
        began, slowest, ends = time.monotonic(), 0.0, []
        for one in crowd:
            one.raw(pairs)
        for one in crowd:
            away = go_away(one, 300)
            if away:
                ends.append(away)
                slowest = time.monotonic() - began
        call = modest.call("Upload", last=False, no_message=True)
        modest.send(call_id=call, cancel=pb.Cancel())
        modest.expect_status(call, CANCELLED)
        modest.expect_alive()
        for one in crowd:
            one.close()
        ended = wait_until(lambda: node.status().calls == 1, "the end of the cancelled calls")
        report(f"{len(ends)} of {len(crowd)} had to go, the last after {slowest:.3f} s")
        require(ends, "together they may cancel without end")
        for away in ends:
            require(away.code == RESOURCE_EXHAUSTED and "of one address" in away.text, f"GoAway says {away}")
        require_in_time(slowest < 1, "no GoAway within 1 s")
        require_in_time(ended < 1, "cancelled calls run on")


def go_away(wire, calls):
    """The GoAway that ends the connection; None when it lives on after so many calls."""
    while calls:
        received = wire.receive(within=10)
        require(received, "closed without a GoAway")
        kind = received[0].WhichOneof("kind")
        if kind == "go_away":
            return received[0].go_away
        calls -= kind == "status"
    return None


def one_too_many(wire, calls, name):
    """One of the calls that wait for their client is refused, and the others end well once the client takes what they have."""
    answers = {call: Answer() for call in calls}
    while not (ended := [call for call in calls if answers[call].status]):
        wire.take(answers, wire.due(LIMIT_S))
    status = answers[ended[0]].status
    require(status.code == RESOURCE_EXHAUSTED and f"({name})" in status.text, f"it ended in {status.code} ({status.text!r}), without {name}")
    # The latest first: what those before it have makes no room for it then.
    for call in reversed([call for call in calls if call != ended[0]]):
        wire.send(call_id=call, credit=pb.Credit(messages=10))
        wire.answers([call], begun=answers)
        status = answers[call].status
        require(status.code == 0, f"of {len(calls)} another one ended in {status.code} ({status.text!r})")


def flooded(node):
    return killed(subprocess.Popen([sys.executable, FLOOD, node.address], stdout=subprocess.PIPE, text=True))
