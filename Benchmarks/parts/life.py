"""A node's start, its first frame, and what it takes at rest."""

import contextlib
import statistics
import time

from table import Row, at_most

CAMERA = "synthetic:1920x1080@30"
LIGHT_CAMERA = "synthetic:1280x720@30"
QUICK_CAMERA = "synthetic@60"


def measure(bench):
    starts, firsts = [], []
    for _ in range(max(bench.rounds, 3)):
        with bench.node("--camera", QUICK_CAMERA) as node:
            starts.append(node.start_ms)
            firsts.append(bench.program("capture-bench", "frames", node.address, node.pid, 1, 0.2, "YUYV")["first_frame_ms"])
    bench.report("start to listening", "ms", statistics.median(starts), target=at_most(15))
    bench.report("request to first frame, 1280x720 at 60 fps, stopped before", "ms", statistics.median(firsts),
                 target=at_most(round(2e3 / 60, 1)))
    measure_rest(bench)
    sources = [bench.program("capture-bench", "source", LIGHT_CAMERA, 30)["cpu_ms_per_frame"] for _ in range(bench.rounds)]
    bench.report("synthetic YUYV 1280x720 at 30, CPU of one core", "%", statistics.median(sources) * 30 / 10, target=at_most(3))
    for label, format in ("YUYV", "YUYV"), ("MJPEG", "MJPG"):
        rounds = [bench.program("capture-bench", "metering", CAMERA, format, 30 if bench.quick else 100) for _ in range(bench.rounds)]

        def median(key):
            return statistics.median(metering[key] for metering in rounds)

        bench.add(Row(f"metering a {label} frame of 1920x1080 for 3A, CPU; the floor copies it", "ms", median("meter_ms"),
                      floor=median("copy_ms"), ratio=median("ratio"), target=at_most(1)))


def measure_rest(bench):
    """Several nodes rest at the same time: each before its camera was first opened, and once it has streamed."""
    with contextlib.ExitStack() as stack:
        nodes = [stack.enter_context(bench.node("--camera", CAMERA)) for _ in range(bench.rounds)]
        report_rest(bench, nodes, "idle without a camera open", 3)
        for node in nodes:
            bench.program("capture-bench", "frames", node.address, node.pid, 1, 0.5, "YUYV")
        report_rest(bench, nodes, "idle with a camera open", 4)


def report_rest(bench, nodes, state, most_mb):
    # Dispatch lets its threads go after 5 s without work.
    time.sleep(2 if bench.quick else 12)
    seconds = 2 if bench.quick else 10
    before = [(node.cpu_seconds(), node.wakeups()) for node in nodes]
    time.sleep(seconds)
    cpu = [(node.cpu_seconds() - cpu) / seconds * 100 for node, (cpu, _) in zip(nodes, before)]
    wakeups = [(node.wakeups() - count) / seconds for node, (_, count) in zip(nodes, before)]
    bench.report(f"{state}, CPU of one core", "%", statistics.median(cpu), target=at_most(0.05))
    bench.report(f"{state}, wakeups", "1/s", statistics.median(wakeups), target=at_most(1))
    bench.report(f"{state}, memory of its own (Private_Dirty)", "MB", statistics.median(node.own_mb() for node in nodes), target=at_most(most_mb))
