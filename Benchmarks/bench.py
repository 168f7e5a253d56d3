"""Measures the release build against its floors. Run by scripts/bench, which builds what this needs.

Every figure is the median of some rounds. A round measures the floor and then ours, one right after the other, and a
ratio is the median of the rounds' ratios: a noisy machine slows both.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

KB, MB = 1_000, 1_000_000
PICTURE = (1920, 1080)
CAMERA = "synthetic:{}x{}@30".format(*PICTURE)
FANOUT_CAMERA = os.environ.get("BENCH_FANOUT_CAMERA", "synthetic:1920x1080@60")
FANOUT_RATE = 60


@dataclass
class Row:
    """One line of the table. `ratio` is ours to the floor's; `target` says what it has to be."""

    name: str
    unit: str
    ours: float
    floor: float | None = None
    ratio: float | None = None
    target: str = ""
    peer: float | None = None  # what gRPC C++ takes for the same

    @property
    def met(self):
        if not self.target or self.ratio is None:
            return None
        bound = float(self.target[1:])
        return self.ratio >= bound if self.target[0] == "≥" else self.ratio <= bound


class Bench:
    def __init__(self, directory, floors, quick, peers):
        self.directory, self.floors, self.quick, self.peers = Path(directory), Path(floors), quick, peers
        self.rounds = 1 if quick else 5
        self.seconds = "0.3" if quick else "2"
        self.rows = []

    def program(self, name, *words):
        return measured(self.directory / name, *words)

    def floor(self, name, *words):
        return measured(self.floors / name, *words)

    def node(self, *words):
        return Node(self.directory / "capture-node", *words)

    def compare(self, floor, ours, *columns, peer=None):
        """Rounds of both, and of the peer; a row for each column (name, unit, key of all, target)."""
        pairs, peers = [], []
        for _ in range(self.rounds):
            pairs.append((floor(), ours()))
            if peer and self.peers:
                peers.append(peer())
        for name, unit, key, target in columns:
            self.rows.append(Row(
                name, unit,
                ours=statistics.median(our[key] for _, our in pairs),
                floor=statistics.median(base[key] for base, _ in pairs),
                ratio=statistics.median(our[key] / base[key] for base, our in pairs), target=target,
                peer=statistics.median(one[key] for one in peers) if peers else None))
            show(self.rows[-1])

    def report(self, name, unit, value):
        self.rows.append(Row(name, unit, value))
        show(self.rows[-1])

    # What is measured

    def wire(self):
        with self.node("--enable-test-service", "--camera", "synthetic:320x240@5") as node:
            for label, size, checked in (("60 KB", 60 * KB, False), ("300 KB", 300 * KB, True), ("4 MB", 4 * MB, True)):
                self.compare(
                    lambda: self.floor("socket-floor", "stream", size, self.seconds),
                    lambda: self.program("capture-bench", "download", node.address, node.pid, size, self.seconds),
                    (f"stream of {label}, throughput", "GB/s", "gb_per_s", "≥0.7" if checked else ""),
                    (f"stream of {label}, CPU of both ends", "s/GB", "cpu_s_per_gb", "≤1.6" if checked else ""),
                    peer=lambda: self.floor("grpc-peer", "stream", size, self.seconds))
            count = 500 if self.quick else 5000
            self.compare(
                lambda: self.floor("socket-floor", "ping", 64, count),
                lambda: self.program("capture-bench", "ping", node.address, count),
                ("unary call, median", "µs", "p50_us", "≤1.3"),
                ("unary call, p99", "µs", "p99_us", ""),
                peer=lambda: self.floor("grpc-peer", "ping", 64, count))

    def encoding(self):
        """Node CPU per frame, YUYV to JPEG to one client, less what the synthetic camera itself takes. The floor encodes at the
        camera's rate: a processor that rests between frames takes longer for each. What it takes in one go is told too."""
        with tempfile.TemporaryDirectory() as scratch, self.node("--camera", CAMERA) as node:
            picture = f"{scratch}/picture.yuyv"
            subprocess.run(
                [self.directory / "capturectl", "--node", node.address, "stream", "0", "--format", "YUYV",
                 "--size", "{}x{}".format(*PICTURE), "--count", "1", "-o", picture],
                check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            frames = 20 if self.quick else 150
            sources = []

            def ours():
                source = self.program("capture-bench", "source", CAMERA, frames)["cpu_ms_per_frame"]
                sources.append(source)
                whole = self.program("capture-bench", "frames", node.address, node.pid, 1, frames / 30, "YUYV")
                return {"cpu_ms_per_frame": whole["cpu_ms_per_client_frame"] - source, **whole}

            results = []
            self.compare(
                lambda: self.floor("jpeg-floor", *PICTURE, frames, picture, 30),
                lambda: results.append(ours()) or results[-1],
                ("YUYV 1080p to JPEG to a client, node CPU per frame", "ms", "cpu_ms_per_frame", "≤1.2"))
            tight = self.floor("jpeg-floor", *PICTURE, frames, picture)["cpu_ms_per_frame"]
            self.report("  the floor without pauses between its frames", "ms", tight)
            self.report("  of the camera's own work, taken off", "ms", statistics.median(sources))
            self.report("  latency from capture to client, median", "ms",
                        statistics.median(result["latency_p50_ms"] for result in results))

    def fanout(self):
        """Many clients of one camera's own JPEG. The floor sends frames of the same size at the same rate."""
        for clients in (1, 10) if self.quick else (1, 10, 50):
            with self.node("--camera", FANOUT_CAMERA) as node:
                results, frame_bytes = [], []

                def ours():
                    results.append(self.program(
                        "capture-bench", "frames", node.address, node.pid, clients, self.seconds, "MJPG"))
                    return results[-1]

                frame_bytes = int(ours()["frame_bytes"])
                self.compare(
                    lambda: self.floor("fanout-floor", clients, frame_bytes, FANOUT_RATE, self.seconds), ours,
                    (f"MJPEG {frame_bytes // KB} KB, {clients} clients, CPU per client-frame", "ms",
                     "cpu_ms_per_client_frame", ""),
                    ("  latency, median", "ms", "latency_p50_ms", ""))
                for name, unit, key in (("  frames a second at each client", "1/s", "fps"),
                                        ("  discarded", "", "discarded"), ("  threads", "", "threads"),
                                        ("  resident memory", "MB", "rss_mb")):
                    self.report(name, unit, statistics.median(result[key] for result in results))

    def life(self):
        starts, firsts = [], []
        for _ in range(max(self.rounds, 3)):
            with self.node("--camera", CAMERA) as node:
                starts.append(node.start_ms)
                firsts.append(self.program(
                    "capture-bench", "frames", node.address, node.pid, 1, 0.2, "YUYV")["first_frame_ms"])
        self.report("start to listening", "ms", statistics.median(starts))
        self.report("request to first frame, camera stopped before", "ms", statistics.median(firsts))
        with self.node("--camera", CAMERA) as node:
            self.program("capture-bench", "frames", node.address, node.pid, 1, 0.5, "YUYV")
            time.sleep(2)
            seconds = 2 if self.quick else 10
            before = node.cpu_seconds()
            time.sleep(seconds)
            self.report("idle with a camera open, CPU of one core", "%",
                        (node.cpu_seconds() - before) / seconds * 100)
            self.report("idle with a camera open, resident memory", "MB", node.resident_mb())


class Node:
    """A capture-node on a free port."""

    def __init__(self, binary, *words):
        start = time.monotonic()
        self.process = subprocess.Popen(
            [binary, "--listen", "127.0.0.1:0", "--state", "none", "--log-level", "error", *words], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        self.start_ms = (time.monotonic() - start) * 1e3
        if not line.startswith("listening on "):
            self.process.kill()
            sys.exit(f"bench: the node said {line!r}")
        self.address = line.removeprefix("listening on ").strip()
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(10)

    def cpu_seconds(self):
        """To a nanosecond, where /proc/PID/stat counts hundredths of a second."""
        return time.clock_gettime((~self.pid << 3) | 2)  # what clock_getcpuclockid(3) gives

    def resident_mb(self):
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024


def measured(program, *words):
    run = subprocess.run([str(program), *map(str, words)], stdout=subprocess.PIPE, text=True)
    if run.returncode != 0:
        sys.exit(f"bench: {Path(program).name} {' '.join(map(str, words))} failed")
    return json.loads(run.stdout)


def show(row):
    def figure(value):
        return "" if value is None else f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"

    verdict = {True: "met", False: "MISSED", None: ""}[row.met]
    print(f"{row.name:<58} {figure(row.ours):>9} {figure(row.floor):>9} {row.unit:<5}"
          f" {figure(row.ratio):>6} {row.target:>5} {verdict:<6} {figure(row.peer):>9}", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="write the table there too")
    parser.add_argument("--quick", action="store_true", help="one short round: does it run? Its figures mean little")
    parser.add_argument("--only", choices=("wire", "encoding", "fanout", "life"), action="append", help="a part")
    parser.add_argument("--peers", action="store_true", help="gRPC C++ too")
    parser.add_argument("directory", help=argparse.SUPPRESS)
    parser.add_argument("floors", help=argparse.SUPPRESS)
    options = parser.parse_args()
    bench = Bench(options.directory, options.floors, options.quick, options.peers)
    print(f"{'':<58} {'ours':>9} {'floor':>9} {'':<5} {'ratio':>6} {'target':>5} {'':<6}"
          f" {'gRPC' if options.peers else '':>9}")
    for part in options.only or ("wire", "encoding", "fanout", "life"):
        getattr(bench, part)()
    checked = [row for row in bench.rows if row.met is not None]
    print(f"{sum(row.met for row in checked)} of {len(checked)} targets met")
    if options.json:
        document = {
            "machine": f"{platform.machine()}, {os.cpu_count()} CPUs, Linux {platform.release()}",
            "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "rounds": bench.rounds, "quick": bench.quick,
            "rows": [{**asdict(row), "met": row.met} for row in bench.rows],
        }
        Path(options.json).write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
