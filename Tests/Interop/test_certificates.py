"""A node with a certificate of files: a CA made here, its certificates right and wrong, and their exchange while a client streams.

usage: test_certificates.py PROGRAMS

PROGRAMS is the directory where the programs are. Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import hashlib
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cases import passes

PROJECT = Path(__file__).resolve().parents[2]


class CA:
    """A CA in a folder of its own, by OpenSSL's command line."""

    def __init__(self, folder, name):
        self.folder, self.name = folder / name, name
        self.folder.mkdir()
        (self.folder / "index").touch()
        (self.folder / "serial").write_text("1000\n")
        self.key, self.certificate = self.folder / "ca.key", self.folder / "ca.pem"
        (self.folder / "config").write_text(
            f"[ca]\ndefault_ca=own\n[own]\ndir={self.folder}\ndatabase=$dir/index\nserial=$dir/serial\nnew_certs_dir=$dir\ndefault_md=sha256\n"
            "policy=any\nunique_subject=no\ncopy_extensions=copy\ncertificate=$dir/ca.pem\nprivate_key=$dir/ca.key\n[any]\ncommonName=supplied\n"
            "[req]\ndistinguished_name=name\n[name]\n[v3_ca]\nbasicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n")
        openssl("req", "-x509", *NEW_KEY, "-keyout", self.key, "-out", self.certificate, "-days", "3650", "-subj", f"/CN={name}",
                "-config", self.folder / "config", "-extensions", "v3_ca")

    def issue(self, key, names="DNS:localhost,IP:127.0.0.1", start="20200101000000Z", end="20991231235959Z", name="node", authority=False):
        """A certificate of a private key, in PEM."""
        request, made = self.folder / "request", self.folder / "made"
        extension = "basicConstraints=critical,CA:TRUE" if authority else f"subjectAltName={names}"
        openssl("req", "-new", "-key", key, "-out", request, "-subj", f"/CN={name}", "-config", self.folder / "config", "-addext", extension)
        openssl("ca", "-batch", "-notext", "-config", self.folder / "config", "-in", request, "-out", made, "-startdate", start, "-enddate", end)
        return made.read_text()


NEW_KEY = "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"


