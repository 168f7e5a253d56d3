"""Two clients with a camera each at one node: neither learns that the other's is there.

usage: test_visibility.py DIRECTORY-OF-PROGRAMS

Walks every method of proto/. What belongs to the other client is answered as what never was, and nothing that a client gets names it. Prints "ok NAME" or
"not ok NAME"; the status is 0 when all are ok.
"""

import contextlib
import hashlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from pathlib import Path
from types import SimpleNamespace

from cases import passes
from capture_client import Connection, NodeError, pb

CAMERAS = {"anna": "synthetic-physics-0", "bert": "synthetic-physics-1"}
TITLES = {"anna": "Physics Camera 0", "bert": "Physics Camera 1"}
JPEG = bytes.fromhex("ffd8ffd9")


class Counted(Connection):
    """A connection that notes its calls, and how they ended for it: a code; `None`: it left the call, or was cut off."""

    def __init__(self, calls, client, address, **options):
        super().__init__(address, **options)
        self.calls, self.by = calls, f"client:{client}" if client else f"user:{os.geteuid()}"

    def server_stream(self, method, *arguments, **options):
        code = None
        try:
            yield from super().server_stream(method, *arguments, **options)
            code = 0
        except NodeError as error:
            # Not what the transport says: of a deadline, and of a connection that is cut off.
            code = None if error.code in (4, 14, 16) else error.code
            raise
        finally:
            self.calls.append((self.by, method.removeprefix("capture.v1."), code))


class Node:
    """A node with two cameras and a library, with two clients of access.d that have one camera each, and with one that was paired."""

    def __init__(self, programs, folder):
        self.calls = []
        self.programs, self.folder, self.address = programs, folder, f"unix:{folder}/socket"
        access = folder / "configuration/access.d"
        access.mkdir(parents=True)
        for name, camera in CAMERAS.items():
            self.run("capturectl", "credential", "new", name, "--cameras", f"*{camera[-2:]}", "--folder", access)
            (access / f"{name}.credential").rename(folder / f"{name}.credential")
        self.run("capturectl", "credential", "new", "fred", "--role", "view", "--folder", access)
        self.run("capturectl", "credential", "new", "emil", "--folder", access)
        # Hugo reads what is kept of both cameras. Ines does too, and controls anna's camera.
        self.run("capturectl", "credential", "new", "hugo", "--grant", "view/library", "--folder", access)
        self.run("capturectl", "credential", "new", "ines", "--grant", "view/library", "--grant", f"control/video:{CAMERAS['anna']}", "--folder", access)
        for name in "fred", "emil", "hugo", "ines":
            (access / f"{name}.credential").rename(folder / f"{name}.credential")
        # Emil controls anna's camera, and sees both and what is kept of them.
        entry = (access / "emil.json5").read_text()
        assert entry.count('role: "control"') == 1, entry
        (access / "emil.json5").write_text(entry.replace(
            'role: "control"', f'grants: [{{ role: "control", cameras: ["{CAMERAS["anna"]}"], media: ["video"] }}, {{ role: "view" }}]'))
        secret = bytes(range(32))
        (folder / "dora.credential").write_text(secret.hex())
        (folder / "access.json").write_text(json.dumps({"clients": [
            {"name": "dora", "secretSHA256": hashlib.sha256(secret).hexdigest(), "role": "control", "created": 1}]}))
        (folder / "access.json").chmod(0o600)
        self.run("capture-node", "library", "init", "--mark-only", folder / "library")
        (folder / "configuration/node.json5").write_text(json.dumps({
            "listen": [self.address], "state": str(folder / "state.json"), "logLevel": "error", "audit": "all",
            "cameras": ["synthetic:physics:320x240@30,manual"] * 2, "library": {"root": str(folder / "library"), "freeBytes": 0}}))
        self.start()

    def run(self, program, *words):
        subprocess.run([self.programs / program, *words], check=True, stdout=subprocess.DEVNULL)

    def start(self):
        command = [self.programs / "capture-node", "--config", self.folder / "configuration"]
        with (self.folder / "node.log").open("a") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert "listening on" in self.process.stdout.readline()

    def stop(self):
        self.process.terminate()
        assert self.process.wait(10) == 0
        self.process.stdout.close()

    def connect(self, client=None):
        """As a client; without a name as the node's own user."""
        secret = bytes.fromhex((self.folder / f"{client}.credential").read_text()) if client else b""
        return Counted(self.calls, client, self.address, timeout=30, credential=secret)


def answers(node, name, request, timeout=0.3, lease=None, begun=lambda: None):
    """All that comes of a call: its answers in bytes, the status, and the details. `begun` is called after each answer."""
    method = METHODS[name]
    answer = getattr(pb, method.output_type.name)
    found = []
    try:
        for message in node.server_stream(f"capture.v1.{name}", request, answer, timeout=timeout, lease=lease):
            message.ClearField("data") if "data" in answer.DESCRIPTOR.fields_by_name else None
            found.append(message.SerializeToString())
            begun()
        return SimpleNamespace(messages=found, code=0, text="", details=b"")
    except NodeError as error:
        return SimpleNamespace(
            messages=found, code=error.code, text=error.text, details=error.details.SerializeToString() if error.details else b"")


