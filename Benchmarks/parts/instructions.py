"""How many instructions of the node's own a further client's frame takes. They are counted, so that a busy machine gives about the same figure."""

import contextlib
import re
import subprocess
import tempfile
import time
from pathlib import Path

from programs import Node
from table import at_most

# Small pictures, few a second: valgrind makes a node some fifty times as slow.
RATE = 20
CAMERA = f"synthetic:640x480@{RATE}"
NODE = ["--camera", CAMERA, "--trust-local-users", "--listen", "127.0.0.1:0", "--state", "none", "--log-level", "error"]
# One client more is what the target is about. What is not a client's, such as a camera's frame or how many Credits a turn finds, differs from run to run,
# and falls upon that one client; of twenty more each gets a twentieth of it.
FEW, ONE_MORE, MANY = 10, 11, 30


def measure(bench):
    frames = 120 if bench.quick else 1000
    few, one_more, many = (count(bench, clients, frames) for clients in (FEW, ONE_MORE, MANY))
    bench.report(f"instructions in user space, a further client's frame, {FEW} and {ONE_MORE} clients", "", one_more - few, target=at_most(7000))
    bench.report(f"  the same of {FEW} and {MANY} clients, less of it by chance", "", (many - few) / (MANY - FEW))


def count(bench, clients, frames):
    """The instructions that a node takes for a frame to so many clients. What subscribing takes is part of them, spread over all frames."""
    with tempfile.TemporaryDirectory() as scratch:
        # valgrind does not read a release's debug information.
        subprocess.run(["strip", "-g", "-o", f"{scratch}/node", bench.directory / "capture-node"], check=True)
        valgrind = ["-q", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={scratch}/counts"]
        with Node("valgrind", *valgrind, f"{scratch}/node", *NODE, listen=None, stderr=subprocess.DEVNULL) as node, watcher(bench, node):
            subprocess.run(["callgrind_control", "-i", "on", str(node.pid)], check=True, stdout=subprocess.DEVNULL)
            seconds = frames / RATE
            fps = bench.floor("node-clients", node.pid, node.port, clients, seconds, 0)["fps"]
            subprocess.run(["callgrind_control", "-i", "off", str(node.pid)], check=True, stdout=subprocess.DEVNULL)
        counted = re.search(r"^totals: (\d+)", Path(f"{scratch}/counts").read_text(), re.MULTILINE)
        return int(counted[1]) / (fps * seconds)


@contextlib.contextmanager
def watcher(bench, node):
    """A client more, in every count. The camera encodes its pictures anew for each stream: with somebody who watches it has done so before the count."""
    client = subprocess.Popen([bench.floors / "node-clients", str(node.pid), node.port, "1", "3600", "0"], stdout=subprocess.DEVNULL)
    try:
        time.sleep(10)
        yield
        if client.poll() is not None:
            raise RuntimeError(f"the client that watches has ended with {client.returncode}")
    finally:
        client.terminate()
        client.wait(10)
