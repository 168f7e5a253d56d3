"""A node with a configuration of a test's own."""

import contextlib
import subprocess
import tempfile
from pathlib import Path


@contextlib.contextmanager
def configured_node(programs, configuration):
    """Runs a node with this text as its configuration until the block ends; its address."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "node.json5"
        file.write_text(configuration)
        node = subprocess.Popen([f"{programs}/capture-node", "--config", str(file)], stdout=subprocess.PIPE, text=True)
        try:
            yield node.stdout.readline().removeprefix("listening on ").strip()
        finally:
            node.terminate()
            node.wait(10)