def methods():
    files = {value.DESCRIPTOR.file for value in vars(pb).values() if hasattr(value, "DESCRIPTOR") and hasattr(value, "FromString")}
    return {f"{service.name}/{method.name}": method for file in files for service in file.services_by_name.values() for method in service.methods}


METHODS = methods()


def session(device, **more):
    return dict(configuration=pb.SessionConfiguration(
        inputs=[pb.SessionInput(device=device)], outputs=[
            pb.SessionOutput(name="live", kind=pb.OUTPUT_KIND_VIDEO), pb.SessionOutput(name="still", kind=pb.OUTPUT_KIND_PHOTO)],
        connections=[pb.SessionConnection(device=device, output=output) for output in ("live", "still")]), **more)


def camera(request, **fields):
    return lambda n: [getattr(pb, request)(device=n.device, **fields)]


def of(request, **fields):
    """The field to the name of a kind of thing: `of("GetSessionRequest", session="session")`."""
    return lambda n: [getattr(pb, request)(**{field: getattr(n, kind) for field, kind in fields.items()})]


def nothing(request):
    return lambda n: [getattr(pb, request)()]


def assets(n):
    return [pb.AssetIds(ids=[n.asset])]


SEVERAL = dict(burst=2), dict(when=pb.When(now=True)), dict(bracket=[pb.BracketStep(bias=bias) for bias in (0, 1)])
# What asks each method for things of whoever `n` names. A method that is not here fails the walk.
ROWS = {
    "Access/Status": lambda n: [pb.AccessStatusRequest(), pb.AccessStatusRequest(device=n.device)],
    "Access/Pair": lambda n: [pb.PairRequest(code=b"x" * 16, secret_sha256=b"y" * 32, name=n.client)],
    "Access/NewPairing": lambda n: [
        pb.NewPairingRequest(cameras=[n.device]), pb.NewPairingRequest(grants=[pb.Grant(role=pb.ROLE_VIEW, cameras=[n.device])])],
    "Access/Clients": nothing("ListClientsRequest"),
    "Access/Revoke": of("RevokeRequest", client="client"),
    "Access/Listen": nothing("ListenRequest"),
    "Access/Reload": nothing("ReloadRequest"),
    "Access/Rotate": lambda n: [pb.RotateRequest(secret_sha256=b"z" * 32)],
    "Access/NewIdentity": nothing("NewIdentityRequest"),
    "Access/Watch": lambda n: [pb.AccessStatusRequest(), pb.AccessStatusRequest(device=n.device)],
    "Access/Request": lambda n: [pb.AccessRequest(cameras=[n.device])],
    "Access/Pending": nothing("PendingAccessRequest"),
    "Access/Decide": of("DecideAccessRequest", client="client"),
    "Devices/List": nothing("ListDevicesRequest"),
    "Devices/Watch": nothing("WatchDevicesRequest"),
    "Devices/Formats": camera("FormatsRequest"),
    "Devices/Controls": camera("ControlsRequest"),
    "Devices/GetControls": camera("GetControlsRequest", names=["gain"]),
    "Devices/SetControls": camera(
        "SetControlsRequest", assignments=[pb.ControlAssignment(name="gain", literal="1")]),
    "Devices/Inputs": camera("InputsRequest"),
    "Devices/SelectInput": camera("SelectInputRequest", input="0"),
    "Jobs/Start": lambda n: [pb.StartJobRequest(timelapse=pb.TimelapseSettings(device=n.device, interval_ms=60_000, count=1))],
    "Jobs/List": nothing("ListJobsRequest"),
    "Jobs/Control": lambda n: [pb.ControlJobRequest(id=n.job, action=action) for action in (pb.ControlJobRequest.STOP, pb.ControlJobRequest.REMOVE)],
    "Jobs/Watch": lambda n: [pb.WatchJobsRequest(id=n.job), pb.WatchJobsRequest()],
    "Leases/Acquire": camera("AcquireLeaseRequest", duration_ms=1000),
    "Leases/Renew": of("RenewLeaseRequest", token="token"),
    "Leases/Release": lambda n: [
        pb.ReleaseLeaseRequest(token=n.token), pb.ReleaseLeaseRequest(token=n.token, device=n.device),
        pb.ReleaseLeaseRequest(device=n.device, force=True)],
    "Leases/List": nothing("ListLeasesRequest"),
    "Library/Status": nothing("LibraryStatusRequest"),
    "Library/Authorization": nothing("LibraryAuthorizationRequest"),
    "Library/List": lambda n: [pb.ListAssetsRequest(), pb.ListAssetsRequest(filter=pb.AssetFilter(device=n.device))],
    "Library/Get": assets,
    "Library/Thumbnails": assets,
    "Library/Fetch": of("FetchResourceRequest", id="asset"),
    "Library/Add": lambda n: [pb.AddAssetRequest(asset=pb.NewAsset(device=n.device))],
    "Library/Label": lambda n: [pb.LabelAssetsRequest(ids=[n.asset], add=["x"])],
    "Library/Delete": assets,
    "Library/Watch": nothing("WatchAssetsRequest"),
    "Node/Info": nothing("InfoRequest"),
    "Node/Status": nothing("StatusRequest"),
    "Photos/Capture": lambda n: [
        pb.CapturePhotoRequest(device=n.device), pb.CapturePhotoRequest(device=n.device, dry_run=True), pb.CapturePhotoRequest(session=n.session),
        pb.CapturePhotoRequest(device=n.device, settings=pb.PhotoSettings(request_id="same")),
        *(pb.CapturePhotoRequest(settings=pb.PhotoSettings(**several), **whose) for several in SEVERAL for whose in (dict(device=n.device), dict(session=n.session)))],
    "Sessions/List": nothing("ListSessionsRequest"),
    "Sessions/Get": of("GetSessionRequest", session="session"),
    "Sessions/Configure": lambda n: [
        pb.ConfigureSessionRequest(**session(n.device, session="walk", dry_run=dry)) for dry in (True, False)],
    "Sessions/Presets": camera("PresetsRequest"),
    "Sessions/Start": of("StartSessionRequest", session="session"),
    "Sessions/Stop": of("StopSessionRequest", session="session"),
    "Sessions/Close": of("CloseSessionRequest", session="session"),
    "Sessions/Events": of("SessionEventsRequest", session="session"),
    "Settings/Describe": camera("DescribeSettingsRequest"),
    "Settings/Get": camera("GetSettingsRequest"),
    "Settings/Set": camera("SetSettingsRequest", change=pb.SettingsChange(zoom=pb.ZoomChange(factor=2))),
    "Settings/Reset": camera("ResetSettingsRequest"),
    "Settings/AwaitChange": camera("AwaitChangeRequest", change=1),
    "Settings/Watch": camera("WatchSettingsRequest"),
    "Settings/Calibrate": camera("CalibrateRequest", controls=["nothing"]),
    "Settings/ConvertWhiteBalance": camera("ConvertWhiteBalanceRequest", temperature=pb.TemperatureAndTint(temperature=5000)),
    "Settings/SaveProfile": camera("SaveProfileRequest", name="walk"),
    "Settings/LoadProfile": lambda n: [pb.LoadProfileRequest(device=n.device, name=n.profile)],
    "Settings/ListProfiles": camera("ListProfilesRequest"),
    "Settings/DeleteProfile": lambda n: [pb.DeleteProfileRequest(device=n.device, name="walk")],
    "Video/Subscribe": lambda n: [pb.SubscribeRequest(device=n.device), pb.SubscribeRequest(session=n.session)],
    "Video/ConvertPoints": lambda n: [pb.ConvertPointsRequest(
        picture=pb.Size(width=640, height=480), view_width=100, view_height=100, region=pb.Region(width=1, height=1))],
}
# Only a test's node serves these.
NOT_SERVED = {name for name in METHODS if name.startswith("Test/")}


