"""Clients ask for cameras and for the role control, and an operator decides.

usage: test_access_requests.py DIRECTORY-OF-PROGRAMS

Prints "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import contextlib
import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from cases import passes
from capture_client import Connection, NodeError, pb

OWN, OTHER, NEVER = "synthetic-physics-0", "synthetic-physics-1", "synthetic-physics-7"
NOT_DETERMINED, RESTRICTED, DENIED, AUTHORIZED = (
    pb.AUTHORIZATION_STATUS_NOT_DETERMINED, pb.AUTHORIZATION_STATUS_RESTRICTED, pb.AUTHORIZATION_STATUS_DENIED, pb.AUTHORIZATION_STATUS_AUTHORIZED)
MOST = 32  # requests of a node
INVALID_ARGUMENT, DEADLINE_EXCEEDED, NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED, FAILED_PRECONDITION, UNAVAILABLE, UNAUTHENTICATED = 3, 4, 5, 7, 8, 9, 14, 16


class Scene:
    """A node with two cameras. Its clients were paired, have the role view, and see the first one; "controller" is of access.d."""

    def __init__(self, programs, folder):
        self.programs, self.folder, self.address = programs, folder, f"unix:{folder}/socket"
        (folder / "configuration/access.d").mkdir(parents=True)
        (folder / "configuration/node.json5").write_text(json.dumps({
            "listen": [self.address], "state": str(folder / "state.json"), "logLevel": "error",
            "cameras": ["synthetic:physics:320x240@30,manual"] * 2}))
        self.process = None
        self.begin()

    def begin(self):
        """A node that knows nothing of the test before."""
        if self.process:
            self.stop()
        clients = []
        for name in "anna", *(f"client-{number}" for number in range(MOST)):
            secret = hashlib.sha256(name.encode()).digest()
            self.credential(name, secret)
            clients.append({
                "name": name, "secretSHA256": hashlib.sha256(secret).hexdigest(), "role": "view", "created": 1, "cameras": [OWN]})
        self.write("access.json", {"clients": clients})
        secret = hashlib.sha256(b"controller").digest()
        self.credential("controller", secret)
        self.write("configuration/access.d/a.json5", {"clients": {
            "controller": {"secretSHA256": hashlib.sha256(secret).hexdigest(), "role": "view", "cameras": [OWN]}}})
        self.start()

    def grant(self, grants):
        """Gives these grants to each paired client, in place of its role, and starts the node again."""
        clients = json.loads((self.folder / "access.json").read_text())["clients"]
        for client in clients:
            del client["role"], client["cameras"]
            client["grants"] = grants
        self.stop()
        self.write("access.json", {"version": 2, "clients": clients})
        self.start()

    def write(self, name, content):
        (self.folder / name).write_text(json.dumps(content))
        (self.folder / name).chmod(0o600)

    def credential(self, name, secret):
        file = self.folder / f"{name}.credential"
        file.write_text(secret.hex())
        file.chmod(0o600)

    def start(self):
        self.process = subprocess.Popen(
            [self.programs / "capture-node", "--config", self.folder / "configuration"], stdout=subprocess.PIPE, text=True)
        assert "listening on" in self.process.stdout.readline()

    def stop(self):
        self.process.terminate()
        assert self.process.wait(10) == 0
        self.process.stdout.close()

    def connect(self, client=None):
        """As a client; without a name as the node's own user."""
        secret = bytes.fromhex((self.folder / f"{client}.credential").read_text()) if client else b""
        return Connection(self.address, timeout=20, credential=secret)


    def begun(self, client, *words):
        """A command of a client, or of the node's own user, that goes on."""
        proof = ["--credential-file", self.folder / f"{client}.credential"] if client else []
        return subprocess.Popen(
            [self.programs / "capturectl", "--node", self.address, *proof, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)

    def run(self, client, *words, status=0):
        """What a command prints: where it fails, its error."""
        process = self.begun(client, *words)
        out, error = process.communicate(timeout=30)
        assert process.returncode == status, (words, process.returncode, out, error)
        return error if status else out


def call(node, name, request, answer):
    return node.unary(f"capture.v1.{name}", request, answer)


def status(node, device="", role=pb.ROLE_UNSPECIFIED, medium=pb.MEDIUM_UNSPECIFIED):
    return call(node, "Access/Status", pb.AccessStatusRequest(device=device, role=role, medium=medium), pb.AccessStatusResponse)


def ask(node, *cameras, role=pb.ROLE_UNSPECIFIED, withdraw=False, media=()):
    return call(node, "Access/Request", pb.AccessRequest(cameras=cameras, role=role, withdraw=withdraw, media=media), pb.AccessStatusResponse)


def watch(node, device):
    return node.server_stream("capture.v1.Access/Watch", pb.AccessStatusRequest(device=device), pb.AccessStatusResponse)


@contextlib.contextmanager
def watching(scene, device):
    """What anna is told, over a connection of its own."""
    with scene.connect("anna") as node, contextlib.closing(watch(node, device)) as changes:
        yield changes


def ending(node):
    """How the connection's call ends, without a word to the node, which may be gone."""
    while True:
        envelope, _ = node.receive()
        if envelope.WhichOneof("kind") == "status":
            return envelope.status


def pending(node):
    return list(call(node, "Access/Pending", pb.PendingAccessRequest(), pb.PendingAccessResponse).requests)


def decide(node, client, approve, number=0):
    request = pb.DecideAccessRequest(client=client, approve=approve, number=number)
    return call(node, "Access/Decide", request, pb.DecideAccessResponse)


def refusal(body, *arguments, **more):
    try:
        found = body(*arguments, **more)
    except NodeError as error:
        return error
    raise AssertionError(f"it was taken: {found}")


def who_may_ask_is_told_so(scene):
    with scene.connect("anna") as anna, scene.connect("controller") as controller, scene.connect() as admin:
        for device, role, expected in [
            ("", 0, AUTHORIZED), (OWN, 0, AUTHORIZED), ("0", pb.ROLE_VIEW, AUTHORIZED), ("", pb.ROLE_CONTROL, NOT_DETERMINED),
            (OWN, pb.ROLE_CONTROL, NOT_DETERMINED), (OTHER, 0, NOT_DETERMINED), ("*", 0, NOT_DETERMINED), ("", pb.ROLE_ADMIN, RESTRICTED),
        ]:
            assert status(anna, device, role).authorization == expected, (device, role, status(anna, device, role))
            if expected != AUTHORIZED:
                assert status(controller, device, role).authorization == RESTRICTED, (device, role)
            assert status(admin, device, role).authorization == AUTHORIZED, (device, role)
        assert "access request" in status(anna, OTHER).reason and "access.d" in status(controller, OTHER).reason
        assert not status(anna).HasField("wanted") and not status(anna).denied_s
        error = refusal(ask, controller, OTHER)
        assert error.code == PERMISSION_DENIED and "cannot ask" in error.text, error
        assert refusal(ask, admin, OTHER).code == PERMISSION_DENIED


def what_is_approved_holds_for_the_next_call(scene):
    with scene.connect("anna") as anna, scene.connect() as admin:
        asked = ask(anna, OTHER, role=pb.ROLE_CONTROL)
        assert asked.authorization == NOT_DETERMINED and list(asked.wanted.cameras) == [OTHER] and asked.wanted.role == pb.ROLE_CONTROL, asked
        assert 86_000 < asked.wanted.seconds <= 86_400 and asked.wanted.asked_s, asked
        (request,) = pending(admin)
        assert (request.client, request.role, list(request.cameras), list(request.devices)) == ("anna", pb.ROLE_VIEW, [OWN], [OTHER]), request
        assert request.peer == "unix" and request.wanted.role == pb.ROLE_CONTROL, request
        assert [device.id for device in anna.devices()] == [OWN]
        decided = decide(admin, "anna", True, request.number)
        assert (decided.role, list(decided.cameras)) == (pb.ROLE_CONTROL, [OWN, OTHER]), decided
        assert [device.id for device in anna.devices()] == [OWN, OTHER]
        assert [(grant.role, list(grant.cameras)) for grant in decided.grants] == [(pb.ROLE_VIEW, [OWN]), (pb.ROLE_CONTROL, [OTHER])], decided
        anna.change(OTHER, zoom=pb.ZoomChange(factor=2))
        assert next(anna.frames(OTHER)).data
        error = refusal(anna.change, OWN, zoom=pb.ZoomChange(factor=2))
        assert error.code == PERMISSION_DENIED, "of what it had it controls no more than before"
        assert not pending(admin) and status(anna, OTHER, pb.ROLE_CONTROL).authorization == AUTHORIZED
        # What it has it need not ask for.
        had = ask(anna, OTHER, role=pb.ROLE_VIEW)
        assert had.authorization == AUTHORIZED and not had.HasField("wanted") and not pending(admin), had
    scene.stop()
    scene.start()
    with scene.connect("anna") as anna:
        assert [device.id for device in anna.devices()] == [OWN, OTHER], "it is written down"


def a_medium_is_asked_for_and_no_more_is_given(scene):
    """A client that sees a camera asks for what is kept of it, and for the control of its live pictures alone."""
    scene.grant([{"role": "view", "cameras": [OWN], "media": ["video"]}])
    with scene.connect("anna") as anna, scene.connect() as admin:
        assert status(anna, OWN, medium=pb.MEDIUM_LIBRARY).authorization == NOT_DETERMINED
        error = refusal(call, anna, "Library/List", pb.ListAssetsRequest(), pb.AssetPage)
        assert error.code == PERMISSION_DENIED and "library" in error.text, error
        asked = ask(anna, media=[pb.MEDIUM_LIBRARY])
        assert list(asked.wanted.media) == [pb.MEDIUM_LIBRARY] and asked.authorization == NOT_DETERMINED, asked
        (request,) = pending(admin)
        assert [list(grant.media) for grant in request.approved] == [[pb.MEDIUM_VIDEO, pb.MEDIUM_LIBRARY]], request
        decide(admin, "anna", True)
        assert status(anna, OWN, medium=pb.MEDIUM_LIBRARY).authorization == AUTHORIZED
        ask(anna, role=pb.ROLE_CONTROL, media=[pb.MEDIUM_VIDEO])
        decided = decide(admin, "anna", True)
        assert [(grant.role, list(grant.media)) for grant in decided.grants] == [
            (pb.ROLE_VIEW, [pb.MEDIUM_VIDEO, pb.MEDIUM_LIBRARY]), (pb.ROLE_CONTROL, [pb.MEDIUM_VIDEO])], decided
        assert status(anna, OWN, pb.ROLE_CONTROL).authorization == AUTHORIZED
        assert status(anna, OWN, pb.ROLE_CONTROL, pb.MEDIUM_LIBRARY).authorization == NOT_DETERMINED
        assert status(anna).grants == decided.grants
    scene.stop()
    scene.start()
    with scene.connect("anna") as anna:
        assert status(anna).grants == decided.grants, "it is written down"


def a_watch_tells_what_becomes_of_it(scene):
    with scene.connect("anna") as anna, scene.connect() as admin, watching(scene, OTHER) as changes:
        assert next(changes).authorization == NOT_DETERMINED
        ask(anna, OTHER)
        assert list(next(changes).wanted.cameras) == [OTHER]
        decide(admin, "anna", True)
        change = next(changes)
        assert change.authorization == AUTHORIZED and not change.HasField("wanted") and list(change.cameras) == [OWN, OTHER], change


def a_denial_is_told_and_lasts(scene):
    with scene.connect("anna") as anna, scene.connect() as admin, watching(scene, OTHER) as changes:
        assert next(changes).authorization == NOT_DETERMINED
        ask(anna, OTHER)
        next(changes)
        assert decide(admin, "anna", False).role == pb.ROLE_VIEW
        change = next(changes)
        assert change.authorization == DENIED and change.denied_s and 3_500 < change.ask_again_seconds <= 3_601, change
        error = refusal(ask, anna, OTHER)
        assert error.code == PERMISSION_DENIED and "ask again in 60 min" in error.text, error
        assert status(anna).authorization == AUTHORIZED, "it has lost nothing"
        error = refusal(decide, admin, "anna", True)
        assert error.code == FAILED_PRECONDITION and "no request" in error.text, error


def a_request_is_taken_back(scene):
    with scene.connect("anna") as anna, scene.connect() as admin:
        ask(anna, OTHER)
        assert not ask(anna, withdraw=True).HasField("wanted") and not pending(admin)
        assert ask(anna, withdraw=True).authorization == AUTHORIZED, "there is nothing to take back, and that is well"


def what_nobody_has_seen_is_not_approved(scene):
    """Between an operator's look and his answer the client has asked for something else."""
    with scene.connect("anna") as anna, scene.connect() as admin:
        ask(anna, OTHER)
        (seen,) = pending(admin)
        ask(anna, OTHER)
        assert pending(admin)[0].number == seen.number, "the same again is the same"
        ask(anna, "*", role=pb.ROLE_CONTROL)
        (other,) = pending(admin)
        error = refusal(decide, admin, "anna", True, seen.number)
        assert error.code == FAILED_PRECONDITION and error.details.field == "number" and str(other.number) in error.text, error
        assert status(anna).role == pb.ROLE_VIEW
        assert list(decide(admin, "anna", True, other.number).cameras) == ["*"]


def an_operator_is_told_whom_he_cannot_approve(scene):
    with scene.connect("anna") as anna, scene.connect("client-0") as other, scene.connect() as admin:
        error = refusal(decide, admin, "nobody", True)
        assert error.code == NOT_FOUND and error.details.field == "client" and "'nobody'" in error.text, error
        ask(anna, OTHER)
        ask(other, OTHER)
        call(admin, "Access/Revoke", pb.RevokeRequest(client="anna"), pb.RevokeResponse)
        assert [request.client for request in pending(admin)] == ["client-0"], "it ends with its client"
        error = refusal(decide, admin, "anna", True)
        assert error.code == NOT_FOUND and list(error.details.possible) == ["client-0"], error
        assert refusal(decide, other, "client-0", True).code == PERMISSION_DENIED


def bad_input_is_refused_by_its_field(scene):
    with scene.connect("anna") as anna, scene.connect() as admin:
        ask(anna, OTHER)
        for request, field, word in [
            (pb.AccessRequest(), "cameras", "nothing is asked for"), (pb.AccessRequest(role=9), "role", "no role 9"),
            (pb.AccessRequest(role=pb.ROLE_ADMIN), "role", "capture-node pair --role admin"),
            (pb.AccessRequest(cameras=["a b"]), "cameras", "'a b'"),
            (pb.AccessRequest(cameras=[OTHER], withdraw=True), "withdraw", "either"),
        ]:
            error = refusal(call, anna, "Access/Request", request, pb.AccessStatusResponse)
            assert error.code == INVALID_ARGUMENT and error.details.field == field and word in error.text, (request, error, error.details)
        for count in 33, 32:  # of which it has one already
            error = refusal(ask, anna, *[f"c{n}" for n in range(count)])
            assert error.code == RESOURCE_EXHAUSTED and "would have 33 patterns" in error.text, error
            assert (error.details.field, error.details.limit, error.details.bound) == ("cameras", "patternsPerClient", 32), error.details
        for request, field in (dict(device="a b"), "device"), (dict(role=9), "role"), (dict(medium=9), "medium"):
            assert refusal(status, anna, **request).details.field == field
        (left,) = pending(admin)
        assert list(left.wanted.cameras) == [OTHER], "nothing of it has changed anything"
        error = refusal(anna.change, OWN, zoom=pb.ZoomChange(factor=2))
        assert error.code == PERMISSION_DENIED and "capturectl access request --role control" in error.text, error
        with scene.connect("controller") as controller:
            assert "access request" not in refusal(controller.change, OWN, zoom=pb.ZoomChange(factor=2)).text


def so_many_ask_and_no_more(scene):
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(scene.connect(f"client-{number}")) for number in range(MOST)]
        anna, admin = stack.enter_context(scene.connect("anna")), stack.enter_context(scene.connect())
        for client in clients:
            ask(client, OTHER)
        error = refusal(ask, anna, OTHER)
        assert error.code == RESOURCE_EXHAUSTED and error.details.limit == "accessRequests" and error.details.bound == MOST, error
        ask(clients[0], "*")
        decide(admin, "client-1", False)
        ask(anna, OTHER)
        assert [request.client for request in pending(admin)][-2:] == ["client-0", "anna"]


