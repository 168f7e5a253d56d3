"""A camera's YUYV made into JPEG for one client."""

import statistics
import subprocess
import tempfile

from table import at_most_floor_and, ratio_at_most

SIZE = (1920, 1080)
CAMERA = "synthetic:{}x{}@30".format(*SIZE)


def measure(bench):
    """Node CPU per frame, less what the synthetic camera itself takes. The floor encodes at the camera's rate: a processor that rests
    between frames takes longer for each. What it takes in one go is told too."""
    with tempfile.TemporaryDirectory() as scratch, bench.node("--camera", CAMERA) as node:
        picture = f"{scratch}/picture.yuyv"
        subprocess.run(
            [bench.directory / "capturectl", "--node", node.address, "stream", "0", "--format", "YUYV",
             "--size", "{}x{}".format(*SIZE), "--count", "1", "-o", picture],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        frames = 20 if bench.quick else 150

        def ours():
            source = bench.program("capture-bench", "source", CAMERA, frames)["cpu_ms_per_frame"]
            whole = bench.program("capture-bench", "frames", node.address, node.pid, 1, frames / 30, "YUYV")
            return {**whole, "cpu_ms_per_frame": whole["cpu_ms_per_client_frame"] - source, "source": source}

        rounds = bench.interleaved(floor=lambda: bench.floor("jpeg-floor", *SIZE, frames, picture, 30), ours=ours)
        bench.compare(rounds, "YUYV 1080p30 to JPEG to a client, node CPU per frame", "ms", "cpu_ms_per_frame",
                      ratio_at_most(1.08))
        encode = statistics.median(result["cpu_ms_per_frame"] for result in rounds["floor"])

        def median(key):
            return statistics.median(result[key] for result in rounds["ours"])

        bench.report("  latency from capture to client, p99", "ms", median("latency_p99_ms"), floor=encode,
                     target=at_most_floor_and(1, 3))
        bench.report("  latency, median", "ms", median("latency_p50_ms"))
        bench.report("  of the camera's own work, taken off", "ms", median("source"))
        tight = bench.floor("jpeg-floor", *SIZE, frames, picture)["cpu_ms_per_frame"]
        bench.report("  the floor without pauses between its frames", "ms", tight)
