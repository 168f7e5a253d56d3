"""Pairs a laptop with a node over a network: three network namespaces, of the node, of the laptop and of a stranger.

usage: test_pairing.py PROGRAMS

PROGRAMS is the directory where the programs are. Needs root. Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import calendar
import contextlib
import grp
import hashlib
import json
import os
import pty
import re
import secrets
import shutil
import stat
import subprocess
import sys
import tempfile
import termios
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cases import passes
from machines import CUT, LAPTOP, NODE, PORT, Net, Scene

README = Path(__file__).resolve().parents[2] / "README.md"
SECONDS = 10  # from an open node to the first frame on the other machine


def a_closed_node_is_not_reached(scene):
    said = scene.bad("l", "capturectl", "--node", NODE, "devices")
    assert "nothing listens there" in said and "'sudo capture-node pair' on its machine opens it" in said, said
    said = scene.bad("l", "capturectl", "--node", "unheard-of", "devices")
    assert "cannot resolve 'unheard-of'" in said and "No node is known as 'unheard-of'" in said, said


def commands_of_the_readme():
    block = re.search(r"## From another machine.*?```sh\n(.*?)```", README.read_text(), re.DOTALL)[1]
    return [row.partition("#")[0].split() for row in block.splitlines()]


def two_commands_and_a_paste_to_the_first_frame(scene):
    """By the README's own words: its first line where the cameras are, the others on the laptop."""
    (sudo, *opening), pairing, listing = commands_of_the_readme()
    assert sudo == "sudo"  # whoever runs this is root already
    began = time.monotonic()
    line = scene.good("n", *opening).strip()
    scene.secrets.add(line.split("/")[5])
    assert re.fullmatch(r"[A-Za-z0-9._:,/-]+", line), line
    said = scene.good("l", *pairing, given=line + "\n")
    assert "--node studio" in said, said
    assert "synthetic" in scene.good("l", *listing)
    scene.good("l", "capturectl", "--node", "studio", "stream", "0", "-n", "1", "-o", scene.folder / "frame.jpg")
    took = time.monotonic() - began
    print(f"   from the open node to the first frame: {took:.2f} s")
    assert took < SECONDS, took
    assert (scene.folder / "frame.jpg").stat().st_size > 1000
    scene.line = line


def the_clients_file_is_its_own(scene):
    file = scene.folder / "l/.config/remote-capture/nodes/studio.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600, oct(file.stat().st_mode)
    for name in "access.json", "identity.pem":
        assert stat.S_IMODE((scene.folder / name).stat().st_mode) == 0o600
    secret = json.loads(file.read_text())["secret"]
    kept = (scene.folder / "access.json").read_text()
    assert secret not in kept and hashlib.sha256(bytes.fromhex(secret)).hexdigest() in kept
    file.chmod(0o644)
    assert "others can read it" in scene.bad("l", "capturectl", "--node", "studio", "devices")
    file.chmod(0o600)


def a_stranger_can_list_nothing(scene):
    said = scene.bad("s", "capturectl", "--node", NODE, "devices")
    assert "takes TLS alone" in said and "capture-node pair" in said, said
    # With TLS, and without a credential or with a wrong one.
    for credential in b"", b"x" * 32:
        code = (
            "import sys, socket, ssl; sys.path.insert(0, sys.argv[1]); import capture_client as c\n"
            "t = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT); t.check_hostname = False; t.verify_mode = ssl.CERT_NONE\n"
            "s = t.wrap_socket(socket.create_connection((sys.argv[2], 7311)))\n"
            "h = c.pb.Envelope(hello=c.pb.Hello(version=1, agent='x', credential=bytes.fromhex(sys.argv[3])))\n"
            "r = c.pb.Envelope(call_id=1, request=c.pb.Request(method='capture.v1.Devices/List', last=True))\n"
            "for e in (h, r):\n  b = e.SerializeToString(); s.sendall(c.PREFIX.pack(len(b), 0) + b)\n"
            "d = b''\n"
            "while True:\n  x = s.recv(65536)\n  d += x\n  if not x: break\n"
            "while d:\n  n, k = c.PREFIX.unpack(d[:8]); e = c.pb.Envelope.FromString(d[8:8 + n]); d = d[8 + n + k:]\n"
            "  print(e.WhichOneof('kind'), e.status.code or e.go_away.code)\n")
        done = subprocess.run(
            scene.net.inside("s", "/usr/bin/python3", "-c", code, Path(__file__).parent, NODE, credential.hex()), capture_output=True, text=True,
            timeout=60)
        assert "16" in done.stdout and "message" not in done.stdout, done.stdout + done.stderr


def a_code_works_once(scene):
    said = scene.bad("s", "capturectl", "pair", "--name", "studio", given=scene.line)
    assert "used already" in said, said
    assert scene.has_logged("may have been stolen")
    # An operator who reads no log is told by `status`, also after a restart, until that client is revoked.
    (client,) = [client["name"] for client in json.loads((scene.folder / "access.json").read_text())["clients"]]
    for _ in range(2):
        said = " ".join(scene.good("n", "capturectl", "--node", scene.socket, "status").split())
        assert f"the code with which '{client}' was paired was tried with another secret" in said, said
        scene.stop()
        scene.start()
    fields = scene.line.split("/")
    fields[5] = "0" * 32
    said = scene.bad("s", "capturectl", "pair", "--name", "other", given="/".join(fields))
    assert "unknown" in said, said
    fields[4] = "0" * 64
    said = scene.bad("s", "capturectl", "pair", "--name", "third", given="/".join(fields))
    assert "another key" in said and "Nothing was sent" in said, said
    assert "no pairing line" in scene.bad("s", "capturectl", "pair", given=scene.line[:-1])