def a_restart_forgets_requests(scene):
    with scene.connect("anna") as anna:
        ask(anna, OTHER)
        changes = watch(anna, OTHER)
        assert next(changes).HasField("wanted")
        scene.stop()
        assert ending(anna).code == UNAVAILABLE
        with contextlib.suppress(OSError):
            changes.close()
    scene.start()
    with scene.connect("anna") as anna, scene.connect() as admin:
        assert not pending(admin) and not status(anna, OTHER).HasField("wanted")
        assert refusal(decide, admin, "anna", True).code == FAILED_PRECONDITION
        ask(anna, OTHER)
        assert list(decide(admin, "anna", True).cameras) == [OWN, OTHER]


def announced(frames):
    """The message that says why there are no frames."""
    message = next(frames)
    assert not message.data and message.discontinuity == pb.DISCONTINUITY_INTERRUPTED and message.awaits_access, message
    return message.reason


@contextlib.contextmanager
def waiting(scene, device=OTHER, client="anna"):
    """A subscription to a camera that was asked for, over a connection of its own."""
    with scene.connect(client) as viewer, contextlib.closing(viewer.frames(device)) as frames:
        assert f"has asked for access to '{device}'" in announced(frames)
        yield frames


def a_subscription_waits_for_its_approval(scene):
    with scene.connect("anna") as anna, scene.connect() as admin:
        assert refusal(next, anna.frames(OTHER)).code == NOT_FOUND, "it was not asked for"
        ask(anna, "*-1")
        assert refusal(next, anna.frames("synthetic-elsewhere")).code == NOT_FOUND, "nor this one"
        with waiting(scene) as frames:
            assert not call(admin, "Node/Status", pb.StatusRequest(), pb.StatusResponse).viewers, "it looks at nothing yet"
            assert next(anna.frames(OWN)).data, "what it sees it sees"
            decide(admin, "anna", True)
            first = next(frames)
            assert first.data and first.discontinuity == pb.DISCONTINUITY_RESUMED and "approved" in first.reason, first.reason
            second = next(frames)
            assert second.data and second.discontinuity == pb.DISCONTINUITY_NONE, second.reason
            (viewer,) = call(admin, "Node/Status", pb.StatusRequest(), pb.StatusResponse).viewers
            assert (viewer.client, viewer.device) == ("anna", OTHER), viewer


