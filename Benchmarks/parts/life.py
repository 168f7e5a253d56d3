"""A node's start, its first frame, and what it takes at rest."""

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
    with bench.node("--camera", CAMERA) as node:
        bench.program("capture-bench", "frames", node.address, node.pid, 1, 0.5, "YUYV")
        # Dispatch lets its threads go after 5 s without work.
        time.sleep(2 if bench.quick else 12)
        seconds = 2 if bench.quick else 10
        before, wakeups = node.cpu_seconds(), node.wakeups()
        time.sleep(seconds)
        bench.report("idle with a camera open, CPU of one core", "%", (node.cpu_seconds() - before) / seconds * 100)
        bench.report("idle with a camera open, wakeups", "1/s", (node.wakeups() - wakeups) / seconds, target=at_most(0))
        bench.report("idle with a camera open, resident memory", "MB", node.resident_mb(), target=at_most(14))
    source = bench.program("capture-bench", "source", LIGHT_CAMERA, 30 if bench.quick else 150)
    bench.report("synthetic YUYV 1280x720 at 30, CPU of one core", "%", source["cpu_ms_per_frame"] * 30 / 10, target=at_most(3))
    for label, format in ("YUYV", "YUYV"), ("MJPEG", "MJPG"):
        metering = bench.program("capture-bench", "metering", CAMERA, format, 30 if bench.quick else 300)
        bench.add(Row(f"metering a {label} frame of 1920x1080 for 3A, CPU; the floor copies it", "ms", metering["meter_ms"],
                      floor=metering["copy_ms"], ratio=metering["ratio"], target=at_most(1)))