def belongings(client, connection):
    """Makes one of everything that a client can have, and returns its names."""
    n = SimpleNamespace(client=client, device=CAMERAS[client], session=f"{client}-door", profile=f"{client}-profile")
    node, device = connection, CAMERAS[client]

    def call(name, request):
        return node.unary(f"capture.v1.{name}", request, getattr(pb, METHODS[name].output_type.name), timeout=10)

    call("Settings/SaveProfile", pb.SaveProfileRequest(device=device, name=n.profile))
    *_, photo = node.server_stream(
        "capture.v1.Photos/Capture", pb.CapturePhotoRequest(
            device=device, settings=pb.PhotoSettings(store=pb.STORE_MODE_ONLY, request_id="same", settle=pb.SettlingBound(longest_ms=0))),
        pb.PhotoEvent, timeout=20)
    n.asset = photo.asset_id
    call("Library/Label", pb.LabelAssetsRequest(ids=[n.asset], add=[f"{client}-label"]))
    n.job = call("Jobs/Start", pb.StartJobRequest(timelapse=pb.TimelapseSettings(device=device, interval_ms=600_000, labels=[f"{client}-job"]))).id
    call("Sessions/Configure", pb.ConfigureSessionRequest(**session(device, session=n.session, start=True)))
    n.token = call("Leases/Acquire", pb.AcquireLeaseRequest(device=device, duration_ms=600_000, holder=f"{client}-desk")).token
    return n


# Names like those of `belongings`, of what never was.
NEVER = SimpleNamespace(
    client="carl", device="synthetic-physics-7", session="carl-door", profile="carl-profile", asset="20200101-010101-001-00000000",
    job="timelapse-00000000", token="c" * 32)


def like(text, names, others):
    """The text with names in place of others."""
    for kind in vars(names):
        text = text.replace(getattr(others, kind), getattr(names, kind))
    return text


def leaks(result, needles):
    whole = b"\0".join([*result.messages, result.text.encode(), result.details])
    return [needle for needle in needles if needle.encode() in whole]


