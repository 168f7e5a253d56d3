"""Lets clients on another (emulated) machine into a node in the clear, as in a VPN: a credential made for that, and a configuration that names it."""

import contextlib
import hashlib
import os
import secrets
from pathlib import Path


class Plaintext:
    """`folder` gets the node's `configuration` and the client's file; `options` are what the node is started with."""

    def __init__(self, folder):
        folder = Path(folder)
        self.secret = secrets.token_bytes(32)
        self.file, self.configuration = folder / "credential", folder / "configuration"
        (self.configuration / "access.d").mkdir(parents=True, exist_ok=True)
        self._write(self.file, f"plaintext {self.secret.hex()}\n", 0o600)
        self._write(
            self.configuration / "access.d/test.json5",
            f"{{ clients: {{ test: {{ secretSHA256: '{hashlib.sha256(self.secret).hexdigest()}', role: 'control', plaintext: true }} }} }}", 0o640)
        self.options = ["--allow-plaintext", "--config", str(self.configuration)]

    @staticmethod
    def _write(path, text, mode):
        path.unlink(missing_ok=True)
        path.touch(mode)
        path.chmod(mode)
        path.write_text(text)

    @contextlib.contextmanager
    def given(self):
        """Programs that start within the block prove themselves with it."""
        os.environ["CAPTURE_CREDENTIAL_FILE"] = str(self.file)
        try:
            yield self
        finally:
            del os.environ["CAPTURE_CREDENTIAL_FILE"]
