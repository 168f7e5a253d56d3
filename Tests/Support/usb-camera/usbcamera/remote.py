"""A client of the control socket, for tests in Python and for the `control` command."""

import json
import socket


class CommandFailed(Exception):
    pass


class Remote:
    """Controls one camera of a running `serve`."""

    def __init__(self, address, camera=0):
        host, port = address.rsplit(":", 1)
        self._socket = socket.create_connection((host, int(port)), timeout=60)
        self._lines = self._socket.makefile("r")
        self._camera = camera

    def __call__(self, command):
        self._socket.sendall(f"{self._camera} {command}\n".encode())
        outcome, _, text = self._lines.readline().rstrip("\n").partition(" ")
        if outcome != "ok":
            raise CommandFailed(f"{command}: {text or 'the camera has ended'}")
        return text

    def json(self, command):
        return json.loads(self(command))