def needles(client):
    """What nobody else may read."""
    return [CAMERAS[client], TITLES[client], client]


def every_method_has_a_row(scene):
    assert ROWS.keys() | NOT_SERVED == METHODS.keys(), ROWS.keys() ^ METHODS.keys()
    served = set(scene.admin.unary("capture.v1.Node/Info", pb.InfoRequest(), pb.InfoResponse).methods)
    assert served == {f"capture.v1.{name}" for name in ROWS}, served


def each_sees_its_own(scene):
    """Else a walk that finds nothing would say nothing."""
    assert [d.id for d in scene.admin.devices()] == list(CAMERAS.values())
    for me in CAMERAS:
        node, n = scene.nodes[me], scene.names[me]
        (device,) = node.devices()
        assert (device.id, device.index) == (n.device, 0), device
        for word in "0", n.device, TITLES[me]:
            assert node.unary("capture.v1.Settings/Describe", pb.DescribeSettingsRequest(device=word), pb.SettingsDescription).device == n.device
        seen = b"".join(b"".join(answers(node, name, row).messages) for name in (
            "Sessions/List", "Leases/List", "Jobs/List", "Library/List", "Node/Status") for row in ROWS[name](n)[:1])
        for word in n.device, n.session, n.job, n.asset, f"{me}-label", f"{me}-desk":
            assert word.encode() in seen, word
        listed = node.unary("capture.v1.Library/List", pb.ListAssetsRequest(), pb.AssetPage).assets
        assert n.asset in [asset.id for asset in listed] and {asset.device for asset in listed} == {n.device}, listed
        info = node.unary("capture.v1.Node/Info", pb.InfoRequest(), pb.InfoResponse)
        status = node.unary("capture.v1.Node/Status", pb.StatusRequest(), pb.StatusResponse)
        library = node.unary("capture.v1.Library/Status", pb.LibraryStatusRequest(), pb.LibraryStatus)
        assert (info.cameras, len(status.cameras), status.leases, library.assets) == (1, 1, 1, len(listed)), (info, status, library)
        assert list(node.unary("capture.v1.Access/Status", pb.AccessStatusRequest(), pb.AccessStatusResponse).cameras) == [f"*{n.device[-2:]}"]


def who_reads_the_library_sees_no_camera_by_that(scene):
    """Nor who looks, what is leased, and what the node warns of."""
    with scene.connect("bert") as viewer, contextlib.closing(viewer.frames("", session="bert-door")) as frames:
        assert next(frames).data
        listed(scene.admin, [("bert", CAMERAS["bert"])])
        for client, cameras in ("hugo", []), ("ines", [CAMERAS["anna"]]):
            with scene.connect(client) as node:
                status = call(node, "Node/Status", pb.StatusRequest())
                assert [camera.id for camera in status.cameras] == cameras and status.leases == len(cameras), (client, status)
                assert not status.viewers and not status.warnings, (client, status)
                assert call(node, "Node/Info", pb.InfoRequest()).cameras == len(cameras), client
                assert {asset.device for asset in call(node, "Library/List", pb.ListAssetsRequest()).assets} == set(CAMERAS.values()), client
                found = {name: leaks(answers(node, name, request), needles("bert")) for name, row in ROWS.items() for request in row(NEVER)
                         if not name.startswith(("Library/", "Access/Re", "Access/Ro"))}
                assert not any(found.values()), (client, found)


def what_is_the_others_never_was(scene):
    for me, other in ("anna", "bert"), ("bert", "anna"):
        node, theirs = scene.nodes[me], scene.names[other]
        for name, row in ROWS.items():
            for hidden, never in zip(row(theirs), row(NEVER)):
                first, second = answers(node, name, hidden), answers(node, name, never)
                if hidden == never:  # it names nothing; what is in the answer is for the next test
                    assert not leaks(first, needles(other)), (me, name, first)
                    continue
                assert first.messages == second.messages, (me, name, first, second)
                assert first.code == second.code, (me, name, first, second)
                assert like(first.text, NEVER, theirs) == second.text, (me, name, first.text, second.text)
                details = [pb.ErrorDetails.FromString(result.details) for result in (first, second)]
                assert like(str(details[0]), NEVER, theirs) == str(details[1]), (me, name, details)
                found = leaks(second, needles(other))
                assert not found, (me, name, found, second)
        # An index of one that it does not see is none; bert's own identity has a 1.
        for word in [TITLES[other]] + ["1"] * (me == "anna"):
            assert answers(node, "Settings/Get", pb.GetSettingsRequest(device=word)).code == 5, word
        # The one thing that is told is that a name is taken.
        taken = answers(node, "Sessions/Configure", pb.ConfigureSessionRequest(**session("0", session=theirs.session)), lease=scene.names[me].token)
        assert (taken.code, taken.messages) == (6, []), taken
        # Nothing of it has changed anything.
        again = scene.nodes[other].unary("capture.v1.Sessions/Get", pb.GetSessionRequest(session=theirs.session), pb.SessionState)
        assert again.running and again.configuration.inputs[0].device == theirs.device, again


