"""System calls that fail (Tests/Support/failing_calls.c)."""

import os
import subprocess
import tempfile
from pathlib import Path

SUPPORT = Path(__file__).resolve().parents[1] / "Support"


class FailingCalls:
    """What fails for programs with this `environment`; nothing does at first."""

    def __init__(self, folder):
        self._rules = Path(tempfile.mkdtemp(dir=folder))
        library = self._rules / "failing_calls.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Wall", "-o", library, SUPPORT / "failing_calls.c"], check=True)
        self.environment = {"LD_PRELOAD": str(library), "FAILING_CALLS": str(self._rules)}

    def fail(self, call, error, pattern):
        """From now on the call ("open", "stat", "fsync", "flock", "mmap", "close") fails with this error where its path matches."""
        rule = self._rules / call
        # Whole from the first moment, for programs that run already.
        rule.with_suffix(".new").write_text(f"{error} {pattern}")
        os.replace(rule.with_suffix(".new"), rule)

    def heal(self, call):
        (self._rules / call).unlink()