def a_subscription_ends_with_its_denial(scene):
    with scene.connect("anna") as anna, scene.connect() as admin:
        ask(anna, OTHER)
        with waiting(scene) as frames:
            decide(admin, "anna", False)
            error = refusal(next, frames)
            assert error.code == PERMISSION_DENIED and "denied" in error.text and error.details.field == "device", error
        assert refusal(next, anna.frames(OTHER)).code == NOT_FOUND, "and from then on it is as it was"


def a_subscription_ends_with_its_request(scene):
    """Taken back, replaced, or gone with the client or the node."""
    with scene.connect("anna") as anna, scene.connect("client-0") as other, scene.connect() as admin:
        for end in (lambda: ask(anna, withdraw=True)), (lambda: ask(anna, "usb-*")):
            ask(anna, OTHER)
            with waiting(scene) as frames:
                end()
                assert refusal(next, frames).code == NOT_FOUND
        ask(other, OTHER)
        ask(anna, OTHER)
        with scene.connect("client-0") as revoked, scene.connect("anna") as viewer:
            streams = [revoked.frames(OTHER), viewer.frames(OTHER)]
            for frames in streams:
                announced(frames)
            call(admin, "Access/Revoke", pb.RevokeRequest(client="client-0"), pb.RevokeResponse)
            error = refusal(ending, revoked)
            assert error.code == UNAUTHENTICATED and "revoked" in error.text, error
            scene.stop()
            assert ending(viewer).code == UNAVAILABLE
            for frames in streams:
                with contextlib.suppress(OSError):
                    frames.close()
    scene.start()


