"""How a node's processor time and memory grow with its clients: pictures of 60 KB at 5 a second. Draws docs/images/growth.svg."""

import json
import tempfile
from pathlib import Path

import plot
from parts.fanout import picture_bytes

CAMERA = "synthetic:1120x630@5"
COUNTS = (1, 10, 25, 50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000)
PICTURE = Path(__file__).resolve().parents[2] / "docs/images/growth.svg"


def measure(bench):
    counts = (1, 10, 50) if bench.quick else COUNTS
    points = []
    with tempfile.TemporaryDirectory() as scratch:
        settings = Path(scratch) / "node.json"
        settings.write_text(json.dumps({"audit": "none", "limits": {"connections": 1100, "connectionsPerAddress": 1100}}))
        for clients in counts:
            with bench.node("--config", settings, "--camera", CAMERA) as node:
                size = picture_bytes(bench, node)
                result = bench.floor("node-clients", node.pid, node.port, clients, max(bench.seconds, 4), 3)
                cpu = result["cpu_ms_per_client_frame"] * result["fps"] * clients / 10
                points.append((clients, cpu, result["rss_mb"]))
                bench.report(f"{clients} clients of {size // 1000} KB at 5 a second, CPU of one core", "%", cpu)
                bench.report("  resident memory", "MB", result["rss_mb"])
                bench.report("  discarded", "", result["discarded"])
    if not bench.quick:
        PICTURE.write_text(plot.growth(points))
        print(f"drew {PICTURE}")