def a_client_may_control_one_camera_and_view_another(scene):
    """With the camera that it only views it may what a client may that views everything; with the other one more. Names and indices mean the same to both."""
    with scene.connect("emil") as emil, scene.connect("fred") as fred:
        assert [d.id for d in emil.devices()] == list(CAMERAS.values())
        theirs, mine = scene.names["bert"], scene.names["anna"]
        by_index = SimpleNamespace(**{**vars(theirs), "device": "1"})
        denied = set()
        for name, row in ROWS.items():
            if name in ("Access/Rotate", "Access/Status", "Access/Watch", "Access/Request", "Leases/Renew", "Leases/Release"):
                continue  # they name no camera, or are about the caller's own
            for n in theirs, by_index:
                for request, his in zip(row(n), row(theirs)):
                    first, second = answers(emil, name, request), answers(fred, name, his)
                    assert first.code == second.code, (name, request, first, second)
                    denied |= {name} if first.code == 7 else set()
        assert {"Settings/Set", "Settings/Reset", "Settings/LoadProfile", "Devices/SetControls", "Devices/SelectInput", "Leases/Acquire", "Jobs/Start",
                "Jobs/Control", "Sessions/Configure", "Sessions/Start", "Sessions/Stop", "Sessions/Close", "Library/Delete", "Library/Label",
                "Photos/Capture", "Settings/Calibrate", "Settings/DeleteProfile"} <= denied, denied
        # Nor by a session of both cameras, nor by one that only looks as if it were of its own.
        both = pb.SessionConfiguration(inputs=[pb.SessionInput(device=device) for device in CAMERAS.values()])
        for dry in True, False:
            assert answers(emil, "Sessions/Configure", pb.ConfigureSessionRequest(session="emil", configuration=both, dry_run=dry)).code == 7
        status = call(emil, "Access/Status", pb.AccessStatusRequest(device=theirs.device, role=pb.ROLE_CONTROL))
        assert status.authorization == pb.AUTHORIZATION_STATUS_RESTRICTED, status
        # Nothing of it has changed anything.
        again = call(scene.nodes["bert"], "Sessions/Get", pb.GetSessionRequest(session=theirs.session))
        assert again.running and again.configuration.inputs[0].device == theirs.device, again
        assert theirs.job in running_jobs(scene.admin)
        # The client controls this camera, but may not change its pictures.
        assert answers(emil, "Library/Label", pb.LabelAssetsRequest(ids=[mine.asset], add=["x"])).code == 7
        status = call(emil, "Access/Status", pb.AccessStatusRequest(device=mine.device, role=pb.ROLE_CONTROL))
        assert status.authorization == pb.AUTHORIZATION_STATUS_AUTHORIZED, status


def a_client_controls_what_it_may_control(scene):
    """By whatever name, once nobody else holds it."""
    with scene.connect("emil") as emil:
        for word in CAMERAS["anna"], "0", TITLES["anna"]:
            call(emil, "Settings/Set", pb.SetSettingsRequest(device=word, change=pb.SettingsChange(zoom=pb.ZoomChange(factor=1))))
        call(emil, "Sessions/Configure", pb.ConfigureSessionRequest(**session("0", session="emil-door", start=True)))
        call(emil, "Sessions/Stop", pb.StopSessionRequest(session="emil-door"))
        call(emil, "Sessions/Close", pb.CloseSessionRequest(session="emil-door"))
        frames = emil.frames(CAMERAS["bert"])
        assert next(frames).data
        frames.close()


def what_is_its_own_names_no_other(scene):
    for me, other in ("anna", "bert"), ("bert", "anna"):
        node = scene.nodes[me]
        for name, row in ROWS.items():
            if name in ("Jobs/Control", "Library/Delete", "Sessions/Close", "Sessions/Stop", "Leases/Release", "Access/Rotate"):
                continue  # they would end what the next test watches
            for request in row(scene.names[me]):
                found = leaks(answers(node, name, request), needles(other))
                assert not found, (me, name, found)


