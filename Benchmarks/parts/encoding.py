"""A camera's YUYV made into JPEG for one client."""

import resource
import statistics
import subprocess
import tempfile

from table import at_most, at_most_floor_and, ratio_at_most

SIZE = (1920, 1080)
CAMERA = "synthetic:{}x{}@30".format(*SIZE)


def measure(bench):
    """Node CPU per frame, less what the synthetic camera itself takes. The floor encodes at the camera's rate: a processor that rests
    between frames takes longer for each. What it takes in one go is told too."""
    with tempfile.TemporaryDirectory() as scratch, bench.node("--camera", CAMERA) as node:
        pictures = {code: f"{scratch}/picture.{code.lower()}" for code in ("YUYV", "NV12")}
        for code, path in pictures.items():
            subprocess.run(
                [bench.directory / "capturectl", "--node", node.address, "stream", "0", "--format", code,
                 "--size", "{}x{}".format(*SIZE), "--count", "1", "-o", path],
                check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        picture = pictures["YUYV"]
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
        measure_matrices(bench, frames, pictures)
        measure_conversions(bench, frames, picture)
        measure_photos(bench, encode)
        measure_turning(bench, scratch)
        tight = bench.floor("jpeg-floor", *SIZE, frames, picture)["cpu_ms_per_frame"]
        bench.report("  the floor without pauses between its frames", "ms", tight)


def measure_matrices(bench, frames, pictures):
    """The same picture, said to be of another matrix; the floor encodes it as it is, in one go as ours does. BT.2020 with constant luminance is no
    matrix: each pixel goes through tables and RGB, and it misses its target."""
    for code, matrix, label, target in (
        ("YUYV", "601", "BT.601", None), ("YUYV", "709", "BT.709", 1.25), ("YUYV", "2020", "BT.2020", 1.25), ("YUYV", "240", "SMPTE 240M", 1.25),
        ("YUYV", "constant", "BT.2020, constant luminance", 1.25),
        ("NV12", "601", "BT.601", None), ("NV12", "709", "BT.709", 1.25),
    ):
        rounds = bench.interleaved(
            floor=lambda: bench.floor("jpeg-floor", *SIZE, frames, pictures[code]),
            ours=lambda: bench.program("capture-bench", "encoding", "{}x{}".format(*SIZE), pictures[code], matrix, frames))
        bench.compare(rounds, f"{code} 1080p of {label} to JPEG, CPU per frame", "ms", "cpu_ms_per_frame",
                      target and ratio_at_most(target))


def measure_conversions(bench, frames, picture):
    """Raw frames in another pixel format; the floor is the one call of libyuv that does it, in one go as ours does."""
    for target, name, most in (("AR24", "BGRA", 1.1), ("NV12", "NV12", 1.1)):
        rounds = bench.interleaved(
            floor=lambda: bench.floor("convert-floor", 1280, 720, 5 * frames, picture, target),
            ours=lambda: bench.program("capture-bench", "converting", "1280x720", picture, target, 5 * frames))
        bench.compare(rounds, f"YUYV 720p to {name}, CPU per frame", "ms", "cpu_ms_per_frame", ratio_at_most(most))


def measure_turning(bench, scratch):
    """A quarter turn of a JPEG of 12 megapixels without loss. The floor is jpegtran, which has to start, and to read and write a file."""
    picture, count = f"{scratch}/large.jpg", 5 if bench.quick else 30

    def floor():
        times = []
        for _ in range(count):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(["jpegtran", "-copy", "none", "-perfect", "-rotate", "90", "-outfile", "/dev/null", picture], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
        return {"turn_ms": statistics.median(times)}

    bench.program("capture-bench", "turning", picture, 1)
    rounds = bench.interleaved(floor=floor, ours=lambda: bench.program("capture-bench", "turning", picture, count))
    bench.compare(rounds, "a JPEG of 12 megapixels turned without loss, CPU", "ms", "turn_ms", ratio_at_most(1.05))


def measure_photos(bench, encode):
    """A camera's own JPEG as a photo: what decoding it first takes. A photo of now, which the check, or the encode of `encode` ms, is the floor of."""
    checks = [bench.program("capture-bench", "checking", CAMERA, 30)["check_ms"] for _ in range(bench.rounds)]
    check = statistics.median(checks)
    bench.report("looking for damage in a JPEG of 1920x1080, CPU", "ms", check)
    with bench.node("--camera", CAMERA) as node:
        rounds = [bench.program("capture-bench", "photos", node.address, 5 if bench.quick else 20) for _ in range(bench.rounds)]
    bench.report("a photo of a camera that streams MJPEG 1080p: checked, more than unchecked", "ms",
                 statistics.median(photos["more_ms"] for photos in rounds), target=at_most(12))
    for code, floor, label in (("MJPG", check, "MJPEG, which is checked"), ("YUYV", encode, "YUYV, which is encoded")):
        with bench.node("--camera", CAMERA) as node:
            rounds = [bench.program("capture-bench", "now", node.address, code, 20 if bench.quick else 100) for _ in range(bench.rounds)]
        bench.report(f"a photo of now, 1080p {label}, from its request to its last byte, median", "ms",
                     statistics.median(photos["now_p50_ms"] for photos in rounds), floor=floor, target=at_most_floor_and(1, 3))
        bench.report("  p99", "ms", statistics.median(photos["now_p99_ms"] for photos in rounds))
