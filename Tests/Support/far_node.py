"""A node that is open to the network over TLS, as others see it."""

import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

from ports import unused_port

LIMIT_S = 30


class FarNode:
    """A node with folders of its own, at `address`. It knows one client by a file: `credential`, which may view. `environment` is that of a user who knows
    nobody yet."""

    def __init__(self, program, camera="synthetic:640x480@30"):
        self.program, self.camera = program, camera

    def __enter__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="far-node-")
        self.folder = Path(self.directory.name)
        self.socket = f"unix:{self.folder}/socket"
        self.credential = os.urandom(32).hex()
        self.known = self.folder / "home/.config/remote-capture/nodes"
        self.environment = {**os.environ, "HOME": str(self.folder / "home")}
        self.environment.pop("XDG_CONFIG_HOME", None)
        clients = '{ clients: { viewer: { secretSHA256: "%s", role: "view" } } }' % hashlib.sha256(bytes.fromhex(self.credential)).hexdigest()
        (self.folder / "access.d").mkdir()
        for name, text in ("access.d/clients.json5", clients), ("viewer.credential", self.credential):
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o600)
        self.port = unused_port()
        self.address = f"127.0.0.1:{self.port}"
        self.start()
        self.line()  # the first one opens it to the network
        self.key = self.told("fingerprint").split("/")[4]
        return self

    def __exit__(self, *_):
        self.stop()
        self.directory.cleanup()

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "--config", self.folder, "--state", self.folder / "state.json", "--listen", self.socket, "--camera", self.camera],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert "listening on" in self.process.stdout.readline()

    def stop(self):
        self.process.terminate()
        self.process.wait(LIMIT_S)
        self.process.stdout.close()

    def told(self, *words):
        """What the node's own program prints."""
        command = [self.program, *words, "--socket", self.socket]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=LIMIT_S).stdout.strip()

    def line(self):
        """Another pairing line."""
        return self.told("pair", "--address", "127.0.0.1", "--port", str(self.port))