def a_session_with_cameras_of_both_is_nobodys(scene):
    """Its name shows neither in lists nor in the refusals of its cameras, and who watched a session that becomes one hears its end."""
    admin, anna = scene.admin, scene.nodes["anna"]
    for client in CAMERAS:
        scene.nodes[client].unary(
            "capture.v1.Sessions/Close", pb.CloseSessionRequest(session=f"{client}-door"), pb.CloseSessionResponse, lease=scene.names[client].token)
        scene.nodes[client].unary("capture.v1.Leases/Release", pb.ReleaseLeaseRequest(token=scene.names[client].token), pb.ReleaseLeaseResponse)

    def configure(*cameras):
        admin.unary("capture.v1.Sessions/Configure", pb.ConfigureSessionRequest(session="dome", start=True, configuration=pb.SessionConfiguration(
            inputs=[pb.SessionInput(device=camera) for camera in cameras], outputs=[pb.SessionOutput(name="live", kind=pb.OUTPUT_KIND_VIDEO)],
            connections=[pb.SessionConnection(device=cameras[-1], output="live")])), pb.SessionState)

    configure(CAMERAS["anna"])
    with scene.connect("anna") as viewer, scene.connect("anna") as watcher:
        frames = viewer.frames("", session="dome")
        assert next(frames).data
        events = watcher.server_stream("capture.v1.Sessions/Events", pb.SessionEventsRequest(session="dome"), pb.SessionEvent, timeout=20)
        assert next(events).state.session == "dome"
        configure(CAMERAS["anna"], CAMERAS["bert"])
        for stream in frames, events:
            try:
                for message in stream:
                    assert CAMERAS["bert"].encode() not in message.SerializeToString()
                raise AssertionError("it goes on")
            except NodeError as error:
                assert "closed" in error.text and CAMERAS["bert"] not in error.text, error
    # Whoever looks through one of its cameras is told to the client that has this one, without the session.
    with scene.connect("dora") as guest, contextlib.closing(guest.frames("", session="dome")) as frames:
        assert next(frames).data
        listed(scene.nodes["bert"], [("dora", CAMERAS["bert"])])
        assert not viewers(anna)
        for client in CAMERAS:
            assert not leaks(answers(scene.nodes[client], "Node/Status", pb.StatusRequest()), ["dome"])
    with scene.connect("ines") as ines:
        for node in anna, ines:
            for request in ("Sessions/Get", pb.GetSessionRequest(session="dome")), ("Video/Subscribe", pb.SubscribeRequest(device="0")), (
                    "Sessions/Configure", pb.ConfigureSessionRequest(**session("0", session="porch"))), (
                    "Photos/Capture", pb.CapturePhotoRequest(device="0")):
                result = answers(node, *request, timeout=5)
                assert result.code != 0 and not leaks(result, ["dome'", CAMERAS["bert"]][request[0] == "Sessions/Get":]), (request, result)
                assert request[0] == "Sessions/Get" or "another client's session" in result.text, (request, result.text)
                assert request[0] == "Sessions/Get" or not leaks(result, ["dome"]), result
    assert "dome" in str(admin.unary("capture.v1.Sessions/List", pb.ListSessionsRequest(), pb.ListSessionsResponse))
    admin.unary("capture.v1.Sessions/Close", pb.CloseSessionRequest(session="dome"), pb.CloseSessionResponse)


def viewers(node):
    """Who is told to look, through which camera."""
    return [(viewer.client or viewer.user, viewer.device) for viewer in call(node, "Node/Status", pb.StatusRequest()).viewers]


def listed(node, those):
    """Waits until these are told to look: a first frame may come before that."""
    deadline = time.monotonic() + 10
    while (found := viewers(node)) != those:
        assert time.monotonic() < deadline, found
        time.sleep(0.02)


def who_looks_is_told_to_those_who_may_too(scene):
    """Each is told of those at its own camera, by whatever way they look."""
    own = [(client, CAMERAS[client]) for client in CAMERAS]
    with contextlib.ExitStack() as stack:
        def look(client, session):
            node = stack.enter_context(scene.connect(client))
            assert next(stack.enter_context(contextlib.closing(node.frames("", session=session)))).data

        for client in CAMERAS:
            look(client, f"{client}-door")
        listed(scene.admin, own)
        for client in CAMERAS:
            node = scene.nodes[client]
            assert viewers(node) == [(client, CAMERAS[client])], viewers(node)
            (other,) = CAMERAS.keys() - {client}
            assert not leaks(answers(node, "Node/Status", pb.StatusRequest()), needles(other))
        look("dora", "bert-door")
        assert viewers(scene.nodes["bert"]) == [own[1], ("dora", CAMERAS["bert"])]
        assert viewers(scene.nodes["anna"]) == own[:1]
    end = time.monotonic() + 10
    while viewers(scene.admin) and time.monotonic() < end:
        pass
    assert not viewers(scene.admin), "they end with their calls"


WATCHES = {
    "Devices/Watch": pb.WatchDevicesRequest(), "Jobs/Watch": pb.WatchJobsRequest(), "Library/Watch": pb.WatchAssetsRequest(),
    "Settings/Watch": pb.WatchSettingsRequest(device="0"), "Sessions/Events": pb.SessionEventsRequest(session="anna-door"),
}