def openssl(*words):
    done = subprocess.run(["openssl", *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, f"{words}: {done.stderr}"
    return done.stdout


def new_key(path):
    openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", path)
    path.chmod(0o600)
    return path


class Scene:
    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder
        self.ca, self.foreign = CA(folder, "own"), CA(folder, "foreign")
        self.certificate, self.key, self.socket = folder / "node.pem", folder / "node.key", f"unix:{folder}/socket"
        self.home = dict(os.environ, HOME=str(folder / "home"), CAPTURE_CREDENTIAL_FILE=str(folder / "viewer.credential"))
        self.home.pop("XDG_CONFIG_HOME", None)
        (folder / "etc/access.d").mkdir(parents=True)
        self.good("capturectl", "credential", "new", "viewer", "--role", "view", "--folder", folder)
        shutil.move(folder / "viewer.json5", folder / "etc/access.d/viewer.json5")
        (folder / "etc/access.d/viewer.json5").chmod(0o640)
        (folder / "etc/node.json5").write_text(
            "{\n" f'  listen: ["127.0.0.1:0", "{self.socket}"],\n  state: "{folder}/state.json", cameras: ["synthetic:320x240@30"],\n'
            f'  tls: {{ certificate: "{self.certificate}", key: "{self.key}" }},\n' "}\n")
        new_key(self.key)
        self.show(self.ca.issue(self.key))
        self.start()

    def start(self):
        self.log = open(self.folder / "node.log", "a+")
        self.node = subprocess.Popen(
            [self.programs / "capture-node", "--config", self.folder / "etc"], stdout=subprocess.PIPE, stderr=self.log, text=True)
        lines = [self.node.stdout.readline() for _ in range(2)]
        assert "listening on 127.0.0.1:" in lines[0], (lines, self.said())
        self.port = lines[0].rsplit(":", 1)[1].strip()

    def said(self):
        return (self.folder / "node.log").read_text()

    def show(self, certificate):
        """Writes the node's certificate, as whoever renews it does."""
        self.certificate.write_text(certificate)

    def exchange(self, certificate):
        self.show(certificate)
        return self.reload()

    def reload(self):
        done = self.run("capture-node", "reload", "--socket", self.socket)
        assert done.returncode == 0, done.stderr
        return done.stderr

    def run(self, program, *words):
        return subprocess.run([self.programs / program, *map(str, words)], env=self.home, capture_output=True, text=True, timeout=30)

    def good(self, *words):
        done = self.run(*words)
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout

    def bad(self, *words):
        done = self.run(*words)
        assert done.returncode != 0, f"{words} went well: {done.stdout}"
        return done.stderr

    def devices(self, host="localhost", ca=None):
        return "capturectl", "--node", f"{host}:{self.port}", "--ca", ca or self.ca.certificate, "devices"

    def shown(self):
        """The SHA-256 of the certificate that a new connection is shown."""
        return hashlib.sha256(ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(("127.0.0.1", int(self.port))))).hexdigest()

    def back(self):
        """As it was at the beginning of each test."""
        new_key(self.key)
        self.exchange(self.ca.issue(self.key))
        shutil.rmtree(self.folder / "home", ignore_errors=True)


def the_right_name_is_taken(scene):
    for host in "localhost", "127.0.0.1":
        assert "synthetic" in scene.good(*scene.devices(host))


def python_takes_it_with_the_ca_as_cafile(scene):
    context = ssl.create_default_context(cafile=scene.ca.certificate)
    with socket.create_connection(("127.0.0.1", int(scene.port))) as plain:
        with context.wrap_socket(plain, server_hostname="localhost") as connection:
            assert connection.version() == "TLSv1.3"


PYTHON = """
import asyncio, sys, remote_capture, remote_capture.aio as aio
from remote_capture import KnownNode, NodeError
credential = open(sys.argv[3]).read()

async def in_a_loop(address, **how):
    async with await aio.connect(address, **how) as node:
        return [camera.name for camera in await node.cameras()]

def blocking(address, **how):
    with remote_capture.connect(address, **how) as node:
        return [camera.name for camera in node.cameras()]

for use in blocking, lambda *a, **k: asyncio.run(in_a_loop(*a, **k)):
    try:
        print(use(sys.argv[1], ca=sys.argv[2], credential=credential))
    except (NodeError, ValueError, OSError) as error:
        print("refused:", error)
"""


def python_package(scene):
    """The package as it is installed, with what is made of the contract."""
    folder = scene.folder / "python"
    if not folder.exists():
        shutil.copytree(PROJECT / "deploy/python/remote_capture", folder / "remote_capture")
        subprocess.run([sys.executable, PROJECT / "scripts/proto/python_messages.py", folder / "remote_capture/messages"], check=True)
    return str(folder)


def in_python(scene, host="localhost", ca=None):
    done = subprocess.run(
        ["/usr/bin/python3", "-c", PYTHON, f"{host}:{scene.port}", ca or scene.ca.certificate, scene.folder / "viewer.credential"],
        env=dict(scene.home, PYTHONPATH=python_package(scene)), capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def the_python_package_takes_a_ca(scene):
    for host in "localhost", "127.0.0.1":
        said = in_python(scene, host)
        assert len(said) == 2 and all("synthetic" in line for line in said), said
    scene.exchange(scene.ca.issue(scene.key, end="20210203040506Z"))
    for said in in_python(scene):
        assert "refused:" in said and "certificate has expired" in said and f"this machine's clock says {time.gmtime().tm_year}-" in said, said
    scene.exchange(scene.ca.issue(scene.key, "DNS:other.example.org"))
    for said in in_python(scene):
        assert "refused:" in said and "mismatch" in said, said
    for said in in_python(scene, ca=scene.foreign.certificate):
        assert "refused:" in said and "issuer" in said, said
    for said in in_python(scene, ca=scene.key):
        assert "refused: a CA's file has certificates in PEM" in said, said


def another_name_is_refused(scene):
    scene.exchange(scene.ca.issue(scene.key, "DNS:other.example.org,IP:192.0.2.7"))
    for host in "localhost", "127.0.0.1":
        said = scene.bad(*scene.devices(host))
        assert f"the certificate is for other.example.org, 192.0.2.7, not for {host}" in said and "Nothing was sent" in said, said


def an_expired_one_names_both_dates(scene):
    warning = scene.exchange(scene.ca.issue(scene.key, end="20210203040506Z"))
    for said in warning, scene.bad(*scene.devices()), scene.good("capturectl", "--node", scene.socket, "status"):
        assert "was valid until 2021-02-03 04:05:06 UTC" in said and f"this machine's clock says {time.gmtime().tm_year}-" in said, said


def one_that_is_not_valid_yet_names_both_dates(scene):
    warning = scene.exchange(scene.ca.issue(scene.key, start="20900203040506Z"))
    for said in warning, scene.bad(*scene.devices()):
        assert "is not valid before 2090-02-03 04:05:06 UTC" in said and f"this machine's clock says {time.gmtime().tm_year}-" in said, said


def a_foreign_one_is_refused(scene):
    said = scene.bad(*scene.devices(ca=scene.foreign.certificate))
    assert "was not issued by the CA" in said, said
    scene.exchange(scene.foreign.issue(scene.key))
    assert "was not issued by the CA" in scene.bad(*scene.devices())
    scene.good(*scene.devices(ca=scene.foreign.certificate))


def the_chain_is_sent(scene):
    key = new_key(scene.folder / "between.key")
    between = CA(scene.folder, f"between-{time.monotonic_ns()}")
    shutil.copy(key, between.key)
    between.certificate.write_text(scene.ca.issue(key, name="between", authority=True))
    leaf = between.issue(scene.key)
    scene.exchange(leaf)
    assert "was not issued by the CA" in scene.bad(*scene.devices())
    scene.exchange(leaf + between.certificate.read_text())
    scene.good(*scene.devices())


def it_is_exchanged_while_a_client_streams(scene):
    stream = subprocess.Popen(
        [scene.programs / "capturectl", "--node", f"localhost:{scene.port}", "--ca", scene.ca.certificate, "stream", "0", "--format", "jpeg", "-o", "-"],
        env=scene.home, stdout=subprocess.PIPE)
    try:
        frames_come(stream)
        before = scene.shown()
        warning = scene.exchange(scene.ca.issue(new_key(scene.key)))
        assert "another key" in warning and "--ca" in warning, warning
        assert scene.shown() != before
        # More than what may have waited in the pipe and on the way since before.
        frames_come(stream)
        # It is one connection still: the node has counted no other.
        viewers = json.loads(scene.good("capturectl", "--node", scene.socket, "--json", "status"))["viewers"]
        assert len(viewers) == 1, viewers
        scene.good(*scene.devices())
    finally:
        stream.kill()
        stream.communicate(timeout=10)


def frames_come(stream):
    assert len(stream.stdout.read(1_000_000)) == 1_000_000, "the stream has ended"


def a_wrong_set_changes_nothing(scene):
    before, key, certificate = scene.shown(), scene.key.read_bytes(), scene.certificate.read_text()
    other = new_key(scene.folder / "other.key").read_bytes()
    foreign = scene.ca.issue(scene.folder / "other.key")

    def refused(what, reason, mode=0o600):
        scene.key.chmod(mode)
        said = scene.bad("capture-node", "reload", "--socket", scene.socket)
        assert "nothing has changed" in said and f"{scene.folder}/etc/node.json5: line 4: tls" in said and reason in said, (what, said)
        assert not any(line in said for line in key.decode().splitlines()[1:-1])
        assert scene.shown() == before
        scene.good(*scene.devices())
        scene.key.write_bytes(key)
        scene.key.chmod(0o600)
        scene.show(certificate)

    refused("a key that others can read", "can be read by others", 0o644)
    refused("a key that its group can read", "can be read by others", 0o640)
    scene.key.write_bytes(other)
    refused("another key", "is not of this private key")
    scene.show(foreign)
    refused("another certificate", "is not of this private key")
    scene.show("nothing\n")
    refused("no certificate", "there is no certificate (BEGIN CERTIFICATE)")
    scene.key.write_text("nothing\n")
    refused("no key", "there is no private key without a password (BEGIN PRIVATE KEY)")
    openssl("pkey", "-in", scene.key, "-aes128", "-passout", "pass:x", "-out", scene.folder / "locked.key")
    shutil.copy(scene.folder / "locked.key", scene.key)
    refused("a key with a password", "there is no private key without a password (BEGIN PRIVATE KEY)")
    scene.certificate.unlink()
    refused("no file", "cannot be read: No such file")
    assert scene.shown() == before


def a_node_that_is_known_by_its_key_keeps_to_it(scene):
    node = "capturectl", "--node", "studio", "devices"
    scene.good("capturectl", "node", "add", f"127.0.0.1:{scene.port}", "--trust-first-use", "--name", "studio")
    # A renewed certificate of the same key is the same node, whatever its dates.
    assert scene.exchange(scene.ca.issue(scene.key, end="20210203040506Z")).count("another key") == 0
    scene.good(*node)
    scene.exchange(scene.ca.issue(new_key(scene.key)))
    assert "another key" in scene.bad(*node)
    said = scene.bad("capturectl", "--ca", scene.ca.certificate, *node[1:])
    assert "is known by its key" in said and "node add" in said, said


def a_node_that_is_known_by_its_ca_may_change_its_key(scene):
    node = "capturectl", "--node", "studio", "devices"
    add = "capturectl", "node", "add", f"localhost:{scene.port}", "--name", "studio", "--ca"
    scene.good("capturectl", "node", "add", f"127.0.0.1:{scene.port}", "--trust-first-use", "--name", "studio")
    assert "was not issued by the CA" in scene.bad(*add, scene.foreign.certificate)
    assert "the certificate of localhost" in scene.good(*add, scene.ca.certificate)
    scene.good(*node)
    scene.exchange(scene.ca.issue(new_key(scene.key)))
    scene.good(*node)
    assert "the certificate of localhost" in scene.good("capturectl", "node", "list")
    shown = scene.good("capturectl", "node", "certificate", "studio")
    assert hashlib.sha256(ssl.PEM_cert_to_DER_cert(shown)).hexdigest() == scene.shown()
    scene.exchange(scene.foreign.issue(scene.key))
    assert "was not issued by the CA" in scene.bad(*node)


def what_is_no_ca_is_named(scene):
    assert "has no certificate in PEM" in scene.bad(*scene.devices(ca=scene.key))
    assert "cannot be read" in scene.bad(*scene.devices(ca="/nonexistent"))
    assert "where the kernel tells" in scene.bad("capturectl", "--node", scene.socket, "--ca", scene.ca.certificate, "devices")


def its_key_is_not_made_anew(scene):
    said = scene.bad("capture-node", "identity", "new", "--socket", scene.socket)
    assert str(scene.key) in said and "reload" in said, said


def a_node_does_not_start_with_a_wrong_set(scene):
    scene.node.terminate()
    assert scene.node.wait(10) == 0
    scene.key.chmod(0o644)
    done = subprocess.run([scene.programs / "capture-node", "--config", scene.folder / "etc", "--listen", "0.0.0.0:0"], capture_output=True, text=True, timeout=20)
    assert done.returncode == 1 and "node.json5: line 4: tls.key" in done.stderr and "can be read by others" in done.stderr, done.stderr
    # Nobody is locked out of the machine's own socket.
    scene.start()
    assert "synthetic" in scene.good("capturectl", "--node", scene.socket, "devices")
    assert "can be read by others" in scene.said()
    scene.key.chmod(0o600)


TESTS = [
    the_right_name_is_taken, python_takes_it_with_the_ca_as_cafile, the_python_package_takes_a_ca, another_name_is_refused, an_expired_one_names_both_dates,
    one_that_is_not_valid_yet_names_both_dates, a_foreign_one_is_refused, the_chain_is_sent, it_is_exchanged_while_a_client_streams,
    a_wrong_set_changes_nothing, a_node_that_is_known_by_its_key_keeps_to_it, a_node_that_is_known_by_its_ca_may_change_its_key,
    what_is_no_ca_is_named, its_key_is_not_made_anew, a_node_does_not_start_with_a_wrong_set,
]


def main():
    programs = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="capture-certificates-") as folder:
        scene, failures = Scene(programs, Path(folder)), 0
        for test in TESTS:
            failures += not passes(test, scene, before=scene.back)
        if failures:
            print(scene.said()[-4000:])
        scene.node.kill()
    sys.exit(1 if failures else 0)


main()
