"""Shells at a terminal, in which a line is typed, completed and run."""

import json
import os
import pty
import select
import signal
import subprocess
import time

# Writes what it was called with, except where a shell asks for completions: then it is the real one, or tells the names in a file.
STAND_IN = """#!/usr/bin/python3
import json, os, sys
if sys.argv[1:2] == ["complete"] and os.path.exists("names"):
    sys.stdout.write(open("names").read())
elif sys.argv[1:2] in (["complete"], ["completions"]):
    os.execv({program!r}, sys.argv)
else:
    with open("called.new", "w") as file:
        json.dump(sys.argv[1:], file)
    os.rename("called.new", "called")
"""

SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source <(capturectl completions bash)"),
    "zsh": (["zsh", "-f", "-i"], "autoload -U compinit; compinit -u -D; source <(capturectl completions zsh)"),
    "fish": (["fish", "--no-config", "-i"], "capturectl completions fish | source"),
}


class Shell:
    """A shell with the completions of capturectl, in a directory of its own."""

    def __init__(self, name, program, directory, node):
        self.name, self.directory, self.screen = name, directory, b""
        stand_in = directory / "bin" / "capturectl"
        stand_in.parent.mkdir(exist_ok=True)
        stand_in.write_text(STAND_IN.format(program=str(program)))
        stand_in.chmod(0o755)
        command, completions = SHELLS[name]
        environment = {"PATH": f"{stand_in.parent}:/usr/bin:/bin", "HOME": str(directory), "TERM": "xterm", "LANG": "C.UTF-8", "CAPTURE_NODE": node}
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(directory)
            os.execvpe(command[0], command, environment)
        os.set_blocking(self.terminal, False)
        self.type(completions)
        assert self.called("capturectl is ready") == ["is", "ready"], self.screen

    def type(self, line):
        """Types a line and Return."""
        os.write(self.terminal, line.encode() + b"\r")

    def called(self, line):
        """The arguments of capturectl after a line was typed, in which "\t" completes."""
        called = self.directory / "called"
        called.unlink(missing_ok=True)
        self.type(line)
        end = time.monotonic() + 20
        while not called.exists():
            assert time.monotonic() < end, f"{self.name} did not run {line!r}:\n{self.screen.decode(errors='replace')}"
            self.read(0.02)
        return json.loads(called.read_text())

    def read(self, seconds):
        """Takes what the shell shows, so that it never waits for a reader."""
        if select.select([self.terminal], [], [], seconds)[0]:
            try:
                self.screen = (self.screen + os.read(self.terminal, 65536))[-4000:]
            except OSError as error:
                raise AssertionError(f"{self.name} ended: {self.screen}") from error

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


def is_there(name):
    return subprocess.run(["which", name], stdout=subprocess.DEVNULL).returncode == 0