def a_subscription_waits_for_its_medium(scene):
    """The client reads the pictures that are kept of a camera, and sees none live."""
    scene.grant([{"role": "view", "cameras": [OWN], "media": ["library"]}])
    video = pb.MEDIUM_VIDEO
    with scene.connect("anna") as anna, scene.connect("client-0") as other, scene.connect() as admin:
        assert status(anna, OWN).authorization == NOT_DETERMINED
        error = refusal(next, anna.frames(OWN))
        assert error.code == PERMISSION_DENIED and "access request --medium video" in error.text, "it has not asked"
        ask(anna, media=[video])
        assert refusal(next, anna.frames(OTHER)).code == PERMISSION_DENIED, "nor for this one"
        assert refusal(anna.devices).code == PERMISSION_DENIED, "the call waits, and no other does"
        with waiting(scene, OWN) as frames:
            assert not call(admin, "Node/Status", pb.StatusRequest(), pb.StatusResponse).viewers, "it looks at nothing yet"
            ask(anna, withdraw=True)
            error = refusal(next, frames)
            assert error.code == PERMISSION_DENIED and "access request --medium video" in error.text, error
        ask(anna, media=[video])
        with waiting(scene, OWN) as frames:
            decide(admin, "anna", True)
            first = next(frames)
            assert first.data and first.discontinuity == pb.DISCONTINUITY_RESUMED and "approved" in first.reason, first.reason
            assert next(frames).data
            (viewer,) = call(admin, "Node/Status", pb.StatusRequest(), pb.StatusResponse).viewers
            assert (viewer.client, viewer.device) == ("anna", OWN), viewer
        ask(other, media=[video])
        with waiting(scene, OWN, "client-0") as frames:
            decide(admin, "client-0", False)
            error = refusal(next, frames)
            assert error.code == PERMISSION_DENIED and "denied" in error.text and error.details.field == "device", error
        # One that is asked for by its identity, and not there.
        with scene.connect("client-1") as third:
            ask(third, NEVER, media=[video])
            with waiting(scene, NEVER, "client-1") as frames:
                decide(admin, "client-1", True)
                assert refusal(next, frames).code == NOT_FOUND
    scene.run("client-2", "access", "request", "--medium", "video")
    stream = scene.begun("client-2", "stream", OWN, "-n", "1", "-o", scene.folder / "medium.jpg")
    assert "has asked for access" in stream.stderr.readline()
    scene.run(None, "access", "approve", "client-2")
    assert stream.wait(20) == 0 and (scene.folder / "medium.jpg").stat().st_size > 1000, stream.stderr.read()


