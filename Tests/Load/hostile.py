"""Hostile clients on ordinary connections, of two origins and at the caps, and an honest viewer beside them. What the attackers do is in
attacker.py. They are niced, so that the node has the processors first; nothing else tells them from other clients."""

import contextlib
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

from crowds import configured, library
from node import Node, killed, require_in_time
from open_calls import subscribe
from wire import Wire, pb, require

HERE = Path(__file__).parent
ORIGINS = ("127.0.0.2", "127.0.0.3")
# As many connections of an origin and calls of a connection as a node takes.
CONNECTIONS, CALLS = 256, 100
AGE_S, TRIP_S, CHANGE_S, MEMORY = 0.1, 0.05, 0.5, 100_000_000
# With pictures of 8 MB: those of the last 500 ms, of which none is late yet, come on top of the rest.
RAW_MEMORY = 150_000_000
# The part of a camera's frames that a viewer may miss.
LOST = 0.05
# All that an attack took is back after it.
BACK_S, KEPT = 10, 8 << 20


def p99(times):
    require(len(times) >= 50, f"only {len(times)} were measured")
    return sorted(times)[len(times) * 99 // 100]


def private_bytes(node):
    """Memory that is this process's own: no code, which the kernel takes back as it likes, and no buffers that a driver maps."""
    text = Path(f"/proc/{node.process.pid}/smaps_rollup").read_text()
    return sum(int(line.split()[1]) << 10 for line in text.splitlines() if line.startswith("Private_Dirty"))


@contextlib.contextmanager
def started(*commands, inside=None):
    """Programs of ours, begun at once, that say when they are ready and end when their inputs are closed. `inside`: a network namespace."""
    enter = ["ip", "netns", "exec", inside] if inside else []
    with contextlib.ExitStack() as stack:
        processes = [stack.enter_context(killed(subprocess.Popen(
            [*enter, sys.executable, *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))) for words in commands]
        for process, words in zip(processes, commands):
            require(process.stdout.readline() == "ready\n", f"{words[0]} did not begin")
        yield processes


def results(processes):
    """What they say at their ends."""
    for process in processes:
        process.stdin.close()
    return [json.loads(process.stdout.read()) for process in processes]


class Peak:
    """The most private memory that a node has in a block."""

    def __init__(self, node):
        self.node, self.most, self.is_over = node, 0, threading.Event()
        self.thread = threading.Thread(target=self.work)

    def work(self):
        while not self.is_over.wait(0.05):
            self.most = max(self.most, private_bytes(self.node))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()


def attacked(report, attack, seconds, before=None, others=(), connections=CONNECTIONS, options=()):
    """Puts a node under an attack for so long, and requires what an honest viewer may expect from its first moment to its end. What a viewer of a
    node beside it has meanwhile, which nobody attacks, is told. `before`: with the node, before the attack begins. `others`: cameras that the viewer
    does not look at. `options`: of the node, besides its cameras."""
    viewing, camera = [HERE / "viewer.py"], []
    for one in ("synthetic:640x480@30", *others):
        camera += ["--camera", one]
    with Node(*camera, *options) as node, Node(*camera) as beside, contextlib.ExitStack() as stack:
        if before:
            stack.enter_context(before(node))
        viewing.append(node.address)
        with started(viewing) as viewer:
            time.sleep(1)
            calm = private_bytes(node)
            results(viewer)
        attacking = [[HERE / "attacker.py", attack, node.address, origin, connections, CALLS] for origin in ORIGINS]
        with started(viewing, [HERE / "viewer.py", beside.address]) as viewers, Peak(node) as peak:
            with started(*attacking) as attackers:
                time.sleep(seconds)
                held = node.status().calls
                seen, floor = results(viewers)
                statuses = results(attackers)
        ended = time.monotonic()
        after = private_bytes(node)
        while (after > calm + KEPT or node.status().calls > 1) and time.monotonic() < ended + 2 * BACK_S:
            time.sleep(0.1)
            after = private_bytes(node)
        back = time.monotonic() - ended
        age, trip = p99(seen["ages"]), p99(seen["trips"])
        report(f"{statuses}, {held} calls at the end; age p99 {age * 1e3:.1f} ms of {len(seen['ages'])}, {seen['lost']} lost ({floor['lost']} beside it), round trips p99 {trip * 1e3:.1f} ms of "
               f"{len(seen['trips'])} (at a node beside it {p99(floor['ages']) * 1e3:.1f} and {p99(floor['trips']) * 1e3:.1f} ms), private {calm / 2**20:.1f} -> at most {peak.most / 2**20:.1f} MiB, {after / 2**20:.1f} after {back:.1f} s")
        require(peak.most <= MEMORY, "memory")
        require_in_time(age <= AGE_S, "the viewer's frames are old")
        require_in_time(seen["lost"] <= LOST * len(seen["ages"]), "the viewer lost frames")
        require_in_time(trip <= TRIP_S, "the viewer's calls waited")
        require_in_time(back <= BACK_S, "memory stays")


def leased(node):
    """Somebody has the camera for longer than the attack lasts."""
    wire = Wire(node.address).greet()
    wire.expect_status(wire.call("capture.v1.Leases/Acquire", pb.AcquireLeaseRequest(device="0", duration_ms=300_000)), 0)
    return wire


@contextlib.contextmanager
def changing(node, times):
    """A client that changes a setting now and then; how long that took goes into `times`."""
    over = threading.Event()

    def work():
        with Wire(node.address).greet() as wire:
            while not over.wait(0.2):
                assignment = pb.ControlAssignment(name="brightness", literal=str(40 + len(times) % 2))
                began = time.monotonic()
                wire.expect_status(wire.call("capture.v1.Devices/SetControls", pb.SetControlsRequest(
                    device="0", assignments=[assignment])), 0, within=30)
                times.append(time.monotonic() - began)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def a_crowd_that_watches(report, seconds=5):
    """As many watches of a camera's settings as there may be, which take all they get, while somebody changes one now and then."""
    times = []
    attacked(report, "watch_settings", seconds, before=lambda node: changing(node, times), connections=6)
    report(f"changes took at most {max(times) * 1e3:.0f} ms of {len(times)}")
    require_in_time(max(times) <= CHANGE_S, "a change waited")


def ninety_nine_renditions(report, seconds=5):
    """Four connections that want 99 different pictures each of another camera, and take all they get."""
    attacked(report, "many_renditions", seconds, others=["synthetic:1920x1080@30"], connections=2)


def ninety_nine_renditions_of_its_camera(report, seconds=5):
    """As many of the camera that the viewer looks at: it has its own all the same."""
    attacked(report, "many_renditions_of_the_viewers_camera", seconds, connections=2)


def photos_and_bursts(report, seconds=5):
    """As many photos and bursts of the viewer's camera as it may have, all as PNGs, of clients that take all they get. The node keeps less of them than by
    default: 64 MB of frames that wait, and 256 MB of photos that clients have not read, are more than what is wanted in all."""
    with configured("{ limits: { burstBytesPerCamera: 8000000, unreadPhotoBytes: 8000000 } }") as options:
        attacked(report, "photos_and_bursts", seconds, connections=2, options=options)


def pictures_that_nobody_reads(report, seconds=3):
    """Converted pictures of 8 MB: somebody reads them, and 64 connections of two origins begin to at different moments and read nothing. Each kept a
    picture of its own once, and the memory of pictures stayed when the last of them had gone."""
    raw = {"encoding": pb.ENCODING_RAW, "pixel_format": int.from_bytes(b"AR24", "little")}
    with Node("--camera", "synthetic:1920x1080@30") as node, contextlib.ExitStack() as stack:
        calm = private_bytes(node)
        reader = stack.enter_context(Wire(node.address).greet())
        reader.first_message(subscribe(reader, credit=1_000_000, **raw))
        over = threading.Event()
        reading = threading.Thread(target=lambda: [reader.socket.recv(1 << 20) for _ in iter(over.is_set, True)])
        reading.start()
        crowd = []
        with Peak(node) as peak:
            for number in range(64):
                wire = stack.enter_context(Wire(node.address, ORIGINS[number % 2]).greet())
                subscribe(wire, credit=1_000, **raw)
                crowd.append(wire)
                time.sleep(0.04)
            time.sleep(seconds)
        over.set()
        reading.join()
        for wire in (reader, *crowd):
            wire.close()
        ended = time.monotonic()
        while private_bytes(node) > calm + KEPT and time.monotonic() < ended + 2 * BACK_S:
            time.sleep(0.1)
        back, after = time.monotonic() - ended, private_bytes(node)
        report(f"private {calm / 2**20:.1f} -> at most {peak.most / 2**20:.1f} MiB, {after / 2**20:.1f} after {back:.1f} s")
        require(peak.most <= RAW_MEMORY, "memory")
        require_in_time(back <= BACK_S, "memory stays")


def long_lists_watched(report, seconds=4):
    """Settings/Watch with 7,000 names."""
    attacked(report, "watch_many_names", seconds)


def long_lists_read(report, seconds=4):
    """GetControls with 7,000 names."""
    attacked(report, "get_many_controls", seconds)


def long_lists_set(report, seconds=4):
    """SetControls with 5,000 assignments."""
    attacked(report, "set_many_controls", seconds)


def lists_as_long_as_may_be(report, seconds=4):
    """Settings/Watch with as many names as it takes."""
    attacked(report, "many_small_lists", seconds)


def distinct_names_watched(report, seconds=4):
    """Settings/Watch with as many names as it takes, all different."""
    attacked(report, "watch_distinct_names", seconds)


def distinct_controls_read_and_set(report, seconds=4):
    """GetControls and SetControls in turn, each with as many entries as it takes, all different."""
    attacked(report, "get_and_set_distinct_controls", seconds)


def a_crowd_for_a_lease(report, seconds=4):
    """Waits for a lease that somebody has."""
    attacked(report, "wait_for_leases", seconds, before=leased)


def heavy_metadata(report, seconds=4):
    """Calls that last, with 60 KB of metadata each."""
    attacked(report, "heavy_metadata", seconds)


def much_metadata(report, seconds=4):
    """Calls with 8,000 pieces of metadata."""
    attacked(report, "many_metadata", seconds)


def long_texts_held(report, seconds=5):
    """Calls that last, with 60 KB of text that names what there is."""
    with library() as options:
        attacked(report, "long_texts", seconds, options=options)


def a_library_by_its_labels(report, seconds=4):
    """Library/Watch and Library/List by 7,000 labels, by as many as a list has, and by the most and the longest that a filter takes."""
    with library() as options:
        attacked(report, "lists_of_labels", seconds, options=options)


ALL = [
    ninety_nine_renditions, ninety_nine_renditions_of_its_camera, pictures_that_nobody_reads, photos_and_bursts, a_crowd_that_watches,
    long_lists_watched, long_lists_read, long_lists_set,
    lists_as_long_as_may_be, distinct_names_watched, distinct_controls_read_and_set, a_crowd_for_a_lease, heavy_metadata, much_metadata,
    long_texts_held, a_library_by_its_labels,
]
