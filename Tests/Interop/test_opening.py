"""How a node opens to the network and closes again, on the machines of machines.py.

usage: test_opening.py PROGRAMS

PROGRAMS is the directory where the programs are. Needs root. Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import contextlib
import itertools
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cases import passes
from machines import CUT, LAPTOP, LAPTOP6, NODE, NODE6, PORT, Net, Scene

FLEET = 20
# The most memory that the first TLS listener costs a node at rest.
OPENED_KIB = 2048
# A node gives back what its work has left 3 s after it, and threads of Dispatch end then too: seconds for which its memory stands still at rest, and by how much.
SETTLED_S, SETTLED_KIB = 5, 32
# What a handshake begins with, and says that more comes.
HALF = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200)


@contextlib.contextmanager
def program(*command):
    """A program in Python that says when it is ready; it is killed at the end of the block."""
    with subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def streaming(scene, where, node):
    """A stream whose frames come."""
    stream = subprocess.Popen(
        scene.net.inside(where, scene.programs / "capturectl", "--node", node, "stream", "0", "-o", "-"),
        env=dict(os.environ, HOME=str(scene.folder / where)), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert stream.stdout.read(1000), stream.stderr.read()
    return stream


def own_kib(process):
    """Memory that is this process's own. Its code is not: that counts as private as long as no other process runs the same, as a command of the node's program."""
    rollup = Path(f"/proc/{process.pid}/smaps_rollup").read_text()
    return int(rollup.split("Private_Dirty:")[1].split()[0])


def own_kib_at_rest(process):
    reads, deadline = [], time.monotonic() + 60
    while True:
        now = time.monotonic()
        assert now < deadline, f"its memory does not come to rest: {reads[-1]}"
        reads.append((now, own_kib(process)))
        last = [kib for at, kib in reads if at >= now - SETTLED_S]
        if reads[0][0] <= now - SETTLED_S and max(last) - min(last) <= SETTLED_KIB:
            return last[-1]
        time.sleep(0.2)


def the_first_tls_listener_costs_little(scene):
    """A node without TLS and one that is open, both at rest after a call: any first call costs something, too."""
    with new_node(scene, has_loopback=False):
        scene.own("listen")
        closed = own_kib_at_rest(scene.node)
        assert "identity.pem" not in files(scene), "it has spoken no TLS"
        scene.pairing()
        opened = own_kib_at_rest(scene.node)
    print(f"   own memory: {closed} KiB closed, {opened} KiB open")
    assert opened - closed <= OPENED_KIB, (closed, opened)


def the_line_names_addresses_that_others_reach(scene):
    """At most four; none of containers' bridges, of the link alone, and of interfaces that are down."""
    def ip(*words):
        subprocess.run(["ip", "-n", scene.net.tag + "n", *words], check=True, capture_output=True)

    for name, address, is_up in (
        ("docker0", "172.17.0.1/16", True), ("br-0123456789ab", "172.18.0.1/16", True), ("virbr0", "192.168.122.1/24", True),
        ("lan1", "10.75.0.1/24", False), ("lan2", "169.254.7.7/16", True), ("lan3", "fe80::7/64", True), ("lan4", "10.76.0.1/24", True),
    ):
        ip("link", "add", name, "type", "bridge")
        ip("addr", "add", address, "dev", name)
        if is_up:
            ip("link", "set", name, "up")

    def addresses(*words):
        return scene.pairing(*words).split("/")[2].split(",")

    assert addresses() == [NODE, "10.76.0.1"], addresses()
    for last in 1, 2, 3:
        ip("addr", "add", f"10.77.0.{last}/24", "dev", "lan4")
    assert addresses() == [NODE, "10.76.0.1", "10.77.0.1", "10.77.0.2"], addresses()
    assert addresses("--address", "203.0.113.7") == ["203.0.113.7"]
    for name in "docker0", "br-0123456789ab", "virbr0", "lan1", "lan2", "lan3", "lan4":
        ip("link", "del", name)
    scene.own("listen", "--close")
    scene.stop()  # and the codes with it: eight are valid at once
    scene.start()


@contextlib.contextmanager
def another_program(scene, host):
    """A program on the node's machine that listens at the node's port, at `host` alone."""
    family = "AF_INET6" if ":" in host else "AF_INET"
    code = (
        f"import socket, time; s = socket.socket(socket.{family})\n"
        f"if s.family == socket.AF_INET6: s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)\n"
        f"s.bind(('{host}', {PORT})); s.listen(); print('ready', flush=True); time.sleep(600)")
    with program(*scene.net.inside("n", "/usr/bin/python3", "-c", code)) as other:
        yield other