def a_subscription_tells_not_whether_there_is_such_a_camera(scene):
    def told(device):
        with scene.connect("anna") as anna, scene.connect("anna") as viewer, contextlib.closing(viewer.frames(device)) as frames:
            ask(anna, device)
            said = [str(next(frames))]
            ask(anna, withdraw=True)
            said += [str(refusal(next, frames)), str(refusal(next, anna.frames(device)))]
        return [text.replace(device, "CAMERA") for text in said]

    assert told(OTHER) == told(NEVER)
    with scene.connect("anna") as anna, scene.connect() as admin:
        ask(anna, NEVER)
        with waiting(scene, NEVER) as frames:
            decide(admin, "anna", True)
            assert refusal(next, frames).code == NOT_FOUND, "whoever may see it learns that it is not there"


def like(answer, device):
    """An answer's bytes, without the camera's name and what passes meanwhile."""
    answer.wanted.asked_s = answer.wanted.seconds = 0
    return str(answer).replace(device, "CAMERA")


def a_camera_that_is_there_is_as_one_that_never_was(scene):
    def told(device):
        with scene.connect("anna") as anna, watching(scene, device) as changes:
            said = [like(status(anna, device), device), like(next(changes), device)]
            said += [like(ask(anna, device), device), like(next(changes), device), like(status(anna, device, pb.ROLE_CONTROL), device)]
            said.append([device.id for device in anna.devices()])
            said += [like(ask(anna, withdraw=True), device), like(next(changes), device)]
        return said

    assert told(OTHER) == told(NEVER)


