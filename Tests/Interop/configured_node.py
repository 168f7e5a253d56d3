"""A node with a configuration of a test's own."""

import contextlib
import subprocess
import tempfile
from pathlib import Path
from types import SimpleNamespace

from cases import passes


@contextlib.contextmanager
def running_node(programs, configuration):
    """Runs a node with this text as its configuration until the block ends; its `address` and its `process`."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "node.json5"
        file.write_text(configuration)
        process = subprocess.Popen([f"{programs}/capture-node", "--config", str(file)], stdout=subprocess.PIPE, text=True)
        try:
            yield SimpleNamespace(process=process, address=process.stdout.readline().removeprefix("listening on ").strip())
        finally:
            process.terminate()
            process.wait(10)


@contextlib.contextmanager
def library_node(programs, configuration, directory):
    """The address of a node with a new library in that directory; the configuration calls the library's folder LIBRARY."""
    library = Path(directory) / "library"
    subprocess.run([f"{programs}/capture-node", "library", "init", "--mark-only", library], check=True, stdout=subprocess.DEVNULL)
    with configured_node(programs, configuration.replace("LIBRARY", str(library))) as address:
        yield address


def all_pass(tests, programs, configuration, run, once=()):
    """Runs tests at one such node, each time in a new folder: `run(test, address, folder)`. Whether all pass. Those in `once` are not run again when they fail."""
    failures = 0
    with tempfile.TemporaryDirectory() as directory, library_node(programs, configuration, directory) as address:
        for test in tests:
            def in_a_folder(test=test):
                run(test, address, Path(tempfile.mkdtemp(dir=directory)))

            failures += not passes(in_a_folder, name=test.__name__, again=test not in once)
    return failures == 0


@contextlib.contextmanager
def configured_node(programs, configuration):
    """The address of such a node."""
    with running_node(programs, configuration) as node:
        yield node.address