def files(scene):
    """All that the node keeps."""
    return {path.name: path.read_bytes() for path in scene.state.parent.iterdir() if path.suffix in (".json", ".pem")}


@contextlib.contextmanager
def new_node(scene, has_loopback=True):
    """A node that was never open, until the end of the block."""
    folder = scene.folder / "new"
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    loopback = scene.loopback
    scene.stop()
    scene.state, scene.loopback = folder / "state.json", loopback if has_loopback else []
    scene.start()
    try:
        yield
    finally:
        scene.stop()
        scene.state, scene.loopback = scene.folder / "state.json", loopback
        scene.start()


def refused_at_its_port(scene, other):
    said = scene.bad("n", "capture-node", "pair", "--socket", scene.socket)
    assert "another program listens there already: python3" in said and f"(process {other.pid})" in said, said
    assert "does not reach this node" in scene.own("listen")


def a_port_in_use_changes_nothing_and_names_its_owner(scene):
    """Not even a key is made, and what the node had of the port is the node's again, also where only the last of its addresses is another's."""
    for host, has_loopback in itertools.product((NODE, "::"), (True, False)):
        with new_node(scene, has_loopback):
            with another_program(scene, host) as other:
                before = files(scene)
                # A listener on loopback may speak TLS from the node's start.
                assert ("identity.pem" in before) == has_loopback, before.keys()
                refused_at_its_port(scene, other)
                if has_loopback:
                    # Who is on this machine comes by it as before.
                    assert "asks everybody for a credential" in scene.bad("n", "capturectl", "--node", f"127.0.0.1:{PORT}", "devices")
                assert before == files(scene), files(scene).keys()
            scene.pairing()
            assert f"0.0.0.0:{PORT}" in scene.own("listen")
            assert "identity.pem" in files(scene)


def a_listener_that_is_not_got_back_is_told(scene):
    def lo(word):
        subprocess.run(["ip", "-n", scene.net.tag + "n", "addr", word, "127.0.0.1/8", "dev", "lo"], check=True, capture_output=True)

    with new_node(scene):
        try:
            with another_program(scene, NODE) as other:
                lo("del")
                refused_at_its_port(scene, other)
        finally:
            lo("add")
        said = " ".join(scene.good("n", "capturectl", "--node", scene.socket, "status").split())
        assert f"the node does not listen at 127.0.0.1:{PORT} any more" in said, said


def a_node_is_opened_and_paired_over_ipv6(scene):
    """Each kind of address has a socket of its own: an IPv4 client's address is none of IPv6."""
    with new_node(scene), scene.net.of_ipv6():
        line = scene.pairing("--name", "six")
        assert set(line.split("/")[2].split(",")) == {NODE, NODE6}, line
        listening = subprocess.run(scene.net.inside("n", "ss", "-Hltn", f"sport = :{PORT}"), capture_output=True, text=True, check=True).stdout
        assert sorted(row.split()[3] for row in listening.splitlines()) == [f"0.0.0.0:{PORT}", f"[::]:{PORT}"], listening
        assert f"[::]:{PORT}" in scene.own("listen")
        # Nothing reaches the node by IPv4 meanwhile.
        subprocess.run(["ip", "-n", scene.net.tag + "l", "route", "add", "unreachable", NODE], check=True, capture_output=True)
        try:
            scene.good("l", "capturectl", "pair", "--name", "six", given=line)
            scene.good("l", "capturectl", "--node", "six", "photo", "0", "-o", scene.folder / "six.jpg")
            stream = streaming(scene, "l", "six")
            listed = scene.good("n", "capturectl", "--node", scene.socket, "access", "list")
            assert LAPTOP6 in listed, listed
            stream.kill()
            stream.wait()
            scene.good("l", "capturectl", "node", "remove", "six")
            said = scene.bad("l", "capturectl", "--node", f"[{NODE6}]:{PORT}", "devices")
            assert "takes TLS alone" in said, said
        finally:
            subprocess.run(["ip", "-n", scene.net.tag + "l", "route", "del", "unreachable", NODE], check=True, capture_output=True)
        # By the first address that answers, whichever that is.
        scene.good("l", "capturectl", "pair", "--name", "four", given=scene.pairing("--address", NODE, "--name", "four"))
        stream = streaming(scene, "l", "four")
        listed = scene.good("n", "capturectl", "--node", scene.socket, "access", "list")
        assert LAPTOP in listed and "::ffff" not in listed, listed
        stream.kill()
        stream.wait()
        scene.good("l", "capturectl", "node", "remove", "four")


