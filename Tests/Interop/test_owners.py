"""What one caller has is not another's: leases, sessions without a name, timelapses, kept pictures, and who may end them.

usage: test_owners.py PROGRAMS

PROGRAMS is the directory where the programs are. Needs root: users of the node's machine are told apart by the kernel, root, two of the socket's group, and one
who is not in it; two clients come with their credentials. Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from cases import passes

GROUP = 64999
USERS = {"root": None, "member": (64001, GROUP), "colleague": (64002, GROUP), "outsider": (64003, 64003)}
CLIENTS = "anna", "bert"


class Node:
    def __init__(self, programs, folder):
        self.programs, self.folder, self.address = programs, folder, f"unix:{folder}/socket"
        access = folder / "configuration/access.d"
        access.mkdir(parents=True)
        for name in CLIENTS:
            subprocess.run([programs / "capturectl", "credential", "new", name, "--folder", access], check=True, stdout=subprocess.DEVNULL)
            (access / f"{name}.credential").rename(folder / f"{name}.credential")
        subprocess.run([programs / "capture-node", "library", "init", "--mark-only", folder / "library"], check=True, stdout=subprocess.DEVNULL)
        (folder / "configuration/node.json5").write_text(json.dumps({
            "listen": [self.address], "state": str(folder / "state.json"), "logLevel": "error",
            "cameras": ["synthetic:physics:320x240@30,manual"], "library": {"root": str(folder / "library"), "freeBytes": 0}}))
        self.process = subprocess.Popen(
            [programs / "capture-node", "--config", folder / "configuration"], stdout=subprocess.PIPE, text=True)
        assert "listening on" in self.process.stdout.readline()
        folder.chmod(0o755)
        os.chown(folder / "socket", 0, GROUP)
        (folder / "socket").chmod(0o660)

    def run(self, who, *words):
        identity = USERS.get(who)
        become = ["setpriv", f"--reuid={identity[0]}", f"--regid={identity[1]}", "--clear-groups"] if identity else []
        proof = ["--credential-file", self.folder / f"{who}.credential"] if who in CLIENTS else []
        return subprocess.run(
            [*become, self.programs / "capturectl", "--node", self.address, *proof, *map(str, words)], env={"HOME": "/nonexistent", "PATH": os.environ["PATH"]},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=60)

    def good(self, who, *words):
        done = self.run(who, *words)
        assert done.returncode == 0, (who, words, done.stderr)
        return done.stdout

    def bad(self, who, *words):
        done = self.run(who, *words)
        assert done.returncode != 0, (who, words, done.stdout)
        return done.stderr

    def json(self, who, *words):
        return json.loads(self.good(who, "--json", *words))

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def the_sockets_group_views_and_controls(node):
    assert "synthetic" in node.good("member", "devices")
    node.good("member", "stream", "0", "-n", "1", "-o", "-")
    node.good("member", "set", "0", "gain=2")
    for words in ("access", "list"), ("access", "pending"), ("access", "revoke", "anna"):
        said = node.bad("member", *words)
        assert "needs admin" in said and "use sudo" in said, (words, said)
    assert "no permission" in node.bad("outsider", "devices")


def a_lease_is_ended_by_force_by_its_owner_and_by_an_admin(node):
    others = {
        "root": ("member", "anna"), "member": ("colleague", "anna"), "anna": ("bert", "member"),
    }
    for holder, strangers in others.items():
        node.good(holder, "lock", "0", "--for", 60)
        for stranger in strangers:
            said = node.bad(stranger, "unlock", "0", "--force")
            assert "PERMISSION_DENIED" in said and "needs admin" in said, (holder, stranger, said)
        assert len(node.json("root", "leases")["leases"]) == 1, holder
        # Another connection of the same user or client may.
        node.good(holder, "unlock", "0", "--force")
        node.good(holder, "lock", "0", "--for", 60)
        node.good("root", "unlock", "0", "--force")


def a_token_is_for_whom_it_was_given_to(node):
    """Also among the users of the machine, whom the socket tells apart: root's token in another's hands is none."""
    others = {"root": ("member", "anna"), "member": ("colleague", "root", "anna"), "anna": ("bert", "member", "root")}
    for holder, strangers in others.items():
        token = node.good(holder, "lock", "0", "--for", 60).split()[0]
        for stranger in strangers:
            for words in ("set", "0", "gain=2", "--lease", token), ("unlock", "--lease", token), ("lock", "0", "--lease", token):
                assert "no such lease" in node.bad(stranger, *words), (holder, stranger, words)
        # Another connection of the same user or client may.
        node.good(holder, "set", "0", "gain=2", "--lease", token)
        node.good(holder, "unlock", "--lease", token)


def stored(node, who):
    return node.json(who, "photo", "0", "--store")["asset"]


def only_an_admin_deletes_what_others_have_stored(node):
    assets = {who: stored(node, who) for who in ("root", "member", "anna")}
    for owner, asset in assets.items():
        for stranger in {"member", "colleague", "anna", "bert"} - {owner}:
            assert asset in node.good(stranger, "library", "list"), "it sees it"
            for words in ("library", "rm", asset), ("library", "label", asset, "--add", "x"):
                said = node.bad(stranger, *words)
                assert "PERMISSION_DENIED" in said and "was added by another client" in said and "has no asset" not in said, said
    # Nothing is half done: its own goes no more than the other one.
    said = node.bad("anna", "library", "rm", assets["anna"], assets["member"])
    assert "PERMISSION_DENIED" in said and assets["anna"] in node.good("anna", "library", "list"), said
    assert "the library has no asset" in node.bad("anna", "library", "rm", "20200101-010101-001-00000000")
    node.good("anna", "library", "rm", assets["anna"])
    node.good("member", "library", "rm", assets["member"])
    node.good("root", "library", "rm", assets["root"])
    asset = stored(node, "bert")
    node.good("root", "library", "rm", asset)


def a_timelapse_is_stopped_by_its_owner_and_by_an_admin(node):
    for owner, strangers in (("anna", ("bert", "member")), ("member", ("colleague", "anna")), ("root", ("member", "anna"))):
        job = re.search(r"timelapse-[0-9a-f]{8}", node.good(owner, "timelapse", "start", "0", "--interval", "600"))[0]
        for stranger in strangers:
            for more in [], ["--remove"]:
                said = node.bad(stranger, "timelapse", "stop", job, *more)
                assert "PERMISSION_DENIED" in said and "another client's" in said, said
        assert [one["state"] for one in node.json("root", "timelapse", "list")["jobs"] if one["id"] == job] == ["running"]
        node.good(owner, "timelapse", "stop", job)
        node.good("root", "timelapse", "stop", "--remove", job)


def a_client_is_told_from_another_of_its_name(node):
    """Whoever decides sees a fingerprint, whole, and the client shows the same."""
    for name in CLIENTS:
        own = node.json(name, "access", "status")["fingerprint"]
        assert re.fullmatch("[0-9a-f]{64}", own), own
        (listed,) = [client for client in node.json("root", "access", "list")["clients"] if client["name"] == name]
        assert listed["fingerprint"] == own, listed
        assert own in node.good("root", "access", "list") and own in node.good(name, "access", "status")
    assert node.json("root", "access", "status")["fingerprint"] is None


TESTS = [
    the_sockets_group_views_and_controls, a_lease_is_ended_by_force_by_its_owner_and_by_an_admin, a_token_is_for_whom_it_was_given_to,
    only_an_admin_deletes_what_others_have_stored, a_timelapse_is_stopped_by_its_owner_and_by_an_admin, a_client_is_told_from_another_of_its_name,
]


def main():
    with tempfile.TemporaryDirectory(prefix="capture-owners-") as folder, contextlib.closing(
            Node(Path(sys.argv[1]).resolve(), Path(folder))) as node:
        failures = sum(not passes(test, node) for test in TESTS)
    sys.exit(1 if failures else 0)


main()