def watches_tell_its_own_alone(scene):
    found, begun = {}, {name: threading.Event() for name in WATCHES}

    def watch(name, request):
        with scene.connect("anna") as node:
            found[name] = answers(node, name, request, timeout=2.5, begun=begun[name].set)

    threads = [threading.Thread(target=watch, args=item) for item in WATCHES.items()]
    for thread in threads:
        thread.start()
    # Each says first what there is.
    for name, event in begun.items():
        assert event.wait(10), f"{name} said nothing"
    for me in "bert", "anna":
        node, n = scene.nodes[me], scene.names[me]
        *_, photo = node.server_stream("capture.v1.Photos/Capture", pb.CapturePhotoRequest(session=n.session, settings=pb.PhotoSettings(
            store=pb.STORE_MODE_ONLY, settle=pb.SettlingBound(longest_ms=0))), pb.PhotoEvent, timeout=20)
        n.late = photo.asset_id
        node.change("0", lease=n.token, zoom=pb.ZoomChange(factor=2))
        node.unary("capture.v1.Library/Delete", pb.AssetIds(ids=[photo.asset_id]), pb.DeletedAssets)
        for action in pb.ControlJobRequest.STOP, pb.ControlJobRequest.REMOVE:
            node.unary("capture.v1.Jobs/Control", pb.ControlJobRequest(id=n.job, action=action), pb.Job, timeout=10)
    for thread in threads:
        thread.join()
    theirs = scene.names["bert"]
    for name, result in found.items():
        assert result.code == 4 and result.messages, (name, result)
        secret = leaks(result, [*needles("bert"), theirs.job, theirs.late])
        assert not secret, (name, secret)
    whole = b"".join(found["Library/Watch"].messages + found["Jobs/Watch"].messages + found["Devices/Watch"].messages)
    mine = scene.names["anna"]
    for word in mine.device, mine.late, mine.job:
        assert word.encode() in whole, word


def a_pattern_that_matches_nothing_is_named(scene):
    def warnings():
        return scene.admin.unary("capture.v1.Node/Status", pb.StatusRequest(), pb.StatusResponse).warnings

    assert not warnings()
    access = scene.folder / "configuration/access.d"
    subprocess.run(
        [scene.programs / "capturectl", "credential", "new", "carl", "--cameras", "usb-*", "--cameras", "synthetic-*", "--folder", access],
        check=True, stdout=subprocess.DEVNULL)
    (answer,) = scene.admin.server_stream("capture.v1.Access/Reload", pb.ReloadRequest(), pb.ReloadResponse)
    for said in answer.warnings, warnings():
        assert len(said) == 1 and "'usb-*'" in said[0] and "'carl'" in said[0], said
    for me in CAMERAS:
        assert not scene.nodes[me].unary("capture.v1.Node/Status", pb.StatusRequest(), pb.StatusResponse).warnings


def call(node, name, request):
    return node.unary(f"capture.v1.{name}", request, getattr(pb, METHODS[name].output_type.name), timeout=20)


def named_sessions(node):
    return [state.session for state in call(node, "Sessions/List", pb.ListSessionsRequest()).sessions]


def running_jobs(node):
    return [job.id for job in call(node, "Jobs/List", pb.ListJobsRequest()).jobs if job.state == pb.JOB_STATE_RUNNING]


def begin_job(node, device="0"):
    return call(node, "Jobs/Start", pb.StartJobRequest(timelapse=pb.TimelapseSettings(device=device, interval_ms=600_000))).id


def a_client_that_is_gone_holds_nothing(scene):
    """Neither a lease that outlives its connection, nor a session that nobody else uses, nor a job. Other clients' stay."""
    admin, bert = scene.admin, scene.nodes["bert"]

    def leases():
        return [lease.device for lease in call(admin, "Leases/List", pb.ListLeasesRequest()).leases]

    call(bert, "Sessions/Configure", pb.ConfigureSessionRequest(**session("0", session="bert-door", start=True)))
    hers, job = begin_job(scene.nodes["anna"]), begin_job(bert)
    for node in scene.nodes.values():
        call(node, "Leases/Acquire", pb.AcquireLeaseRequest(device="0", duration_ms=20_000, outlives_connection=True))
    assert leases() == list(CAMERAS.values())
    assert "bert-door" in named_sessions(admin) and {hers, job} <= set(running_jobs(admin))
    assets = call(admin, "Library/Status", pb.LibraryStatusRequest()).assets
    with scene.connect() as viewer:
        frames = viewer.frames("", session="bert-door")
        assert next(frames).data
        (scene.folder / "configuration/access.d/bert.json5").unlink()
        answer = call(admin, "Access/Reload", pb.ReloadRequest())
        assert answer.ended == ["bert"] and leases() == [CAMERAS["anna"]], (answer, leases())
        sessions, jobs = named_sessions(admin), running_jobs(admin)
        assert "bert-door" in sessions, sessions
        assert hers in jobs and job not in jobs, jobs
        assert next(frames).data, "somebody else looks at it"
        frames.close()
    assert call(admin, "Library/Status", pb.LibraryStatusRequest()).assets >= assets, "what is stored stays"
    # What stayed of one that is gone ends when it is revoked again.
    end = time.monotonic() + 10
    while "bert-door" in named_sessions(admin) and time.monotonic() < end:
        again = call(admin, "Access/Revoke", pb.RevokeRequest(client="bert"))
        assert list(again.sessions) + list(again.used_sessions) == ["bert-door"] and not again.jobs, again
    assert "bert-door" not in named_sessions(admin)
    assert answers(admin, "Access/Revoke", pb.RevokeRequest(client="bert")).code == 5


