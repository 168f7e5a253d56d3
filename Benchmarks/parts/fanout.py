"""Many clients of one camera's own JPEG. The floor, GStreamer and the node have clients alike, of one thread in C, which read all pictures
into one buffer; what the client library makes of it is told beside them. So is a node that keeps no frames, as GStreamer does not."""

import contextlib
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from table import at_most, at_most_floor_and, ratio_at_most, ratio_at_most_in_rounds

# Its pictures have 290 KB, as a camera's at 1920x1080: the scene has no noise. Nobody decodes them.
CAMERA = os.environ.get("BENCH_FANOUT_CAMERA", "synthetic:3200x1800@60")
RATE = 60
# Its frames are made into JPEGs, once for all who want the same picture.
RAW_CAMERA, RAW_RATE = "synthetic:1920x1080@30", 30
# Its frames are converted, likewise.
CONVERTED_CAMERA = "synthetic:1280x720@30"
# Streams of one client, which are more than 1,000 frames a second together: a camera has 120.
CLIENT_CAMERA, CLIENT_STREAMS = "synthetic:3200x1800@120", 9
KB = 1_000
# The clients of the library, as it is without options: two frames on their way, and a Credit for each.
LIBRARY = "library_of_window_2"
# As many clients are measured with a node that keeps no frames too.
NO_RING = (1, 10)
# As many with a floor that spins too.
SPINNING = 200
# No more than two rounds may have a ratio to GStreamer above this.
WORST = 1.15


def measure(bench):
    """The floor, and GStreamer, send frames of the same size at the same rate."""
    bench.note(f"the node's clients: {said(bench, 'node-clients', '--credit')}; the library's: a window of 2, as it is without options, and a Credit for each frame")
    if bench.peers:
        bench.note(f"GStreamer: {said(bench, 'gstreamer-peer', '--pipeline')}")
    for clients in (1, 10) if bench.quick else (1, 10, 50, 200):
        with contextlib.ExitStack() as stack:
            node = stack.enter_context(bench.node("--camera", CAMERA))
            frame_bytes = picture_bytes(bench, node)
            rounds = bench.interleaved(**candidates(bench, stack, node, clients, frame_bytes))

            def median(key):
                return statistics.median(result[key] for result in rounds["ours"])

            bench.compare(rounds, f"MJPEG of {frame_bytes // KB} KB, {clients} clients, node CPU per frame", "ms",
                          "cpu_ms_per_frame", at_most_floor_and(1.3, 0.15))
            bench.compare(rounds, "  CPU per client-frame", "ms", "cpu_ms_per_client_frame")
            bench.compare(rounds, "  the same, beside GStreamer's", "ms", "cpu_ms_per_client_frame",
                          ratio_at_most_in_rounds(1.05, worst=WORST, times=2), against="gstreamer", above=WORST)
            bench.compare(rounds, "  the same of a node that keeps no frames, as GStreamer", "ms", "cpu_ms_per_client_frame", against="gstreamer",
                          of="no_ring", above=WORST)
            bench.compare(rounds, "  latency, median", "ms", "latency_p50_ms", ratio_at_most(1.5) if clients <= 50 else None)
            if clients == SPINNING:
                bench.compare(rounds, "  latency, median, beside a floor that spins for the difference", "ms", "latency_p50_ms", ratio_at_most(1.5), "spinning")
            bench.report("  frames a second at each client", "1/s", median("fps"))

            def worst(of):
                return max(result["discarded"] for result in rounds[of])

            bench.report("  discarded, the worst round", "", worst("ours"), target=at_most(0 if clients <= 50 else 0.01 * clients * RATE * bench.seconds), floor=worst("floor"))
            bench.compare(rounds, "  threads", "", "threads", at_most(12) if clients == 200 else None, against=None)
            bench.compare(rounds, "  resident memory", "MB", "rss_mb", against=None)

    measure_encoded(bench)
    measure_converted(bench)
    measure_client(bench)


