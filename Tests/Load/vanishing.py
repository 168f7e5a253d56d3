"""Clients that are gone in the middle of what they do."""

import subprocess
import sys
from pathlib import Path

from node import Node, require_in_time, wait_until
from open_calls import STATES, open_calls
from wire import require

FAR_END = Path(__file__).with_name("far_end.py")
# It takes long to calibrate, and so has a lease for long.
CAMERA = "synthetic:physics:640x480@30"


def is_held(status):
    """All calls run, and that of the asker."""
    return status.calls == len(STATES) + 1 and status.leases == 1 and status.cameras[0].subscribers >= 2


def is_alone(status):
    """Nobody is there but the one who asks."""
    return (status.calls, status.clients, status.leases, status.cameras[0].subscribers) == (1, 1, 0, 0)


def gone(node, report):
    took = wait_until(lambda: is_alone(node.status()), "the end of all that the client had")
    status = node.status()
    report(f"{len(STATES)} calls, a lease and two streams gone after {took:.2f} s")
    require(status.cameras[0].buffers_lent == 0, "a buffer of the camera stays lent")
    require_in_time(took < 1, "the node kept what a client had that is gone")


def killed_client(report):
    """kill -9 of a client with calls in every state: within 1 s nothing of it is left, and the node has said it."""
    with Node("--camera", CAMERA) as node:
        command = [sys.executable, FAR_END, "hold", node.address]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as client:
            require(client.stdout.readline() == "connected\n", "the client did not connect")
            wait_until(lambda: is_held(node.status()), "the client's calls")
            client.kill()
            gone(node, report)
            wait_until(lambda: "gone in the middle of 1 call" in node.said(), "a line of the log about it")


def reset_connections(report):
    """Connections that are reset with calls in every state: within 1 s nothing of them is left."""
    with Node("--camera", CAMERA) as node:
        wires = open_calls(node.address)
        wait_until(lambda: is_held(node.status()), "the client's calls")
        for wire in wires:
            wire.reset()
        gone(node, report)