def a_client_that_is_revoked_leaves_what_it_shall(scene):
    admin = scene.admin
    with scene.connect("dora") as dora:
        call(dora, "Sessions/Configure", pb.ConfigureSessionRequest(**session(CAMERAS["bert"], session="dora-bench", start=True)))
        job = begin_job(dora, CAMERAS["bert"])
        assert "dora-bench" in named_sessions(admin)
        answer = call(admin, "Access/Revoke", pb.RevokeRequest(client="dora", keep_jobs=True))
        assert (answer.connections, answer.sessions, answer.jobs, answer.problems) == (1, ["dora-bench"], [], []), answer
    assert "dora-bench" not in named_sessions(admin) and job in running_jobs(admin)
    answer = call(admin, "Access/Revoke", pb.RevokeRequest(client="dora"))
    assert (answer.connections, answer.sessions, answer.jobs) == (0, [], [job]), answer
    assert job not in running_jobs(admin)


def a_restart_changes_nothing(scene):
    anna = scene.nodes["anna"]
    anna.unary("capture.v1.Leases/Release", pb.ReleaseLeaseRequest(device="0", force=True), pb.ReleaseLeaseResponse)  # its own
    anna.unary("capture.v1.Sessions/Configure", pb.ConfigureSessionRequest(**session("0", session="porch")), pb.SessionState)
    sessions, jobs = named_sessions(scene.admin), running_jobs(scene.admin)
    assert sessions == ["porch"] and len(jobs) == 1, (sessions, jobs)
    for node in [scene.admin, *scene.nodes.values()]:
        node.close()
    scene.stop()
    scene.start()
    with scene.connect() as admin:
        assert named_sessions(admin) == sessions and running_jobs(admin) == jobs, "what has ended stays so"
    with scene.connect("anna") as node:
        assert [d.id for d in node.devices()] == [CAMERAS["anna"]]
        sessions = node.unary("capture.v1.Sessions/List", pb.ListSessionsRequest(), pb.ListSessionsResponse).sessions
        assert [s.session for s in sessions] == ["porch"], sessions


def the_audit_has_every_call(scene):
    """It has all calls that went before: by whom, which method, how each ended, and its camera if it has one."""
    scene.stop()
    written, begun, cameras = Counter(), Counter(), defaultdict(set)
    for line in (scene.folder / "node.log").read_text().splitlines():
        _, mark, text = line.partition(" audit: ")
        if not mark:
            continue
        words = [word.partition("=")[::2] for word in shlex.split(text)]
        fields = dict(words)
        kind = begun if fields["outcome"] == "begun" else written
        kind[fields["by"], fields["call"], fields["outcome"]] += int(fields.get("count", 1))
        cameras[fields["by"], fields["call"]].update(value for key, value in words if key == "camera")
    made, known = Counter(), Counter()
    for by, method, code in scene.calls:
        made[by, method] += 1
        if code is not None:
            known[by, method, CODES[code]] += 1
    ended = Counter()
    for (by, method, outcome), count in written.items():
        ended[by, method] += count
    assert ended == made, {kind: (ended[kind], made[kind]) for kind in ended.keys() | made.keys() if ended[kind] != made[kind]}
    assert known <= written, known - written
    assert {method for _, method in made} == ROWS.keys()
    for kind, count in begun.items():
        assert count <= made[kind[:2]], kind
    for method in ("Settings/Set", "Video/Subscribe", "Photos/Capture", "Sessions/Start", "Jobs/Control", "Leases/Release", "Library/Label", "Library/Delete",
                   "Library/Add"):
        for client, camera in CAMERAS.items():
            seen = cameras[f"client:{client}", method]
            assert camera in seen and seen <= {camera}, (client, method, seen)
    assert begun["client:anna", "Video/Subscribe", "begun"], begun


# gRPC's names of codes.
CODES = [
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"]


TESTS = [
    every_method_has_a_row, each_sees_its_own, who_reads_the_library_sees_no_camera_by_that,
    what_is_the_others_never_was, a_client_may_control_one_camera_and_view_another, what_is_its_own_names_no_other, who_looks_is_told_to_those_who_may_too,
    watches_tell_its_own_alone,
    a_session_with_cameras_of_both_is_nobodys, a_client_controls_what_it_may_control, a_pattern_that_matches_nothing_is_named, a_client_that_is_gone_holds_nothing,
    a_client_that_is_revoked_leaves_what_it_shall, a_restart_changes_nothing, the_audit_has_every_call,
]


def main():
    failures = 0
    with tempfile.TemporaryDirectory(prefix="capture-visibility-") as folder:
        scene = Node(Path(sys.argv[1]).resolve(), Path(folder))
        with contextlib.ExitStack() as stack:
            stack.callback(lambda: scene.process.kill())
            scene.admin = stack.enter_context(scene.connect())
            scene.nodes = {client: stack.enter_context(scene.connect(client)) for client in CAMERAS}
            scene.names = {client: belongings(client, scene.nodes[client]) for client in CAMERAS}
            for test in TESTS:
                failures += not passes(test, scene)
    sys.exit(1 if failures else 0)


main()
