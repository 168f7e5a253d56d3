"""A node's machine, a laptop and a stranger's machine, as network namespaces behind a bridge, and what is done on them.

For tests that run as root."""

import contextlib
import json
import os
import subprocess
import threading
import time
from pathlib import Path

NODE, LAPTOP, STRANGER = "10.74.0.1", "10.74.0.2", "10.74.0.3"
NODE6, LAPTOP6, STRANGER6 = "fd74::1", "fd74::2", "fd74::3"
PORT = 7311
# Seconds from the answer to a command that ends connections to the last byte of a frame.
CUT = 0.2
# The name of the node's machine.
HOST = "studio"


class Net:
    """A bridge with three namespaces behind it."""

    def __init__(self):
        self.tag = f"cp{os.getpid() % 100000}"
        self.bridge = f"{self.tag}b"
        self.ip("link", "add", self.bridge, "type", "bridge")
        self.ip("link", "set", self.bridge, "up")
        for name, address in ("n", NODE), ("l", LAPTOP), ("s", STRANGER):
            namespace, outer = self.tag + name, f"{self.tag}{name}o"
            self.ip("netns", "add", namespace)
            self.ip("link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", namespace)
            self.ip("link", "set", outer, "master", self.bridge, "up")
            self.ip("-n", namespace, "addr", "add", f"{address}/24", "dev", "eth0")
            self.ip("-n", namespace, "link", "set", "eth0", "up")
            self.ip("-n", namespace, "link", "set", "lo", "up")

    @staticmethod
    def ip(*words):
        subprocess.run(["ip", *words], check=True, capture_output=True)

    @contextlib.contextmanager
    def of_ipv6(self):
        """The machines have addresses of IPv6 too, until the end of the block."""
        def change(word, *more):
            for name, address in ("n", NODE6), ("l", LAPTOP6), ("s", STRANGER6):
                self.ip("-n", self.tag + name, "addr", word, f"{address}/64", "dev", "eth0", *more)

        change("add", "nodad")
        try:
            yield
        finally:
            change("del")

    def inside(self, name, *command):
        return ["ip", "netns", "exec", self.tag + name, *map(str, command)]

    def close(self):
        for name in "nls":
            subprocess.run(["ip", "netns", "del", self.tag + name], capture_output=True)
        subprocess.run(["ip", "link", "del", self.bridge], capture_output=True)


class CommandLines:
    """Every command line that a process had meanwhile, as others on the machine see them."""

    def __init__(self):
        self.seen, self.ends = set(), threading.Event()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def watch(self):
        while not self.ends.wait(0.005):
            for file in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    self.seen.add(file.read_bytes())
                except OSError:
                    pass

    def close(self):
        self.ends.set()
        self.thread.join()