def a_person_asks_and_another_decides(scene):
    run = scene.run
    said = run("anna", "access", "status")
    assert "authorized" in said and "anna" in said and OWN in said, said
    said = run("anna", "access", "status", OTHER, "--role", "control")
    assert "not determined" in said and "capturectl access request" in said, said
    assert "cannot ask" in run("controller", "access", "request", "--role", "control", status=1)
    assert "name what to ask for" in run("anna", "access", "request", status=2)
    assert "either made" in run("anna", "access", "request", "--withdraw", "--role", "control", status=2)
    assert "takes view or control" in run("anna", "access", "request", "--role", "admin", status=2)
    assert "pattern" in run("anna", "access", "request", "--cameras", "a b", status=2)
    assert "takes video or library" in run("anna", "access", "request", "--medium", "audio", status=2)
    assert "has that access already" in run("anna", "access", "request", "--cameras", OWN)
    assert "Nobody asks" in run(None, "access", "pending")
    said = run("anna", "access", "request", "--role", "control", "--cameras", "*-1")
    assert "capturectl access approve anna" in said, said
    assert "Asked for" in run("anna", "access", "status")
    shown = run(None, "access", "pending")
    for word in "anna", "the role control; the cameras *-1", OTHER, "Unix socket", OWN, "control of the camera *-1":
        assert word in shown, (word, shown)
    number = shown.split("Number")[1].split()[-1]
    # By this the operator knows the client that has paired from another one with a similar name; it is the same at both ends.
    fingerprint = hashlib.sha256(bytes.fromhex((scene.folder / "anna.credential").read_text())).hexdigest()
    assert shown.split("Fingerprint")[1].split()[0] == fingerprint and fingerprint in run("anna", "access", "status"), shown
    (told,) = json.loads(run(None, "--json", "access", "pending"))["requests"]
    assert (told["client"], told["fingerprint"]) == ("anna", fingerprint), told
    run("client-0", "access", "request", "--role", "control")
    listed = {request["client"]: request["fingerprint"] for request in json.loads(run(None, "--json", "access", "pending"))["requests"]}
    assert listed["anna"] == fingerprint != listed["client-0"], listed
    run("client-0", "access", "request", "--withdraw")
    assert "no client 'bert'" in run(None, "access", "approve", "bert", status=1)
    assert "something else" in run(None, "access", "approve", "anna", "--number", str(int(number) + 1), status=1)
    assert "needs admin" in run("anna", "access", "approve", "anna", status=1)
    said = run(None, "access", "approve", "anna", "--number", number)
    assert f"'anna' has now: view of the camera {OWN}; control of the camera *-1." in said, said
    assert "has no request" in run(None, "access", "deny", "anna", status=1)
    assert OTHER in run("anna", "devices")
    said = run("client-0", "set", OWN, "gain=1", status=1)
    assert "PERMISSION_DENIED" in said and "capturectl access request --role control" in said, said
    run("client-0", "access", "request", "--role", "control")
    assert "asks for nothing" in run("client-0", "access", "request", "--withdraw")
    assert "Nobody asks" in run(None, "access", "pending")


