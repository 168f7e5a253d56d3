"""How many instructions of the node's own a further client's frame takes. They are counted, so that a busy machine gives the same figure."""

import re
import subprocess
import tempfile
import time
from pathlib import Path

from programs import Node
from table import at_most

# Small pictures, few a second: valgrind makes a node some fifty times as slow.
CAMERA = "synthetic:640x480@15"
NODE = ["--camera", CAMERA, "--trust-local-users", "--listen", "127.0.0.1:0", "--state", "none", "--log-level", "error"]
FEW, MANY = 10, 30


def measure(bench):
    seconds = 8 if bench.quick else 60
    few, many = count(bench, FEW, seconds), count(bench, MANY, seconds)
    bench.report("instructions in user space, a further client's frame", "", (many[0] - few[0]) / (many[1] - few[1]), target=at_most(7000))


def count(bench, clients, seconds):
    """The instructions that a node takes for so many clients, and how many frames they get."""
    with tempfile.TemporaryDirectory() as scratch:
        # valgrind does not read a release's debug information.
        subprocess.run(["strip", "-g", "-o", f"{scratch}/node", bench.directory / "capture-node"], check=True)
        valgrind = ["-q", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={scratch}/counts"]
        with Node("valgrind", *valgrind, f"{scratch}/node", *NODE, listen=None, stderr=subprocess.DEVNULL) as node:
            subprocess.run([bench.directory / "capturectl", "--node", node.address, "stream", "0", "--format", "MJPG", "--count", "30", "-o", f"{scratch}/frames"],
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # the camera encodes its pictures
            time.sleep(2)
            subprocess.run(["callgrind_control", "-i", "on", str(node.pid)], check=True, stdout=subprocess.DEVNULL)
            clients_run = bench.floor("node-clients", node.pid, node.port, clients, seconds, 0)
            subprocess.run(["callgrind_control", "-i", "off", str(node.pid)], check=True, stdout=subprocess.DEVNULL)
        counted = re.search(r"^totals: (\d+)", Path(f"{scratch}/counts").read_text(), re.MULTILINE)
        return int(counted[1]), clients_run["fps"] * seconds * clients