def candidates(bench, stack, node, clients, frame_bytes):
    """What a round measures, one after the other, by name."""
    warm = min(4, 3 * bench.seconds)  # the synthetic camera encodes its pictures in the first seconds, and the ring of frames fills

    def per_frame(result):
        """The server's CPU for one frame to all clients."""
        return {**result, "cpu_ms_per_frame": result["cpu_ms_per_client_frame"] * clients}

    def floor(*more):
        return per_frame(bench.floor("fanout-floor", clients, frame_bytes, RATE, bench.seconds, *more))

    def of(node):
        return per_frame(bench.floor("node-clients", node.pid, node.port, clients, bench.seconds, warm))

    def spinning():
        """A floor that spends as much of a processor on a frame as the node did in this round."""
        spin = bench.round["ours"]["cpu_ms_per_frame"] - bench.round["floor"]["cpu_ms_per_frame"]
        return floor("--spin", max(0, spin * 1e3))

    measured = {"floor": floor, "ours": lambda: of(node)}
    if clients == SPINNING:
        measured["spinning"] = spinning
    measured["gstreamer"] = lambda: floor(bench.floors / "gstreamer-peer")
    if bench.peers and clients in NO_RING:
        bare = stack.enter_context(node_without_ring(bench))
        measured["no_ring"] = lambda: of(bare)
    measured[LIBRARY] = lambda: per_frame(bench.program(
        "capture-bench", "frames", node.address, node.pid, clients, bench.seconds, "MJPG"))
    return measured


@contextlib.contextmanager
def node_without_ring(bench):
    with tempfile.TemporaryDirectory() as place:
        settings = Path(place) / "node.json"
        settings.write_text(json.dumps({"limits": {"recentFrameBytesPerCamera": 0}}))
        with bench.node("--config", settings, "--camera", CAMERA) as node:
            yield node


def said(bench, program, option):
    """What a program says of itself."""
    return subprocess.run([bench.floors / program, option], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def measure_encoded(bench):
    """Ten clients of one rendition; what sending takes is the floor's time for frames of the same size."""
    clients = 10
    with bench.node("--camera", RAW_CAMERA) as node:
        rounds = []
        for _ in range(bench.rounds):
            one, many = (bench.program("capture-bench", "frames", node.address, node.pid, count, bench.seconds, "YUYV") for count in (1, clients))
            sending = bench.floor("fanout-floor", clients, int(one["frame_bytes"]), RAW_RATE, bench.seconds)
            rounds.append((one["cpu_ms_per_client_frame"], many["cpu_ms_per_client_frame"] * clients,
                           sending["cpu_ms_per_client_frame"] * (clients - 1)))
        one, many, sending = (statistics.median(column) for column in zip(*rounds))
        bench.report(f"JPEG of YUYV 1080p30, {clients} clients, node CPU per frame; the floor: one client's, and sending", "ms", many,
                     floor=one + sending, ratio=statistics.median((m - s) / o for o, m, s in rounds), target=ratio_at_most(1.1))


def measure_converted(bench):
    """The same for pixels. Sending them takes a hundred times as long as converting: so the conversions are counted, and their time is that of encoding.py."""
    clients = 10
    with bench.node("--camera", CONVERTED_CAMERA) as node:
        rounds = [bench.program("capture-bench", "frames", node.address, node.pid, clients, bench.seconds, "BGRA") for _ in range(bench.rounds)]
    bench.report(f"BGRA of YUYV 720p30, {clients} clients, conversions of a frame", "", statistics.median(made["made_per_frame"] for made in rounds),
                 target=at_most(1.1))


def measure_client(bench):
    """What a frame takes its receiver: through the client library, and by the calls of the wire alone, which are the floor."""
    frames = 500 if bench.quick else 4000
    with bench.node("--camera", CLIENT_CAMERA) as node:
        frame_bytes = picture_bytes(bench, node)
        time.sleep(1 if bench.quick else 5)  # the camera encodes its pictures first

        def client(way):
            return bench.program("capture-bench", "client", node.address, way, CLIENT_STREAMS, frames)

        rounds = bench.interleaved(floor=lambda: client("transport"), ours=lambda: client("library"))
    bench.compare(rounds, f"a client of {CLIENT_STREAMS} streams, MJPEG of {frame_bytes // KB} KB, its own CPU per frame", "µs", "cpu_us_per_frame",
                  ratio_at_most(1.1))
    bench.compare(rounds, "  frames a second", "1/s", "frames_per_s")


def picture_bytes(bench, node):
    """How long a picture of the camera's loop is."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "picture.jpg"
        subprocess.run([bench.directory / "capturectl", "--node", node.address, "stream", "0", "--format", "MJPG", "--count", "1",
                        "-o", path], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return path.stat().st_size