def who_waits_hears_of_the_decision(scene):
    for client, decision, status, word in ("anna", "approve", 0, "Approved."), ("client-0", "deny", 1, "ask again in"):
        asking = scene.begun(client, "access", "request", "--role", "control", "--wait")
        assert f"access approve {client}" in asking.stderr.readline()
        scene.run(None, "access", decision, client)
        out, error = asking.communicate(timeout=20)
        assert asking.returncode == status and word in out + error, (out, error)
    asking = scene.begun("client-1", "access", "request", "--role", "control", "--wait")
    asking.stderr.readline()
    scene.run("client-1", "access", "request", "--withdraw")
    assert "ask again" in asking.communicate(timeout=20)[1] and asking.returncode == 1


def who_waits_is_not_approved_by_other_grants(scene):
    """A client controls one of two cameras, and asks for the control of both: that one does not make a denial an approval."""
    scene.grant([
        {"role": "control", "cameras": [OWN], "media": ["video"]}, {"role": "view", "cameras": [OTHER], "media": ["video"]}])
    for client, decision, word in ("anna", ("deny", "anna"), "may ask again in"), ("client-0", None, "without a decision"):
        asking = scene.begun(client, "access", "request", "--role", "control", "--medium", "video", "--wait")
        assert f"access approve {client}" in asking.stderr.readline()
        scene.run(None, "access", *decision) if decision else scene.run(client, "access", "request", "--withdraw")
        out, error = asking.communicate(timeout=20)
        assert asking.returncode == 1 and word in error, (out, error)


