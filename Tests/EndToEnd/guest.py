"""Runs shell commands in the virtual machine for the tests on the host. usage: guest.py HOST:PORT

It connects to the host, so that nothing in the machine has to listen for it. A line in is a command as a JSON string; a line out is
its status and its output as a JSON array.
"""

import json
import socket
import subprocess
import sys


def main(address):
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port))) as connection, connection.makefile("rw") as lines:
        for line in lines:
            done = subprocess.run(json.loads(line), shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            print(json.dumps([done.returncode, done.stdout.decode(errors="replace")]), file=lines, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
