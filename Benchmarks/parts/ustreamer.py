"""ustreamer against our node, in the virtual machine with vivid's camera: 640x360 YUYV into JPEG 4:2:0."""

import json
import subprocess
import sys
from pathlib import Path

from table import ratio_at_most

PROJECT = Path(__file__).resolve().parents[2]


def measure(bench):
    """Both in turn, several rounds of one boot; CPU is what the guest's kernel counts."""
    seconds = 2 if bench.quick else 4
    command = [
        PROJECT / "scripts/vm/run", "--visible", bench.directory, "--visible", bench.floors, "--timeout", "900", "--",
        "/usr/bin/python3", "Benchmarks/guest.py", bench.directory, bench.floors, bench.rounds, seconds]
    run = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True)
    results = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    if run.returncode != 0 or not results:
        sys.exit(f"bench: the virtual machine failed; it said:\n{run.stdout}")
    for clients in sorted({result["clients"] for result in results}):
        rounds = {name: [result for result in results if (result["server"], result["clients"]) == (name, clients)]
                  for name in ("ours", "ustreamer")}
        bench.compare(rounds, f"640x360 YUYV to JPEG, {clients} clients, CPU per delivered frame", "ms",
                      "cpu_ms_per_client_frame", ratio_at_most(0.8), "ustreamer")
        bench.compare(rounds, "  frames a second at each client", "1/s", "fps", against=None)
        bench.compare(rounds, "  resident memory", "MB", "rss_mb", against=None)