class Scene:
    """A node with a camera, `programs` to reach it with, and each machine's home in `folder`."""

    def __init__(self, programs, net, folder, state=None):
        """`state`: the node's state file, where it is elsewhere."""
        self.lines, self.secrets, self.said = CommandLines(), set(), []
        self.programs, self.net, self.folder = programs, net, folder
        self.state = state or folder / "state.json"
        (folder / "capture-node").mkdir()
        # Where programs of the node's machine look for it.
        self.socket = f"unix:{folder}/capture-node/socket"
        (folder / "configuration/access.d").mkdir(parents=True)
        self.log = open(folder / "node.log", "w+")
        # What the node listens at besides its socket.
        self.loopback = ["--listen", f"127.0.0.1:{PORT}"]
        self.start()

    def start(self, *options):
        """With `options` as well, for as long as it runs."""
        self.node = subprocess.Popen(
            self.net.inside(
                "n", "unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', HOST, self.programs / "capture-node", *options, *self.loopback, "--listen", self.socket, "--camera",
                "synthetic:320x240@30", "--state", self.state, "--log-level", "debug", "--config",
                self.folder / "configuration"),
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        for _ in range(1 + [*options, *self.loopback].count("--listen")):
            assert "listening on" in self.node.stdout.readline()

    def stop(self):
        self.node.terminate()
        assert self.node.wait(10) == 0

    def has_logged(self, text):
        """Whether the node's log has it, at the latest in some seconds: it is written beside what is answered."""
        deadline = time.monotonic() + 10
        while text not in (self.folder / "node.log").read_text():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.01)
        return True

    def run(self, where, program, *words, given=None, home=None):
        environment = dict(os.environ, HOME=str(home or self.folder / where), XDG_RUNTIME_DIR=str(self.folder))
        environment.pop("XDG_CONFIG_HOME", None)
        done = subprocess.run(
            self.net.inside(where, self.programs / program, *words), input=given, env=environment, capture_output=True, text=True, timeout=30)
        self.said.append(done.stderr if program == "capture-node" and "pair" in words else done.stdout + done.stderr)
        self.note_secrets()
        return done

    def note_secrets(self):
        """Every secret that a file of this run has, as those who make it keep it."""
        for file in self.folder.glob("*/.config/remote-capture/nodes/*.json"):
            node = json.loads(file.read_text())
            self.secrets |= {node[key] for key in ("secret", "nextSecret") if node.get(key)}
        self.secrets |= {file.read_text().strip().removeprefix("plaintext ") for file in self.folder.glob("**/*.credential")}
        if (self.folder / "identity.pem").exists():
            # The lines of the private key that are its own.
            self.secrets |= set((self.folder / "identity.pem").read_text().partition("-----END PRIVATE")[0].splitlines()[2:])

    def good(self, *words, **more):
        done = self.run(*words, **more)
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout

    def bad(self, *words, **more):
        done = self.run(*words, **more)
        assert done.returncode != 0, f"{words} went well: {done.stdout}"
        return done.stderr

    def pairing(self, *words):
        line = self.good("n", "capture-node", "pair", "--socket", self.socket, *words).strip()
        self.secrets.add(line.split("/")[5])
        return line

    def own(self, *words):
        """A command of the node's machine to its own node."""
        return self.good("n", "capture-node", *words, "--socket", self.socket)

    @contextlib.contextmanager
    def slow_reader(self, where, secret, size):
        """A client that takes frames and reads `size` bytes of them at a time, so that many wait for it at the node. At the end of the block, in which something
        ends its connection, it may get no more than has come by then."""
        command = self.net.inside(where, "/usr/bin/python3", Path(__file__).parent / "slow_reader.py", NODE, PORT, size, CUT)
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as client:
            try:
                print(secret, file=client.stdin, flush=True)
                assert client.stdout.readline() == "ready\n"
                queued = self.queued()
                yield
                came, read = map(int, client.communicate("\n", timeout=30)[0].split())
            finally:
                client.kill()
        print(f"   reading {size} bytes at a time: {queued} bytes waited for it at the node, {came} on its machine; it decrypted {read}")
        # Otherwise the node would have nothing to drop.
        assert queued > 4 * max(came, 4096), (queued, came)
        assert read <= came, (read, came)

    @contextlib.contextmanager
    def paired_slow_reader(self, size):
        """The same of a client "slow", which is paired for the block."""
        self.good("s", "capturectl", "pair", "--name", "slow", given=self.pairing("--role", "view", "--name", "slow"))
        try:
            secret = json.loads((self.folder / "s/.config/remote-capture/nodes/slow.json").read_text())["secret"]
            with self.slow_reader("s", secret, size):
                yield
        finally:
            self.good("s", "capturectl", "node", "remove", "slow")

    def queued(self):
        """The most that the node's machine has to send to a client of the node."""
        listed = subprocess.run(
            self.net.inside("n", "ss", "-Htn", "state", "established", f"sport = :{PORT}"), capture_output=True, text=True, check=True).stdout
        return max(int(row.split()[1]) for row in listed.splitlines())
