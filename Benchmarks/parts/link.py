"""Freshness on a slow link: 20 Mbit/s, 20 ms, and more frames than it can carry. Needs root, for a network namespace."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from table import at_most

TESTS = Path(__file__).resolve().parents[2] / "Tests"
sys.path.insert(0, str(TESTS / "Support"))

from bad_link import NEAR, BadLink  # noqa: E402
from plaintext import Plaintext  # noqa: E402

RATE_MBIT, ROUND_TRIP_MS, CHUNK = 20, 20, 262_144


def measure(bench):
    if os.geteuid() != 0 or not Path("/dev/net/tun").exists():
        print("freshness on a slow link: not measured, it needs root and /dev/net/tun")
        return
    seconds = 3 if bench.quick else 10

    def received():
        with tempfile.TemporaryDirectory() as folder, (credential := Plaintext(folder)).given(), BadLink(RATE_MBIT, ROUND_TRIP_MS, 0) as link, bench.node(
                "--camera", "synthetic:1920x1080@30", "--enable-test-service", *credential.options,
                listen=f"{NEAR}:0") as node:
            command = [sys.executable, TESTS / "Load/far_end.py", "age", node.address, str(seconds)]
            return json.loads(link.popen(command, stdout=subprocess.PIPE).communicate(timeout=60)[0])

    results = [received() for _ in range(bench.rounds)]

    def median(key):
        return statistics.median(result[key] for result in results)

    def transmission_ms(count):
        return count * 8 / (RATE_MBIT * 1e3)

    frame_bytes = median("frame_bytes")
    age_bound, call_bound = 2 * transmission_ms(frame_bytes) + ROUND_TRIP_MS, transmission_ms(CHUNK) + ROUND_TRIP_MS
    bench.report(f"20 Mbit/s, 20 ms, {frame_bytes / 1e3:.0f} KB frames: age, p99", "ms", median("age_p99") * 1e3,
                 target=at_most(round(age_bound)))
    bench.report("  age, median", "ms", median("age_p50") * 1e3)
    bench.report("  a unary call meanwhile, p99", "ms", median("call_p99") * 1e3, target=at_most(round(call_bound)))