def dead_addresses_before_the_living_one_cost_nothing(scene):
    line = scene.pairing("--address", "10.74.0.98", "--address", "10.74.0.99", "--address", NODE)
    began = time.monotonic()
    scene.good("l", "capturectl", "pair", "--name", "studio", given=line)
    took = time.monotonic() - began
    print(f"   paired past two dead addresses in {took:.2f} s")
    assert took < 2, took
    began = time.monotonic()
    scene.good("l", "capturectl", "--node", "studio", "devices")
    assert time.monotonic() - began < 2


def a_line_as_an_argument_works_with_a_warning(scene):
    done = scene.run("s", "capturectl", "pair", "--name", "argument", scene.pairing())
    assert done.returncode == 0 and "others on this machine may have read the line" in done.stderr, done.stderr
    scene.good("s", "capturectl", "--node", "argument", "devices")


def a_half_done_handshake_is_gone_after_five_seconds(scene):
    code = (
        "import socket, sys, time\n"
        "s = socket.create_connection((sys.argv[1], int(sys.argv[2]))); s.sendall(bytes.fromhex(sys.argv[3])); began = time.monotonic()\n"
        "s.settimeout(20); end = s.recv(1); print(end, time.monotonic() - began)\n")
    command = scene.net.inside("s", "/usr/bin/python3", "-c", code, NODE, PORT, HALF.hex())
    end, took = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.split()
    assert end == "b''" and 4 < float(took) < 6, (end, took)


def new_keys_without_end_end_a_known_connection(scene):
    """They are legal, and cost the node more than who sends them: 64 KB are taken between two records that have content (OpenSSL takes 32 empty ones)."""
    secret = json.loads((scene.folder / "l/.config/remote-capture/nodes/studio.json").read_text())["secret"]
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import stranger as s\n"
        "with s.opened(sys.argv[2], '0.0.0.0') as (bare, suite, keyed):\n"
        "  seal, number = s.sealer(suite, keyed), 0\n"
        "  def send(content):\n"
        "    global number\n"
        "    bare.sendall(seal(number, content)); number += 1\n"
        "  def renew(size):\n"
        "    global seal, number, keyed\n"
        "    records = []\n"
        "    while 27 * len(records) < size:\n"
        "      records.append(seal(number, b'\\x18\\0\\0\\1\\0', b'\\x16'))\n"
        "      keyed = s.expanded(keyed, b'traffic upd', 32); seal, number = s.sealer(suite, keyed), 0\n"
        "    bare.sendall(b''.join(records))\n"
        "  send(s.packet(hello=s.pb.Hello(version=1, credential=bytes.fromhex(sys.stdin.read())))); assert bare.recv(65536)\n"
        "  for _ in range(2):\n"
        "    renew(60000); send(s.packet(ping=s.pb.Ping(sent_ns=1))); assert len(bare.recv(65536)) > 30, 'it is served'\n"
        "  renew(70000)\n"
        "  try:\n    while bare.recv(65536): pass\n"
        "  except ConnectionResetError: pass\n"
        "print('ended')\n")
    done = subprocess.run(
        scene.net.inside("l", "/usr/bin/python3", "-c", code, Path(__file__).parents[1] / "Load", f"{NODE}:{PORT}"), input=secret, capture_output=True,
        text=True, timeout=60)
    assert done.stdout == "ended\n", done.stdout + done.stderr


def closing_ends_a_live_connection_at_once(scene):
    stream = streaming(scene, "l", "studio")
    assert "connection" in scene.own("listen", "--close")
    answered = time.monotonic()
    stream.stdout.read()
    took = time.monotonic() - answered
    print(f"   from the answer to the end of the frames: {1000 * took:.0f} ms")
    assert took <= CUT, took
    assert stream.wait(10) == 1 and b"no longer open to the network" in stream.stderr.read()


def closing_sends_nothing_more_to_a_client_that_reads_slowly(scene):
    for size in 0, 500:
        try:
            with scene.paired_slow_reader(size):
                assert "1 connection was ended" in scene.own("listen", "--close")
        finally:
            scene.good("n", "capturectl", "--node", scene.socket, "access", "revoke", "slow")


