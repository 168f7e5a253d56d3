"""A disk that is slow to take what was written (Tests/Support/held_disk.c)."""

import subprocess
import tempfile
import time
from pathlib import Path

SUPPORT = Path(__file__).resolve().parents[1] / "Support"


class HeldDisk:
    """For programs with this environment: a disk that takes nothing in the block until `release`."""

    def __init__(self, folder, environment):
        self.folder = Path(tempfile.mkdtemp(dir=folder))
        library = self.folder / "held_disk.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Wall", "-o", library, SUPPORT / "held_disk.c"], check=True)
        environment |= {"LD_PRELOAD": str(library), "HELD_DISK": str(self.folder)}

    def __enter__(self):
        (self.folder / "held").touch()
        return self

    def __exit__(self, *_):
        self.release()

    def wait(self, seconds=30):
        deadline = time.monotonic() + seconds
        while not (self.folder / "waiting").exists():
            assert time.monotonic() < deadline, "nothing waits for the disk"
            time.sleep(0.02)

    def release(self):
        (self.folder / "held").unlink(missing_ok=True)
