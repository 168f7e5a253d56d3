"""The programs that are measured, and what they say."""

import functools
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Seconds. What takes longer hangs.
LONGEST = 300


class Node:
    """A capture-node on a free port."""

    def __init__(self, binary, *words, listen="127.0.0.1:0", stderr=None):
        """Without `listen` its configuration, or its words, say where it listens, and the rest."""
        usual = [*trust(binary), "--listen", listen, "--state", "none", "--log-level", "error"] if listen else []
        # Lines of its audit do not belong into a table.
        self.log = tempfile.TemporaryFile("w+")
        start = time.monotonic()
        self.process = subprocess.Popen([binary, *usual, *words], stdout=subprocess.PIPE, stderr=stderr or self.log, text=True)
        line = self.process.stdout.readline()
        self.start_ms = (time.monotonic() - start) * 1e3
        found = re.match(r"listening on (\S+)", line)
        if not found:
            self.process.kill()
            sys.exit(f"bench: the node said {line!r} {self.said()}")
        self.address = found[1]
        self.port = self.address.rpartition(":")[2]
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def said(self):
        """What it has written to its standard error."""
        self.log.seek(0)
        return self.log.read()

    def __exit__(self, *_):
        if self.process.poll() is not None:
            sys.exit(f"bench: the node has ended with {self.process.returncode}: {self.said()}")
        self.process.terminate()
        self.process.wait(10)

    def cpu_seconds(self):
        return cpu_seconds(self.pid)

    def wakeups(self):
        """How often its threads have had the processor anew."""
        tasks = Path(f"/proc/{self.pid}/task").glob("*/status")
        return sum(int(count) for task in tasks for count in re.findall(r"^\w*ctxt_switches:\s*(\d+)", task.read_text(), re.MULTILINE))

    def own_mb(self):
        """The memory that nobody else could use: without code, which the kernel takes back and reads again as it likes."""
        rollup = Path(f"/proc/{self.pid}/smaps_rollup").read_text()
        return int(rollup.split("Private_Dirty:")[1].split()[0]) / 1024


@functools.cache
def trust(binary):
    """The option by which a node serves whoever is on this machine. A build from before there were rights (--against) has none, and serves anybody."""
    option = "--trust-local-users"
    described = subprocess.run([binary, "--help"], stdout=subprocess.PIPE, text=True, timeout=LONGEST, check=True).stdout
    return [option] if option in described else []


def cpu_seconds(pid):
    """To a nanosecond, where /proc/PID/stat counts hundredths of a second."""
    return time.clock_gettime((~pid << 3) | 2)  # what clock_getcpuclockid(3) gives


def measured(program, *words):
    """The JSON object that a program prints."""
    run = subprocess.run([str(program), *map(str, words)], stdout=subprocess.PIPE, text=True, timeout=LONGEST)
    if run.returncode != 0:
        sys.exit(f"bench: {Path(program).name} {' '.join(map(str, words))} failed")
    return json.loads(run.stdout)
