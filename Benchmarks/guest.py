"""In the virtual machine: ustreamer and our node in turn on vivid's camera. Prints a JSON object for each measurement.

usage: guest.py PROGRAMS FLOORS ROUNDS SECONDS
"""

import contextlib
import json
import socket
import subprocess
import sys
import time

from programs import Node, measured

CAMERA, SIZE, RATE, QUALITY, PORT = "/dev/video0", "640x360", 30, 80, 8080


@contextlib.contextmanager
def ustreamer():
    server = subprocess.Popen(
        ["ustreamer", "--device", CAMERA, "--format", "YUYV", "--resolution", SIZE, "--desired-fps", str(RATE), "--encoder", "CPU",
         "--quality", str(QUALITY), "--host", "127.0.0.1", "--port", str(PORT), "--tcp-nodelay", "--log-level", "0"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", PORT), 1).close()
                break
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)
        yield server.pid
    finally:
        server.terminate()
        server.wait(10)


def main(programs, floors, rounds, seconds):
    for _ in range(int(rounds)):
        for clients in (1, 10):
            with ustreamer() as pid:
                result = measured(f"{floors}/jpeg-clients", pid, PORT, clients, seconds, "/stream")
            print(json.dumps({"server": "ustreamer", "clients": clients, **result}), flush=True)
            with Node(f"{programs}/capture-node", "--camera", CAMERA) as node:
                result = measured(f"{programs}/capture-bench", "frames", node.address, node.pid, clients, seconds, "YUYV",
                                  SIZE, RATE, "420")
            print(json.dumps({"server": "ours", "clients": clients, **result}), flush=True)


main(*sys.argv[1:])