def roles_hold(scene):
    scene.good("s", "capturectl", "pair", "--name", "look", given=scene.pairing("--role", "view", "--name", "viewer"))
    scene.good("s", "capturectl", "--node", "look", "devices")
    scene.good("s", "capturectl", "--node", "look", "photo", "0", "-o", scene.folder / "photo.jpg")
    said = scene.bad("s", "capturectl", "--node", "look", "set", "0", "brightness=1")
    assert "viewer may view" in said and "needs control" in said, said
    assert "needs admin" in scene.bad("s", "capturectl", "--node", "look", "access", "list")
    listed = scene.good("n", "capturectl", "--node", scene.socket, "access", "list")
    assert "viewer" in listed and "control" in listed, listed


def a_revoked_client_sees_nothing_more(scene):
    stream = subprocess.Popen(
        scene.net.inside("s", scene.programs / "capturectl", "--node", "look", "stream", "0", "-o", "-"),
        env=dict(os.environ, HOME=str(scene.folder / "s")), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert stream.stdout.read(1000)
    revoke = subprocess.Popen(
        scene.net.inside("n", scene.programs / "capturectl", "--node", scene.socket, "access", "revoke", "viewer"), stdout=subprocess.PIPE)
    assert b"1 connection was ended" in revoke.communicate()[0]
    answered = time.monotonic()
    stream.stdout.read()
    took = time.monotonic() - answered
    print(f"   from the answer to the end of the frames: {1000 * took:.0f} ms")
    assert took <= CUT, took
    assert stream.wait(10) == 1
    assert "revoked" in stream.stderr.read().decode()
    assert "unknown or revoked" in scene.bad("s", "capturectl", "--node", "look", "devices")


def a_revoked_client_that_reads_slowly_gets_no_more_than_it_has(scene):
    """The node's kernel sends it nothing more of what it still holds, whenever the client reads again."""
    for size in 0, 500:
        with scene.paired_slow_reader(size):
            assert "1 connection was ended" in scene.good("n", "capturectl", "--node", scene.socket, "access", "revoke", "slow")


def a_client_of_a_removed_entry_that_reads_slowly_gets_no_more_than_it_has(scene):
    folder = scene.folder / "configuration/access.d"
    for size in 0, 500:
        scene.good("l", "capturectl", "credential", "new", "slow", "--role", "view", "--folder", folder)
        file = folder / "slow.credential"
        secret = file.read_text().strip()
        file.unlink()
        assert "names 1 client" in scene.own("reload")
        with scene.slow_reader("s", secret, size):
            (folder / "slow.json5").unlink()
            assert "names them no longer or otherwise: slow (1 connection)" in scene.own("reload")


def a_restarted_node_is_open_and_knows_its_clients(scene):
    scene.stop()
    scene.start()
    assert "synthetic" in scene.good("l", "capturectl", "--node", "studio", "devices")
    assert "synthetic" in scene.good("l", "capturectl", "--node", NODE, "devices"), "a known address is reached as its node"


def a_node_with_another_key_gets_nothing(scene):
    scene.stop()
    identity = scene.folder / "identity.pem"
    identity.rename(scene.folder / "identity.old")
    scene.start()
    said = scene.bad("l", "capturectl", "--node", "studio", "devices")
    assert "another key" in said and "Nothing was sent" in said, said
    scene.stop()
    (scene.folder / "identity.old").rename(identity)
    identity.chmod(0o644)
    scene.start()
    assert scene.has_logged("can be read by others")
    identity.chmod(0o600)
    scene.stop()
    scene.start()
    scene.good("l", "capturectl", "--node", "studio", "devices")


def one_file_admits_a_controller(scene):
    """The node's file, the client's file, and the node's line."""
    folder = scene.folder / "configuration/access.d"
    scene.good("l", "capturectl", "credential", "new", "controller", "--role", "view", "--folder", folder)
    secret = scene.folder / "controller.credential"
    (folder / "controller.credential").rename(secret)
    line = scene.own("fingerprint").strip()
    assert re.fullmatch(r"capture-node/[A-Za-z0-9._,:/-]+", line), line
    added = scene.good("s", "capturectl", "node", "add", "--from", "-", "--name", "far", given=f"# the fleet\n{line}\n")
    assert added.startswith("far: ") and "trusted" not in added, added
    view = "capturectl", "--node", "far", "--credential-file", secret
    assert "unknown or revoked" in scene.bad("s", *view, "devices"), "before the node has read the file"
    assert "names 1 client" in scene.own("reload")
    assert "synthetic" in scene.good("s", *view, "devices")
    assert "may view" in scene.bad("s", *view, "set", "0", "brightness=1")
    assert "has not said who it is" in scene.bad("s", "capturectl", "--node", "far", "devices")
    secret.chmod(0o640)
    assert "others can read it" in scene.bad("s", *view, "devices")
    secret.chmod(0o600)
    assert "key of the node" in scene.bad("l", "capturectl", "--credential-file", secret, "--node", "10.74.0.77", "devices")
    # An error leaves the old set whole; an entry that is gone ends what it admitted.
    wrong = folder / "wrong.json5"
    wrong.write_text("{\n  clients: { x: 1 } }")
    wrong.chmod(0o640)
    said = scene.bad("n", "capture-node", "reload", "--socket", scene.socket)
    assert f"nothing has changed: {wrong}: line 2: clients.x" in said, said
    assert "synthetic" in scene.good("s", *view, "devices")
    scene.stop()
    scene.start()
    assert "synthetic" in scene.good("s", *view, "devices"), "the other file stands"
    assert f"Warning: {wrong}" in scene.good("n", "capturectl", "--node", scene.socket, "status").replace("\n", " ")
    wrong.unlink()
    stream = subprocess.Popen(
        scene.net.inside("s", scene.programs / "capturectl", *view[1:], "stream", "0", "-o", "-"), env=dict(os.environ, HOME=str(scene.folder / "s")),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert stream.stdout.read(1000)
    (folder / "controller.json5").unlink()
    assert "Cut off, since it names them no longer or otherwise: controller (1 connection)" in scene.own("reload")
    stream.stdout.read()
    assert stream.wait(10) == 1 and "revoked" in stream.stderr.read().decode()
    assert "unknown or revoked" in scene.bad("s", *view, "devices")


def a_key_is_taken_at_first_contact_if_one_says_so(scene):
    said = scene.bad("s", "capturectl", "node", "add", NODE)
    assert "--trust-first-use" in said and "fingerprint" in said, said
    done = scene.run("s", "capturectl", "node", "add", NODE, "--trust-first-use")
    assert done.returncode == 0 and "trusted on first contact" in done.stdout and "'far'" in done.stderr, done.stdout + done.stderr
    assert scene.own("listen").split("Key: ")[1].strip() in done.stdout
    listed = scene.good("s", "capturectl", "node", "list")
    assert NODE in listed and "far" in listed, listed
    for name in "far", NODE:
        assert "forgotten" in scene.good("s", "capturectl", "node", "remove", name)
    assert "nothing listens there" in scene.bad("s", "capturectl", "node", "add", LAPTOP, "--trust-first-use")
    assert "no fingerprint line" in scene.bad("s", "capturectl", "node", "add", "capture-node/x")


def a_credential_is_rotated(scene):
    file = scene.folder / "l/.config/remote-capture/nodes/studio.json"
    old = file.read_text()
    assert "another secret" in scene.good("l", "capturectl", "credential", "rotate", "studio")
    new = file.read_text()
    assert json.loads(new)["secret"] != json.loads(old)["secret"] and "nextSecret" not in json.loads(new)
    scene.good("l", "capturectl", "--node", "studio", "devices")
    file.write_text(old)
    assert "unknown or revoked" in scene.bad("l", "capturectl", "--node", "studio", "devices")
    file.write_text(new)
    # Cut short once the node had the new one: both are valid, and running it again ends it.
    cut = json.loads(new)
    kept = json.loads((scene.folder / "access.json").read_text())
    cut["nextSecret"] = "5" * 64
    file.write_text(json.dumps(cut))
    for client in kept["clients"]:
        if client["secretSHA256"] == hashlib.sha256(bytes.fromhex(cut["secret"])).hexdigest():
            client["nextSHA256"] = hashlib.sha256(bytes.fromhex(cut["nextSecret"])).hexdigest()
    scene.stop()
    (scene.folder / "access.json").write_text(json.dumps(kept))
    scene.start()
    scene.good("l", "capturectl", "--node", "studio", "devices")
    scene.good("l", "capturectl", "credential", "rotate", "studio")
    assert json.loads(file.read_text())["secret"] == "5" * 64
    scene.good("l", "capturectl", "--node", "studio", "devices")


def a_fleets_credential_is_renewed(scene):
    """What docs/access.md says: both secrets are valid until the new one was used, and from then on the old one is not, also after a restart."""
    work, installed = scene.folder / "fleet", scene.folder / "configuration/access.d/fleet.json5"
    work.mkdir()
    file, old, new = work / "fleet.json5", work / "fleet.credential", work / "fleet.next.credential"

    def install():
        """Returns what the node says."""
        installed.write_text(file.read_text())
        installed.chmod(0o640)
        return scene.own("reload")

    def view(secret):
        return "s", "capturectl", "--node", "fleet", "--credential-file", secret, "devices"

    def is_refused(secret):
        return "unknown or revoked" in scene.run(*view(secret)).stderr

    scene.good("l", "capturectl", "credential", "new", "fleet", "--role", "view", "--folder", work)
    install()
    scene.good("s", "capturectl", "node", "add", "--from", "-", "--name", "fleet", given=scene.own("fingerprint"))
    scene.good(*view(old))
    assert "nothing to finish" in scene.bad("l", "capturectl", "credential", "renew", file, "--finish")
    stream = subprocess.Popen(
        scene.net.inside("s", scene.programs / "capturectl", *view(old)[2:-1], "stream", "0", "-o", "-"), env=dict(os.environ, HOME=str(scene.folder / "s")),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert stream.stdout.read(1000)
        said = scene.good("l", "capturectl", "credential", "renew", file)
        assert not list(work.glob("*.new"))
        assert "--finish" in said and stat.S_IMODE(file.stat().st_mode) == 0o640 and stat.S_IMODE(new.stat().st_mode) == 0o600, said
        # Once more, and where it was cut short before the file for nodes was written.
        text, secret = file.read_text(), new.read_text()
        assert "For /etc/capture-node/access.d" in text and hashlib.sha256(bytes.fromhex(secret)).hexdigest() in text
        for before in text, text.partition(", nextSHA256")[0] + text.partition(", nextSHA256")[2][68:]:
            file.write_text(before)
            scene.good("l", "capturectl", "credential", "renew", file)
            assert (file.read_text(), new.read_text()) == (text, secret), before
        assert "Cut off" not in install()
        for valid in old, old, new:
            scene.good(*view(valid))
        assert stream.poll() is None and stream.stdout.read(100_000), "who is connected stays"
        end = time.monotonic() + 10
        while not is_refused(old):
            assert time.monotonic() < end, "the old one is valid"
        scene.stop()
        stream.communicate(timeout=20)
    finally:
        stream.kill()
    scene.start()
    assert is_refused(old), "after a restart"
    assert "Cut off" not in install()
    assert is_refused(old), "after a reload of the same file"
    scene.good(*view(new))
    (fleet,) = [client for client in json.loads(scene.good("n", "capturectl", "--json", "--node", scene.socket, "access", "list"))["clients"] if client["name"] == "fleet"]
    assert fleet["fingerprint"] == hashlib.sha256(bytes.fromhex(new.read_text())).hexdigest(), fleet
    shutil.copy(old, work / "copy.credential")
    said = scene.good("l", "capturectl", "credential", "renew", file, "--finish")
    assert not new.exists() and f"{old} has it" in said and "nextSHA256" not in file.read_text(), said
    # As if it had been cut short before the credential was renamed.
    old.rename(new)
    shutil.copy(work / "copy.credential", old)
    assert "Run it again" in scene.bad("l", "capturectl", "credential", "renew", file)
    assert f"{old} has it" in scene.good("l", "capturectl", "credential", "renew", file, "--finish") and not new.exists()
    assert "names them no longer or otherwise: fleet" in install()
    scene.good(*view(old))
    assert is_refused(work / "copy.credential")
    installed.unlink()
    scene.own("reload")
    scene.good("s", "capturectl", "node", "remove", "fleet")


def python_comes_in_with_a_certificate(scene):
    """What docs/integration.md says."""
    certificate = scene.folder / "node.pem"
    certificate.write_text(scene.good("l", "capturectl", "node", "certificate", "studio"))
    secret = json.loads((scene.folder / "l/.config/remote-capture/nodes/studio.json").read_text())["secret"]
    (scene.folder / "secret").write_text(secret)
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import capture_client as c\n"
        "n = c.Connection(sys.argv[2], certificate=sys.argv[3], credential=bytes.fromhex(open(sys.argv[4]).read()))\n"
        "print(n.unary('capture.v1.Devices/List', c.pb.ListDevicesRequest(), c.pb.ListDevicesResponse).devices[0].id)\n")
    done = subprocess.run(
        scene.net.inside(
            "l", "/usr/bin/python3", "-c", code, Path(__file__).parent, f"{NODE}:{PORT}", certificate, scene.folder / "secret"),
        capture_output=True, text=True, timeout=60)
    assert "synthetic" in done.stdout, done.stdout + done.stderr


def a_clock_that_is_years_off_does_not_matter_to_the_certificate(scene):
    """The certificate is valid in 1971, today, in 2090, and as far as its dates go."""
    certificate = scene.folder / "clock.pem"
    certificate.write_text(scene.good("l", "capturectl", "node", "certificate", "studio"))

    def verified(*how):
        return subprocess.run(
            ["openssl", "verify", "-CAfile", certificate, "-purpose", "sslserver", *map(str, how), certificate], capture_output=True, text=True, timeout=60)

    name = "-verify_hostname", "node.remote-capture.invalid"
    first, last = 0, 253_402_300_799
    for year in 1971, 2090:
        done = verified("-attime", calendar.timegm((year, 7, 1, 12, 0, 0)), *name)
        assert done.returncode == 0 and done.stdout.strip().endswith("OK"), (year, done.stdout + done.stderr)
    for moment in first, int(time.time()), last - 1:
        done = verified("-attime", moment, *name)
        assert done.returncode == 0, (moment, done.stdout + done.stderr)
    # It is dates and names that are looked at.
    assert "expired" in verified("-attime", last, *name).stderr
    assert "hostname mismatch" in verified("-verify_hostname", "studio").stderr.lower()


def older_versions_and_weak_suites_are_refused(scene):
    def suite(*offered):
        done = subprocess.run(
            scene.net.inside("s", "openssl", "s_client", "-connect", f"{NODE}:{PORT}", *offered), input="", capture_output=True, text=True, timeout=30)
        return re.search(r"Cipher is (\S+)", done.stdout)[1]

    for version in "-tls1_2", "-tls1_1", "-tls1":
        assert suite(version, "-cipher", "ALL:@SECLEVEL=0") == "(NONE)"
    for weak in "TLS_AES_128_CCM_8_SHA256", "TLS_AES_128_CCM_SHA256":
        assert suite("-ciphersuites", weak) == "(NONE)"
    for good in "TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256":
        assert suite("-ciphersuites", good) == good
    assert suite("-groups", "P-521") == "(NONE)"


def a_client_sees_the_cameras_that_its_patterns_name(scene):
    """Also after a restart of the node. A pattern that matches nothing is named at once, and nothing is made of what cannot be."""
    pair = "n", "capture-node", "pair", "--socket", scene.socket
    assert "an admin has every camera" in scene.bad(*pair, "--role", "admin", "--cameras", "usb-*")
    assert "pattern" in scene.bad(*pair, "--cameras", "two words")
    done = scene.run(*pair, "--cameras", "usb-*", "--name", "dark")
    assert done.returncode == 0 and "'usb-*' matches no camera" in done.stderr, done.stderr
    scene.secrets.add(done.stdout.split("/")[5])
    scene.good("s", "capturectl", "pair", "--name", "dark", given=done.stdout)
    assert "usb-*" in scene.good("n", "capturectl", "--node", scene.socket, "access", "list")
    assert "'usb-*' of the client 'dark'" in scene.good("n", "capturectl", "--json", "--node", scene.socket, "status")
    for _ in range(2):
        assert json.loads(scene.good("s", "capturectl", "--json", "--node", "dark", "devices"))["devices"] == []
        said = scene.bad("s", "capturectl", "--node", "dark", "photo", "0", "-o", scene.folder / "dark.jpg")
        assert "this node has none" in said and "synthetic" not in said, said
        scene.stop()
        scene.start()
    scene.good("n", "capturectl", "--node", scene.socket, "access", "revoke", "dark")
    scene.good("s", "capturectl", "node", "remove", "dark")


def grants_hold_each_for_its_cameras_and_its_medium(scene):
    """A machine that sees the camera and controls nothing but what is kept of it, also after a restart. Bad grants make no code."""
    pair = "n", "capture-node", "pair", "--socket", scene.socket
    for word, said in (
        ("boss:usb-*", "role view or control"), ("admin", "--role admin"), ("view/audio", "medium video or library"), ("view:two words", "pattern"),
        ("view:", "pattern"),
    ):
        assert said in scene.bad(*pair, "--grant", word), word
        assert said in scene.bad("l", "capturectl", "credential", "new", "x", "--grant", word), word
    for other in ("--role", "view"), ("--cameras", "usb-*"):
        assert "takes the place of" in scene.bad(*pair, "--grant", "view", *other), other
        assert "takes the place of" in scene.bad("l", "capturectl", "credential", "new", "x", "--grant", "view", *other), other
    done = scene.run(*pair, "--grant", "view/video", "--grant", "control/library", "--grant", "control/video:usb-*", "--name", "desk")
    assert done.returncode == 0 and "'usb-*' matches no camera" in done.stderr, done.stderr
    scene.secrets.add(done.stdout.split("/")[5])
    scene.good("s", "capturectl", "pair", "--name", "desk", given=done.stdout)
    for _ in range(2):
        scene.good("s", "capturectl", "--node", "desk", "photo", "0", "-o", scene.folder / "desk.jpg")
        assert "PERMISSION_DENIED" in scene.bad("s", "capturectl", "--node", "desk", "set", "0", "brightness=1")
        said = scene.good("s", "capturectl", "--node", "desk", "access", "status", "0", "--role", "control", "--medium", "library")
        assert "authorized" in said and "control of the library of every camera" in " ".join(said.split()), said
        assert "not determined" in scene.good("s", "capturectl", "--node", "desk", "access", "status", "0", "--role", "control")
        listed = json.loads(scene.good("n", "capturectl", "--json", "--node", scene.socket, "access", "list"))["clients"]
        (desk,) = [client for client in listed if client["name"] == "desk"]
        assert desk["role"] == "control" and desk["grants"] == [
            {"role": "view", "cameras": [], "media": ["video"]}, {"role": "control", "cameras": [], "media": ["library"]},
            {"role": "control", "cameras": ["usb-*"], "media": ["video"]}], desk
        scene.stop()
        scene.start()
    scene.good("n", "capturectl", "--node", scene.socket, "access", "revoke", "desk")
    scene.good("s", "capturectl", "node", "remove", "desk")
    # The same in a file of access.d.
    folder = scene.folder / "configuration/access.d"
    scene.good("l", "capturectl", "credential", "new", "roof", "--folder", folder, "--grant", "view/video", "--grant", "control/library:usb-*")
    (folder / "roof.credential").rename(scene.folder / "roof.credential")
    assert "'usb-*' of the client 'roof'" in scene.run("n", "capture-node", "reload", "--socket", scene.socket).stderr
    listed = json.loads(scene.good("n", "capturectl", "--json", "--node", scene.socket, "access", "list"))["clients"]
    assert [len(client["grants"]) for client in listed if client["name"] == "roof"] == [2], listed
    (folder / "roof.json5").unlink()
    scene.own("reload")


def whoever_is_on_the_machine_proves_it_too(scene):
    """Loopback knows nobody, the socket's file lets nobody in who is not meant, and a code comes from an admin."""
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    for node, said in (f"127.0.0.1:{PORT}", "asks everybody for a credential"), (scene.socket, "no permission"):
        for words in ("devices",), ("access", "list"):
            done = subprocess.run(
                scene.net.inside("n", *nobody, scene.programs / "capturectl", "--node", node, *words), env={"HOME": "/nonexistent"}, capture_output=True,
                text=True, timeout=30)
            assert done.returncode == 1 and said in done.stderr and not done.stdout, done.stdout + done.stderr
    done = subprocess.run(
        scene.net.inside("n", *nobody, scene.programs / "capture-node", "pair", "--socket", scene.socket), capture_output=True, text=True, timeout=30)
    assert done.returncode == 1 and "only root and the node's own user" in done.stderr and "with sudo" in done.stderr and "usermod" not in done.stderr and not done.stdout, done.stdout + done.stderr
    # Members of the socket's group may use the cameras, and are no admins: whoever is no member is advised to join it, but not for what is an admin's.
    place = scene.folder / "capture-node/socket"
    scene.folder.chmod(0o711)
    os.chown(place, -1, grp.getgrnam("daemon").gr_gid)
    place.chmod(0o660)
    refusals = [
        subprocess.run(
            scene.net.inside("n", *nobody, scene.programs / "capturectl", "--node", scene.socket, *words), env={"HOME": "/nonexistent"},
            capture_output=True, text=True, timeout=30).stderr
        for words in (("devices",), ("access", "list"), ("access", "pending"), ("access", "revoke", "laptop"))]
    assert "sudo usermod -aG daemon $USER" in refusals[0], refusals
    for said in refusals[1:]:
        assert "only root and the node's own user" in said and "with sudo" in said and "usermod" not in said, said
    # A socket that everybody may open.
    place.chmod(0o666)
    done = subprocess.run(
        scene.net.inside("n", *nobody, scene.programs / "capturectl", "--node", scene.socket, "devices"), env={"HOME": "/nonexistent"},
        capture_output=True, text=True, timeout=30)
    assert done.returncode == 1 and "user 65534 is not in the group" in done.stderr, done.stdout + done.stderr
    assert "Pair first" not in done.stderr and "capturectl pair" not in done.stderr, done.stdout + done.stderr
    scene.folder.chmod(0o700)
    # A client of the network comes by loopback too, with its credential.
    secret = scene.folder / "own.credential"
    secret.write_text(json.loads((scene.folder / "l/.config/remote-capture/nodes/studio.json").read_text())["secret"])
    secret.chmod(0o600)
    scene.good("n", "capturectl", "--credential-file", secret, "--node", f"127.0.0.1:{PORT}", "devices")
    scene.stop()
    scene.start("--trust-local-users")
    scene.good("n", "capturectl", "--node", f"127.0.0.1:{PORT}", "devices")
    assert "needs admin" in scene.bad("n", "capturectl", "--node", f"127.0.0.1:{PORT}", "access", "list")
    assert "trustLocalUsers" in scene.good("n", "capturectl", "--node", scene.socket, "status")
    scene.good("s", "capturectl", "node", "remove", "look")
    assert "takes TLS alone" in scene.bad("s", "capturectl", "--node", NODE, "devices")
    scene.stop()
    scene.start()


def wrong_secrets_wait_and_right_ones_do_not(scene):
    """The answers to one address come later and later, until somebody there has a right one, who waits for nothing."""
    file = scene.folder / "slow.credential"
    file.write_text(json.loads((scene.folder / "l/.config/remote-capture/nodes/studio.json").read_text())["secret"])
    file.chmod(0o600)
    scene.good("s", "capturectl", "node", "add", NODE, "--name", "slow", "--trust-first-use")

    def wrong(_):
        began = time.monotonic()
        assert "unknown or revoked" in hello_over_tls(scene, PORT, secrets.token_bytes(32))
        return time.monotonic() - began

    with ThreadPoolExecutor(6) as pool:
        times = sorted(pool.map(wrong, range(6)))
    assert times[0] >= 0.5 and times[-2] >= 1 and times[-1] >= 2, times
    began = time.monotonic()
    scene.good("s", "capturectl", "--node", "slow", "--credential-file", file, "devices")
    assert time.monotonic() - began < 2, time.monotonic() - began
    assert 0.5 <= wrong(0) < 2
    scene.good("s", "capturectl", "node", "remove", "slow")


def in_the_clear_counts_what_was_made_for_that(scene):
    port = PORT + 1
    folder = scene.folder / "configuration/access.d"
    assert "not for admin" in scene.bad("l", "capturectl", "credential", "new", "x", "--plaintext", "--role", "admin", "--folder", folder)
    for name, kind in ("dome", ["--plaintext"]), ("roof", []):
        scene.good("l", "capturectl", "credential", "new", name, *kind, "--role", "view", "--folder", folder)
        (folder / f"{name}.credential").rename(scene.folder / f"{name}.credential")
    dome, roof = ["--credential-file", scene.folder / "dome.credential"], ["--credential-file", scene.folder / "roof.credential"]
    scene.stop()
    scene.start("--listen", f"{NODE}:{port}", "--allow-plaintext")
    clear = "capturectl", "--node", f"{NODE}:{port}"
    assert "asks everybody for a credential" in scene.bad("s", *clear, "devices")
    scene.good("s", *clear, *dome, "stream", "0", "-n", "1", "-o", scene.folder / "frame.jpg")
    assert "may view" in scene.bad("s", *clear, *dome, "set", "0", "brightness=1")
    assert "takes connections in the clear" in " ".join(scene.good("n", "capturectl", "--node", scene.socket, "status").split())
    # Not at an address that takes TLS alone, and not over TLS; nor in the clear to a node whose key is known.
    assert "for addresses that take plaintext" in scene.bad("s", "capturectl", "--node", NODE, *dome, "devices")
    assert "nothing goes there in the clear" in scene.bad("l", "capturectl", "--node", "studio", *dome, "devices")
    plain = bytes.fromhex((scene.folder / "dome.credential").read_text().removeprefix("plaintext "))
    assert "for addresses that take plaintext" in hello_over_tls(scene, port, plain)
    # This program sends none of the other kind in the clear; another may, and then it is worth nothing.
    assert "key of the node" in scene.bad("s", *clear, *roof, "devices")
    scene.good("s", "capturectl", "node", "add", f"{NODE}:{port}", "--name", "clear", "--trust-first-use")
    scene.good("s", "capturectl", "--node", "clear", *roof, "devices")
    # By whatever name it is called: a recorded one in another spelling, and one that only the resolver knows.
    known, hosts = scene.folder / "s/.config/remote-capture/nodes/clear.json", scene.folder / "hosts"
    kept = known.read_text()
    known.write_text(kept.replace(f'"{NODE}"', '"camera.example.org"'))
    assert "nothing goes there in the clear" in scene.bad("s", "capturectl", "--node", f"Camera.example.org.:{port}", *dome, "devices")
    known.write_text(kept)
    hosts.write_text(f"{NODE} camera.lan\n")
    # The mount is that of this command alone.
    resolving = "/bin/sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"', hosts, scene.programs / "capturectl"
    assert "nothing goes there in the clear" in scene.bad("s", *resolving, "--node", f"camera.lan:{port}", *dome, "devices")
    scene.good("s", *resolving, "--node", f"camera.lan:{port}", *roof, "devices")
    said = hello_in_the_clear(scene, port, bytes.fromhex((scene.folder / "roof.credential").read_text()))
    assert "came in the clear" in said, said
    assert "unknown or revoked" in scene.bad("s", "capturectl", "--node", "clear", *roof, "devices")
    paired = json.loads((scene.folder / "l/.config/remote-capture/nodes/studio.json").read_text())["secret"]
    assert "came in the clear" in hello_in_the_clear(scene, port, bytes.fromhex(paired))
    assert "unknown or revoked" in scene.bad("l", "capturectl", "--node", "studio", "devices")
    scene.stop()
    scene.start()
    scene.good("s", "capturectl", "node", "add", NODE, "--name", "door", "--trust-first-use")
    assert "unknown or revoked" in scene.bad("s", "capturectl", "--node", "door", *roof, "devices"), "also after a restart"
    for name in "dome", "roof":
        (folder / f"{name}.json5").unlink()
    scene.own("reload")
    scene.good("l", "capturectl", "node", "remove", "studio")
    scene.good("l", "capturectl", "pair", "--name", "studio", given=scene.pairing())


def hello_in_the_clear(scene, port, secret):
    return answer_to_hello(scene, port, secret, "")


def hello_over_tls(scene, port, secret):
    return answer_to_hello(
        scene, port, secret,
        "t = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT); t.check_hostname = False; t.verify_mode = ssl.CERT_NONE; s = t.wrap_socket(s)\n")


def answer_to_hello(scene, port, secret, wrap):
    """What the node says to a Hello with this credential, which comes by standard input."""
    code = (
        "import sys, socket, ssl; sys.path.insert(0, sys.argv[1]); import capture_client as c\n"
        "s = socket.create_connection((sys.argv[2], int(sys.argv[3])))\n" + wrap +
        "b = c.pb.Envelope(hello=c.pb.Hello(version=1, agent='x', credential=sys.stdin.buffer.read())).SerializeToString()\n"
        "s.sendall(c.PREFIX.pack(len(b), 0) + b); d = b''\n"
        "while True:\n  x = s.recv(65536)\n  d += x\n  if not x: break\n"
        "while d:\n  n, k = c.PREFIX.unpack(d[:8]); e = c.pb.Envelope.FromString(d[8:8 + n]); d = d[8 + n + k:]; print(e.go_away.text)\n")
    done = subprocess.run(
        scene.net.inside("s", "/usr/bin/python3", "-c", code, Path(__file__).parent, NODE, str(port)), input=secret, capture_output=True, timeout=60)
    return (done.stdout + done.stderr).decode()


def the_line_is_a_qr_code_too(scene):
    """On a terminal that is wide enough. qrencode's own drawing of the line is the same."""
    command = scene.net.inside("n", scene.programs / "capture-node", "pair", "--socket", scene.socket, "--qr")

    def on_a_terminal(columns):
        own, its = pty.openpty()
        termios.tcsetwinsize(its, (50, columns))
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=its) as process:
            os.close(its)
            shown = b""
            with contextlib.suppress(OSError):  # the end of a terminal
                while block := os.read(own, 65536):
                    shown += block
            line = process.stdout.read().decode().strip()
        os.close(own)
        scene.secrets.add(line.split("/")[5])
        return line, shown.decode()

    line, shown = on_a_terminal(100)
    rows = re.findall("\x1b\\[30;107m([█▀▄ ]+)\x1b\\[0m", shown)
    halves = {"█": "##", "▀": "# ", "▄": " #", " ": "  "}
    squares = ["".join(halves[sign][half] for sign in row) for row in rows for half in range(2)][:len(rows[0])]
    # Not as an argument: every command line of the machine is looked at for the code.
    drawn = subprocess.run(["qrencode", "-8", "-l", "L", "-m", "2", "-t", "ASCII"], input=line, capture_output=True, text=True, check=True).stdout
    assert squares == [row[::2] for row in drawn.splitlines()], shown
    line, shown = on_a_terminal(40)
    assert line.startswith("capture-pair/") and "no QR code: the terminal has 40 columns" in shown, shown
    assert "no QR code: standard error is no terminal" in scene.run("n", "capture-node", "pair", "--socket", scene.socket, "--qr").stderr


def another_identity_is_another_node(scene):
    said = scene.own("identity", "new")
    assert "another key" in said and "These pair again: " in said, said
    said = scene.bad("l", "capturectl", "--node", "studio", "devices")
    assert "another key" in said and "Nothing was sent" in said, said
    assert "forget it: capturectl node remove" in scene.bad("l", "capturectl", "node", "add", "--name", "studio", NODE, "--trust-first-use")
    scene.good("l", "capturectl", "node", "remove", "studio")
    scene.good("l", "capturectl", "pair", "--name", "studio", given=scene.pairing())
    scene.good("l", "capturectl", "--node", "studio", "devices")


def closing_ends_what_the_network_has(scene):
    listed = scene.good("n", "capture-node", "listen", "--socket", scene.socket)
    assert f"0.0.0.0:{PORT}" in listed, listed
    scene.good("n", "capture-node", "listen", "--close", "--socket", scene.socket)
    assert "nothing listens there" in scene.bad("l", "capturectl", "--node", "studio", "devices")
    said = scene.bad("n", "capturectl", "--node", f"127.0.0.1:{PORT}", "devices")
    assert "asks everybody for a credential" in said and "unix:" in said, said


def no_secret_was_written_anywhere(scene):
    scene.good("n", "capturectl", "--json", "--node", scene.socket, "status")
    scene.lines.close()
    scene.log.flush()
    texts = [(scene.folder / "node.log").read_text(), *scene.said, *(line.decode(errors="replace") for line in scene.lines.seen)]
    assert len(scene.secrets) > 10 and len(texts) > 50 and any("capturectl" in text for text in texts[-len(scene.lines.seen):])
    for secret in scene.secrets:
        for text in texts:
            assert secret not in text, text


TESTS = [
    a_closed_node_is_not_reached, two_commands_and_a_paste_to_the_first_frame, the_clients_file_is_its_own, a_stranger_can_list_nothing,
    a_code_works_once, roles_hold, a_revoked_client_sees_nothing_more,
    a_revoked_client_that_reads_slowly_gets_no_more_than_it_has, a_client_of_a_removed_entry_that_reads_slowly_gets_no_more_than_it_has, a_restarted_node_is_open_and_knows_its_clients,
    a_node_with_another_key_gets_nothing, one_file_admits_a_controller, a_key_is_taken_at_first_contact_if_one_says_so,
    a_credential_is_rotated, a_fleets_credential_is_renewed, python_comes_in_with_a_certificate, a_clock_that_is_years_off_does_not_matter_to_the_certificate, older_versions_and_weak_suites_are_refused, the_line_is_a_qr_code_too, a_client_sees_the_cameras_that_its_patterns_name,
    grants_hold_each_for_its_cameras_and_its_medium, whoever_is_on_the_machine_proves_it_too, wrong_secrets_wait_and_right_ones_do_not,
    in_the_clear_counts_what_was_made_for_that, another_identity_is_another_node,
    closing_ends_what_the_network_has, no_secret_was_written_anywhere,
]


def main():
    programs = Path(sys.argv[1]).resolve()
    net, failures = Net(), 0
    try:
        with tempfile.TemporaryDirectory(prefix="capture-pairing-") as folder:
            folder = Path(folder)
            scene = Scene(programs, net, folder)
            for test in TESTS:
                failures += not passes(test, scene)
            scene.node.kill()
            if failures:
                print((folder / "node.log").read_text()[-4000:])
            scene.lines.close()
    finally:
        net.close()
    sys.exit(1 if failures else 0)


main()