def a_stream_of_the_machine_lives_through_opening_and_closing(scene):
    """Its listener is taken over, and given back."""
    scene.stop()
    scene.start("--trust-local-users")
    stream = streaming(scene, "n", f"127.0.0.1:{PORT}")
    scene.pairing()
    assert f"0.0.0.0:{PORT}" in scene.own("listen")
    assert len(stream.stdout.read(200_000)) == 200_000
    # Whoever comes anew by loopback is trusted as before.
    scene.good("n", "capturectl", "--node", f"127.0.0.1:{PORT}", "devices")
    scene.own("listen", "--close")
    assert len(stream.stdout.read(200_000)) == 200_000
    assert stream.poll() is None
    scene.good("n", "capturectl", "--node", f"127.0.0.1:{PORT}", "devices")
    stream.kill()
    stream.wait()
    scene.stop()
    scene.start()


def a_closed_node_stays_closed_over_restarts_and_opens_where_it_was(scene):
    """Its configuration names one address of the network. The laptop is a client of before."""
    address = f"{NODE}:{PORT + 100}"
    scene.good("l", "capturectl", "pair", "--name", "closing", given=scene.pairing("--name", "closing"))
    scene.own("listen", "--close")
    scene.stop()
    # As "--listen=": the closed node says nothing of this address.
    scene.start(f"--listen={address}")
    assert "does not reach this node" in scene.own("listen")
    assert scene.has_logged(f"does not listen at {address}")
    said = " ".join(scene.good("n", "capturectl", "--node", scene.socket, "status").split())
    assert f"does not listen at {address}" in said, said
    # The machine has another address, where the node does not listen.
    with scene.net.of_ipv6():
        line = scene.pairing("--name", "opening")
        assert line.split("/")[2:4] == [NODE, str(PORT + 100)], line
        assert f"/{NODE}/{PORT + 100}/" in scene.own("fingerprint")
    assert f"at {address};" in scene.own("listen")
    scene.good("l", "capturectl", "pair", "--name", "opening", given=line)
    scene.good("l", "capturectl", "--node", "opening", "devices")
    scene.stop()
    scene.start("--listen", address)
    scene.good("l", "capturectl", "--node", "opening", "devices")
    for name in "closing", "opening":
        scene.good("l", "capturectl", "node", "remove", name)
        scene.good("n", "capturectl", "--node", scene.socket, "access", "revoke", name)
    scene.stop()
    scene.start()


def a_full_disk_leaves_the_code_unused(scene):
    disk = scene.folder / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", disk], check=True)
    try:
        scene.stop()
        scene.state = disk / "state.json"
        scene.start()
        line = scene.pairing()
        with (disk / "filler").open("wb", buffering=0) as filler, contextlib.suppress(OSError):
            while filler.write(bytes(4096)):
                pass
        said = scene.bad("l", "capturectl", "pair", "--name", "full", given=line)
        assert "RESOURCE_EXHAUSTED" in said and "No space left" in said, said
        clients = json.loads(scene.good("n", "capturectl", "--json", "--node", scene.socket, "access", "list"))["clients"]
        assert clients == [], clients
        (disk / "filler").unlink()
        scene.good("l", "capturectl", "pair", "--name", "full", given=line)
        scene.good("l", "capturectl", "--node", "full", "devices")
    finally:
        scene.stop()
        subprocess.run(["umount", disk], check=True)
        scene.state = scene.folder / "state.json"
        scene.start()