def a_stream_of_the_command_line_waits_too(scene):
    """Longer than it waits for frames."""
    scene.run("anna", "access", "request", "--cameras", OTHER)
    stream = scene.begun("anna", "--timeout", "1", "stream", OTHER, "-n", "1", "-o", scene.folder / "frame.jpg")
    assert "has asked for access" in stream.stderr.readline()
    try:
        stream.wait(2)
    except subprocess.TimeoutExpired:
        scene.run(None, "access", "approve", "anna")
    assert stream.wait(20) == 0 and (scene.folder / "frame.jpg").stat().st_size > 1000, stream.stderr.read()


TESTS = [
    who_may_ask_is_told_so, what_is_approved_holds_for_the_next_call, a_medium_is_asked_for_and_no_more_is_given, a_watch_tells_what_becomes_of_it, a_denial_is_told_and_lasts,
    a_request_is_taken_back, what_nobody_has_seen_is_not_approved, an_operator_is_told_whom_he_cannot_approve, bad_input_is_refused_by_its_field,
    so_many_ask_and_no_more, a_restart_forgets_requests, a_camera_that_is_there_is_as_one_that_never_was,
    a_subscription_waits_for_its_approval, a_subscription_ends_with_its_denial, a_subscription_ends_with_its_request,
    a_subscription_waits_for_its_medium, a_subscription_tells_not_whether_there_is_such_a_camera, a_person_asks_and_another_decides, who_waits_hears_of_the_decision, who_waits_is_not_approved_by_other_grants,
    a_stream_of_the_command_line_waits_too,
]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    failures = 0
    with tempfile.TemporaryDirectory(prefix="capture-access-") as folder:
        scene = Scene(Path(sys.argv[1]).resolve(), Path(folder))
        try:
            for test in TESTS:
                failures += not passes(test, scene, before=scene.begin)
        finally:
            scene.process.kill()
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