class Fleet:
    """Nodes of one image: each has the same file in its access.d, and a name, a port and a key of its own."""

    def __init__(self, scene, file):
        self.scene, self.nodes = scene, []
        for number in range(1, FLEET + 1):
            folder = scene.folder / f"fleet{number}"
            (folder / "configuration/access.d").mkdir(parents=True)
            (folder / "configuration/access.d/controller.json5").write_bytes(file.read_bytes())
            (folder / "configuration/access.d/controller.json5").chmod(0o640)
            self.nodes.append(subprocess.Popen(
                self.named(number, "capture-node", "--listen", f"{NODE}:{PORT + number}", "--listen", f"unix:{folder}/socket", "--camera",
                           "synthetic:160x120@5", "--state", folder / "state.json", "--config", folder / "configuration"),
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True))
        for node in self.nodes:
            for _ in range(2):
                assert "listening on" in node.stdout.readline()

    def named(self, number, program, *words):
        """A command on the machine of that number."""
        return self.scene.net.inside(
            "n", "unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', f"fleet{number}", self.scene.programs / program, *words)

    def fingerprints(self):
        return "".join(
            subprocess.run(
                self.named(number, "capture-node", "fingerprint", "--address", NODE, "--socket", f"unix:{self.scene.folder}/fleet{number}/socket"),
                capture_output=True, text=True, check=True).stdout
            for number in range(1, FLEET + 1))

    def close(self):
        for node in self.nodes:
            node.kill()
            node.wait()
            node.stdout.close()


def one_file_and_one_command_admit_a_controller_to_a_fleet(scene):
    folder = scene.folder / "controller"
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    scene.good("l", "capturectl", "credential", "new", "controller", "--folder", folder)
    with contextlib.closing(Fleet(scene, folder / "controller.json5")) as fleet:
        lines = fleet.fingerprints()
        began = time.monotonic()
        added = scene.good("l", "capturectl", "node", "add", "--from", "-", given=lines)
        print(f"   {FLEET} nodes added in {time.monotonic() - began:.2f} s")
        assert len(added.splitlines()) == FLEET and "trusted" not in added, added
        for number in range(1, FLEET + 1):
            view = "capturectl", "--credential-file", folder / "controller.credential", "--node", f"fleet{number}"
            assert "synthetic" in scene.good("l", *view, "devices")
        # A node of the same host name, as of one image: its line has the place for another one.
        again = lines.splitlines()[1].replace("/fleet2/", "/fleet1/")
        said = scene.bad("l", "capturectl", "node", "add", "--from", "-", given=again)
        assert "second field of its line" in said and "--name" not in said, said
        # Nobody else is let in by that.
        assert "has not said who it is" in scene.bad("l", "capturectl", "--node", "fleet1", "devices")
    for number in range(1, FLEET + 1):
        scene.good("l", "capturectl", "node", "remove", f"fleet{number}")


def strangers_take_no_place_of_known_callers(scene):
    """Silent connections, as many as the node takes of anybody: root comes in by the socket, and a client with its credential."""
    (scene.folder / "configuration/node.json5").write_text("{ limits: { connections: 12, connectionsPerAddress: 8 } }")
    said = scene.own("reload")
    assert "next start: limits (sudo systemctl restart capture-node)" in said, said
    scene.stop()
    scene.start()
    try:
        scene.good("l", "capturectl", "pair", "--name", "crowded", given=scene.pairing())
        code = (
            "import socket, sys, time\n"
            "crowd = [socket.create_connection((sys.argv[1], 7311)) for _ in range(8)]\nprint('ready', flush=True); time.sleep(600)\n")
        with contextlib.ExitStack() as crowds:
            for where, to in ("s", NODE), ("n", NODE), ("n", "127.0.0.1"):
                crowds.enter_context(program(*scene.net.inside(where, "/usr/bin/python3", "-c", code, to)))
            listed = json.loads(scene.good("n", "capturectl", "--json", "--node", scene.socket, "status"))
            assert listed, listed
            scene.good("l", "capturectl", "--node", "crowded", "devices")
        # Known callers have that bound.
        with contextlib.ExitStack() as stack:
            for _ in range(8):
                stack.enter_context(socket.socket(socket.AF_UNIX)).connect(scene.socket.removeprefix("unix:"))
            deadline = time.monotonic() + 10
            while (done := scene.run("n", "capturectl", "--node", scene.socket, "status")).returncode == 0:
                assert time.monotonic() < deadline, "more connections than may be are served"
            assert "connectionsPerAddress" in done.stderr, done.stderr
    finally:
        scene.stop()
        (scene.folder / "configuration/node.json5").unlink()
        scene.start()


TESTS = [
    the_first_tls_listener_costs_little, the_line_names_addresses_that_others_reach, a_port_in_use_changes_nothing_and_names_its_owner,
    a_listener_that_is_not_got_back_is_told, a_node_is_opened_and_paired_over_ipv6,
    dead_addresses_before_the_living_one_cost_nothing, a_line_as_an_argument_works_with_a_warning, a_half_done_handshake_is_gone_after_five_seconds,
    new_keys_without_end_end_a_known_connection, closing_ends_a_live_connection_at_once, closing_sends_nothing_more_to_a_client_that_reads_slowly,
    a_stream_of_the_machine_lives_through_opening_and_closing, a_closed_node_stays_closed_over_restarts_and_opens_where_it_was, a_full_disk_leaves_the_code_unused,
    strangers_take_no_place_of_known_callers, one_file_and_one_command_admit_a_controller_to_a_fleet,
]


def main():
    programs, names = Path(sys.argv[1]).resolve(), sys.argv[2:]
    net, failures = Net(), 0
    try:
        with tempfile.TemporaryDirectory(prefix="capture-opening-") as folder:
            scene = Scene(programs, net, Path(folder))
            for test in TESTS:
                if not names or test.__name__ in names:
                    failures += not passes(test, scene)
            scene.node.kill()
            scene.lines.close()
            if failures:
                print((Path(folder) / "node.log").read_text()[-4000:])
    finally:
        net.close()
    sys.exit(1 if failures else 0)


main()
