"""Runs what docs/integration.md shows, block by block, against a real node: the page says only what was tried.

usage: test_page.py CAPTURE-NODE-BINARY

capturectl is the one beside it.

Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import ast
import collections
import contextlib
import hashlib
import itertools
import json
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from google.protobuf import text_format

from cases import passes
import capture_client
from capture_client import MAX_CHUNK_BYTES, Connection, NodeError, pb

PROJECT = Path(__file__).resolve().parents[2]
sys.path.append(str(PROJECT / "Tests/Support"))

from far_node import FarNode  # noqa: E402

PAGE = PROJECT / "docs/integration.md"
LIMIT_S = 30  # of a block, most of it for a machine that is busy
NOT_FOUND, UNAUTHENTICATED = 5, 16
EXAMPLE_ADDRESS = "unix:/run/capture-node/socket"

Block = collections.namedtuple("Block", "section language text")


def own_client():
    """The page without its beginning, which is about the Python package (Tests/Python/test_page.py)."""
    return PAGE.read_text().split("\n# A client of your own\n", 1)[1]


def read_blocks():
    found, section = [], ""
    lines = iter(own_client().splitlines())
    for line in lines:
        if line.startswith("#"):
            section = line.lstrip("# ")
        elif line.startswith("```"):
            found.append(Block(section, line.removeprefix("```"), "\n".join(itertools.takewhile(lambda line: line != "```", lines))))
    return found


BLOCKS = read_blocks()


def blocks(language, section=""):
    found = [block for block in BLOCKS if block.language == language and section in block.section]
    assert found, f"no block of {language or 'packets'} under {section!r}"
    return found


# Python


class Enough(Exception):
    """The page's loop has no end; it has shown what it says."""


class Client(Connection):
    """The client in Python, with the page's functions in place of its own."""


# What the page's code sees, from one block to the next.
NAMES = {"pb": pb, "struct": struct, "NodeError": NodeError}


def is_method(statement):
    return isinstance(statement, ast.FunctionDef) and [argument.arg for argument in statement.args.args][:1] == ["self"]


def take_methods_of_the_page():
    for block in blocks("python"):
        for statement in ast.parse(block.text).body:
            if is_method(statement):
                assert hasattr(Connection, statement.name), f"the client has no {statement.name}"
                exec(compile(ast.Module([statement], []), str(PAGE), "exec"), NAMES)
                setattr(Client, statement.name, NAMES.pop(statement.name))


def run(block, **names):
    """Runs a block in Python; the value of its last line, where that is an expression."""
    NAMES.update(names)
    statements = [statement for statement in ast.parse(block.text).body if not is_method(statement)]
    value = None
    for statement in statements:
        if isinstance(statement, ast.Expr):
            value = eval(compile(ast.Expression(statement.value), str(PAGE), "eval"), NAMES)
        else:
            exec(compile(ast.Module([statement], []), str(PAGE), "exec"), NAMES)
    return value


def methods_of_the_page_serve_the_client(address):
    with Client(address) as node:
        assert len(node.devices()) == 1
        assert Client.send is not Connection.send and Client.change is not Connection.change


def the_client_is_as_short_as_the_page_says(address):
    lines = Path(capture_client.__file__).read_text().splitlines()
    (most,) = re.findall(r"in Python, under (\d+) lines", own_client())
    assert len(lines) < int(most), len(lines)
    (hint,) = re.findall(r"# in server_stream: (.*)", "\n".join(block.text for block in blocks("python")))
    assert any(line.strip() == hint for line in lines), hint


def the_client_waits_as_long_as_the_page_says(address):
    (seconds,) = re.findall(r"nothing came for (\d+) s as dead", own_client())
    with Connection(address) as node:
        assert node.socket.gettimeout() == int(seconds), node.socket.gettimeout()


def a_photo_is_as_its_settings_say(address):
    with Client(address) as node:
        for block in blocks("python", "A photo"):
            run(block, node=node)
    assert [round(seconds, 4) for seconds in NAMES["exposed"]] == [0.002, 0.01], NAMES["exposed"]
    assert NAMES["largest"].data.startswith(b"\xff\xd8"), NAMES["largest"].resource
    # The last of both files.
    assert NAMES["photo"].data.startswith(b"\x89PNG"), NAMES["photo"].resource


def a_photo_that_the_node_keeps_is_found(address):
    (block,) = blocks("python", "Photos that the node keeps")
    with Client(address) as node:
        run(block, node=node)
    assert NAMES["jpeg"].startswith(b"\xff\xd8"), NAMES["jpeg"][:10]


def pixels_come_in_the_format_that_was_asked_for(address):
    (block,) = blocks("python", "Raw frames")
    with Client(address) as node:
        run(block, node=node)
    size = NAMES["frame"].info.size
    assert (size.width, size.height, NAMES["alpha"]) == (320, 240, 255), size
    assert len(NAMES["frame"].data) == 320 * 240 * 4


def a_point_in_a_picture_is_where_the_library_says(address):
    block, converted = blocks("python", "Points in a picture")
    run(block)
    with Client(address) as node:
        run(converted, node=node)
    pairs = json.loads((PROJECT / "Tests/Support/sensor-points.json").read_text())
    assert len(pairs) > 8
    for pair in pairs:
        info = pb.FrameInfo(orientation=pair["orientation"], mirrored=pair.get("mirrored", False))
        if "region" in pair:
            info.region.CopyFrom(pb.Region(**dict(zip(("x", "y", "width", "height"), pair["region"]))))
        point = NAMES["sensor_point"](info, *pair["picture"])
        assert is_near((point.x, point.y), pair["sensor"]), (pair, point)


def is_near(point, other):
    return all(abs(a - b) < 1e-9 for a, b in zip(point, other, strict=True))


def settings_are_changed_and_come_with_frames(address):
    change, wait = blocks("python", "Settings")[:2]
    with Client(address) as node:
        duration = run(change, node=node)
        assert abs(duration - 1 / 100) < 1e-4, duration
        assert NAMES["answer"].settings.exposure.gain.value == 20, NAMES["answer"]
        run(wait)
        settings = NAMES["frame"].info.settings
        assert NAMES["frame"].data and settings.change >= NAMES["answer"].change > 0, settings


def a_watch_tells_how_things_are_and_what_others_change(address):
    (block,) = blocks("python", "Watching settings")
    told = []

    def tell(*values):
        told.append(values)
        if len(told) == 1:
            other.change("0", exposure=pb.ExposureChange(gain=7))
        elif told[-1][1] == 7:
            raise Enough

    with Client(address) as node, Connection(address) as other:
        other.change("0", exposure=pb.ExposureChange(gain=3))
        with contextlib.suppress(Enough):
            run(block, node=node, print=tell)
    assert list(told[0][0]) == [] and told[0][1] == 3, told
    assert "exposure" in " ".join(told[-1][0]), told


def a_lease_lets_its_holder_change_the_camera(address):
    (block,) = blocks("python", "Leases")
    with Client(address) as node, Connection(address) as other:
        run(block, node=node)
        assert NAMES["lease"].token and NAMES["lease"].holder == "studio-a", NAMES["lease"]
        settings = other.change("0", exposure=pb.ExposureChange(gain=5)).settings
        assert settings.exposure.gain.value == 5, "it was not released"


def a_session_turns_its_pictures_and_says_so(address):
    block, questions = blocks("python", "Sessions")
    with Client(address) as node:
        try:
            run(block, node=node)
            run(questions)
            assert pb.SESSION_PRESET_640X480 in NAMES["possible"], NAMES["possible"]
            info = next(frame for frame in NAMES["frames"] if frame.data).info
            (comment,) = re.findall(r"# (\d+)x(\d+): turned", block.text)
            assert (info.size.width, info.size.height) == tuple(map(int, comment)), info
            corner = NAMES["sensor_point"](info, 0, 0)
            assert is_near((corner.x, corner.y), (0, 1)), corner
            NAMES["frames"].close()
        finally:
            node.unary("capture.v1.Sessions/Close", pb.CloseSessionRequest(session="door"), pb.CloseSessionResponse)


def an_error_says_what_to_ask_for_instead(address):
    (block,) = blocks("python", "Errors")
    with Client(address) as node:
        duration = run(block, node=node)
        assert 0 < duration < 3600, duration
        try:
            node.photo("nope")
        except NodeError as error:
            assert error.details.reason == pb.ERROR_REASON_UNKNOWN_NAME, error.details
            assert list(error.details.possible) == [node.devices()[0].id], error.details


# Restarts


class RestartedNode:
    """A node with a camera of 640x480, which restarts twice: without it, and with it again. `runs`: what tells the runs apart to which somebody has connected."""

    def __init__(self, folder):
        self.address, self.runs, self.process = f"unix:{folder}/socket", [], None
        self.is_back = False
        self.restart("synthetic:640x480@30", "synthetic:physics:320x240@30")

    def restart(self, *cameras):
        self.stop()
        words = [word for camera in cameras for word in ("--camera", camera)]
        self.process = subprocess.Popen(
            [sys.argv[1], "--listen", self.address, "--state", "none", "--log-level", "warning", *words], stdout=subprocess.PIPE, text=True)
        assert "listening on" in self.process.stdout.readline()

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait()
            self.process.stdout.close()

    def connect(self):
        """Restarts the node with the camera once somebody has come twice to it without."""
        if len(set(self.runs)) == 2 and self.runs[-1] == self.runs[-2]:
            self.restart("synthetic:640x480@30", "synthetic:physics:320x240@30")
            self.is_back = True
        client = Client(self.address)
        self.runs.append((client.hello.boot_id, client.hello.started_ns))
        return client


def a_camera_that_comes_back_is_the_same(_):
    (block,) = blocks("python", "Coming back")
    run(block)
    with tempfile.TemporaryDirectory(prefix="capture-restarts-") as folder:
        node = RestartedNode(folder)
        try:
            with Client(node.address) as other:
                identity = other.devices()[0].id
                request = pb.AcquireLeaseRequest(device=identity, outlives_connection=True)
                lease = other.unary("capture.v1.Leases/Acquire", request, pb.LeaseInfo)
            frames = NAMES["lasting_frames"](node.connect, identity)
            sizes = {size_of(next(frames))}
            node.restart("synthetic:physics:320x240@30")
            while not node.is_back:
                sizes.add(size_of(next(frames)))
            frames.close()
            assert sizes - {None} == {(640, 480)}, sizes
            assert len(set(node.runs)) == 3 and len({boot for boot, _ in node.runs}) == 1, node.runs
            with Client(node.address) as other:
                try:
                    other.unary("capture.v1.Leases/Renew", pb.RenewLeaseRequest(token=lease.token), pb.LeaseInfo)
                except NodeError as error:
                    assert error.code == NOT_FOUND, error
                else:
                    raise AssertionError("a lease is there after a restart")
        finally:
            node.stop()


def size_of(frame):
    return (frame.info.size.width, frame.info.size.height) if frame.data else None


# Packets


def parse(text, message):
    """Protobuf's text format, without what the page leaves out ("info …"); and which fields those are."""
    present = re.findall(r"(\w+) …", text)
    return text_format.Parse(re.sub(r"\w+ …", "", text), message), present


BODY = re.compile(r"body: <(\w+)(?: \{(.*?)\})?>")


class Packet:
    """One of the page, "→ Envelope { … }  + 262,144 bytes": with the body's message, and how many bytes its chunk has."""

    def __init__(self, text):
        self.is_sent = text.startswith("→")
        envelope, chunk = re.fullmatch(r". Envelope \{(.*)\}(?:\s+\+ ([\d,]+) bytes)?", text).groups()
        self.chunk = int((chunk or "0").replace(",", ""))
        body = BODY.search(envelope)
        self.body, self.present = parse(body[2] or "", getattr(pb, body[1])()) if body else (None, [])
        self.envelope, _ = parse(BODY.sub("", envelope), pb.Envelope())
        self.kind = self.envelope.WhichOneof("kind")
        if self.is_sent and self.body:
            self.envelope.request.body = self.body.SerializeToString()

    def require_like(self, envelope):
        assert envelope.call_id == self.envelope.call_id and envelope.WhichOneof("kind") == self.kind, (self.envelope, envelope)
        if self.kind == "status":
            assert envelope.status.code == self.envelope.status.code, envelope
        if self.body is None:
            return
        body = type(self.body).FromString(envelope.message.body)
        assert all(body.HasField(name) for name in self.present), body
        for field, value in self.body.ListFields():
            assert getattr(body, field.name) == value, (self.body, body)


def packets(section):
    (block,) = blocks("", section)
    return [Packet(re.sub(r"\s+", " ", text)) for text in re.split(r"\n(?=[→←])", block.text)]


def inline(section):
    """An Envelope in the text of a section."""
    text = PAGE.read_text().split(f"## {section}\n", 1)[1].split("\n## ", 1)[0]
    (envelope,) = re.findall(r"`Envelope \{(.*)\}`", text)
    return parse(envelope, pb.Envelope())[0]


def replay(node, conversation):
    """Sends what the page sends; what comes has to be as it says, whatever the size of its payloads."""
    for packet in conversation:
        if packet.is_sent:
            node.send(packet.envelope)
        elif packet.kind != "chunk":
            packet.require_like(receive_whole(node))


def receive_whole(node):
    """The next packet; its payload, of any number of chunks, is read to its end."""
    envelope, chunk = node.receive()
    missing = envelope.message.payload_length - len(chunk)
    while envelope.WhichOneof("kind") == "message" and missing > 0:
        more, chunk = node.receive()
        assert (more.WhichOneof("kind"), more.call_id) == ("chunk", envelope.call_id), more
        missing -= len(chunk)
    assert missing == 0 or envelope.WhichOneof("kind") != "message", missing
    return envelope


def chunks_add_up(conversation):
    """Checks the chunks of each payload on the page: all but the last are as long as they may be."""
    starts = [place for place, packet in enumerate(conversation) if packet.envelope.message.payload_length]
    assert starts
    for start in starts:
        rest = itertools.takewhile(lambda packet: packet.kind == "chunk", conversation[start + 1:])
        chunks = [packet.chunk for packet in (conversation[start], *rest)]
        assert sum(chunks) == conversation[start].envelope.message.payload_length, chunks
        assert all(chunk == MAX_CHUNK_BYTES for chunk in chunks[:-1]), chunks


class Bare(Connection):
    """A connection that says the page's Hello."""

    def send(self, envelope, chunk=b""):
        if envelope.WhichOneof("kind") == "hello":
            envelope = inline("3. Hello")
            assert envelope.hello.agent == "my-client/1", envelope
        super().send(envelope, chunk)


def conversations_go_as_shown(address):
    photo = packets("A photo")
    chunks_add_up(photo)
    with Bare(address) as node:
        replay(node, packets("A unary call"))
        replay(node, photo)
        credit = inline("6. Live frames")
        request = pb.Request(method="capture.v1.Video/Subscribe", body=pb.SubscribeRequest(device="0").SerializeToString(),
                             last=True, credit=2)
        node.send(pb.Envelope(call_id=credit.call_id, request=request))
        discarded = []
        for _ in range(4):
            while (envelope := receive_whole(node)).WhichOneof("kind") != "message":
                pass
            discarded.append(pb.VideoFrame.FromString(envelope.message.body).discarded)
            if len(discarded) == 2:
                require_silence(node)
            if len(discarded) >= 2:
                node.send(credit)
        assert discarded[2] > 0, f"frames were replaced meanwhile: {discarded}"


def require_silence(node):
    """Without credit nothing comes, for longer than ten frames last."""
    patience = node.socket.gettimeout()
    node.socket.settimeout(0.4)
    try:
        early = node.socket.recv(1)
    except TimeoutError:
        node.socket.settimeout(patience)
    else:
        raise AssertionError(f"without credit {early!r} came")


@contextlib.contextmanager
def stalled(node):
    """Meanwhile the camera gives no frames; after a second of that its viewers get an announcement."""
    def stall(milliseconds):
        assignment = pb.ControlAssignment(name="fault_stall_ms", literal=str(milliseconds))
        node.unary("capture.v1.Devices/SetControls", pb.SetControlsRequest(device="0", assignments=[assignment]), pb.SetControlsResponse)

    stall(60_000)
    try:
        yield
    finally:
        stall(0)


def an_announcement_takes_a_credit(address):
    """A client that grants for frames alone gets nothing more once its credit went into announcements. What it grants then brings frames."""
    assert "for each message you have taken" in own_client()
    credit = inline("6. Live frames")
    with Bare(address) as node, Connection(address) as other:
        request = pb.Request(method="capture.v1.Video/Subscribe", body=pb.SubscribeRequest(device="0").SerializeToString(), last=True, credit=2)
        node.send(pb.Envelope(call_id=credit.call_id, request=request))

        def frame():
            while (envelope := receive_whole(node)).WhichOneof("kind") != "message":
                pass
            return pb.VideoFrame.FromString(envelope.message.body)

        for _ in range(2):
            assert frame().HasField("info")
            node.send(credit)
            with stalled(other):
                while frame().HasField("info"):
                    node.send(credit)
        require_silence(node)
        node.send(credit)
        assert frame().HasField("info")


def frames_come_after_more_announcements_than_the_credit(address):
    with Client(address) as node, Connection(address) as other:
        frames = node.frames("0", window=2)
        for _ in range(3):
            next(frame for frame in frames if frame.data)
            with stalled(other):
                next(frame for frame in frames if not frame.HasField("info"))
        next(frame for frame in frames if frame.data)
        frames.close()


# The shell


def shell_commands_work(address):
    generate, client = blocks("sh")
    assert "Messages" in generate.section and "Try it" in client.section, BLOCKS
    assert EXAMPLE_ADDRESS in client.text, client
    with tempfile.TemporaryDirectory() as directory:
        for name in "proto", "Tests":
            os.symlink(PROJECT / name, f"{directory}/{name}")
        shell(generate.text, directory)
        generated = {path.stem.removesuffix("_pb2") for path in Path(directory, "generated/capture/v1").glob("*_pb2.py")}
        assert generated == {path.stem for path in (PROJECT / "proto/capture/v1").glob("*.proto")}, generated
        said = shell(client.text.replace(EXAMPLE_ADDRESS, address), directory)
        assert "synthetic" in said and "photo.jpg: " in said, said
        subprocess.run(["djpeg", "-outfile", os.devnull, f"{directory}/photo.jpg"], check=True)


def a_machine_pairs_and_is_known_from_then_on(_):
    (block,) = blocks("python", "Pairing")
    with FarNode(sys.argv[1]) as far:
        line, told = far.line(), []
        run(block, line=line, Connection=Client, print=told.append)
        del NAMES["print"]
        assert NAMES["client"] == "my-laptop" and len(told) == 1 and len(told[0]) == 1, (NAMES["client"], told)
        with NAMES["encrypted"]("127.0.0.1", far.port, far.key) as connection:
            assert connection.version() == "TLSv1.3"
        try:
            NAMES["encrypted"]("127.0.0.1", far.port, "0" * 64)
        except ValueError as error:
            assert "another node" in str(error), error
        else:
            raise AssertionError("a node with another key is taken")
        # The same again is answered as before; the parts of the line are as docs/protocol.md says.
        _, host, addresses, port, key, code = line.split("/")
        assert (addresses, int(port), key, len(bytes.fromhex(code))) == ("127.0.0.1", far.port, far.key, 16), line
        request = pb.PairRequest(code=bytes.fromhex(code), secret_sha256=hashlib.sha256(NAMES["secret"]).digest(), name="another")
        with Client(NAMES["encrypted"]("127.0.0.1", far.port, far.key)) as stranger:
            assert stranger.unary("capture.v1.Access/Pair", request, pb.PairResponse).client == "my-laptop"
            try:
                stranger.devices()
            except NodeError as error:
                assert error.code == UNAUTHENTICATED, error
            else:
                raise AssertionError("who has paired on a connection is known on it")


def shell(text, directory):
    done = subprocess.run(["sh", "-eu", "-c", text], cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    return done.stdout


def no_block_is_left_out(address):
    """A language that nothing here runs would rot unseen; so would a block of Python that no test above takes."""
    assert {block.language for block in BLOCKS} == {"python", "sh", ""}, BLOCKS
    assert len(blocks("")) == 2 and len(blocks("sh")) == 2
    taken = ("A packet", "A photo", "Photos that the node keeps", "Raw frames", "Points in a picture", "Settings", "Watching settings", "Leases", "Sessions", "Errors", "Coming back", "Pairing")
    left = [block for block in blocks("python") if not any(block.section.endswith(section) for section in taken)]
    assert not left and len(blocks("python")) == 20, (left, len(blocks("python")))


TESTS = [
    methods_of_the_page_serve_the_client,
    the_client_is_as_short_as_the_page_says,
    the_client_waits_as_long_as_the_page_says,
    a_photo_is_as_its_settings_say,
    a_photo_that_the_node_keeps_is_found,
    pixels_come_in_the_format_that_was_asked_for,
    a_point_in_a_picture_is_where_the_library_says,
    settings_are_changed_and_come_with_frames,
    a_watch_tells_how_things_are_and_what_others_change,
    a_lease_lets_its_holder_change_the_camera,
    a_session_turns_its_pictures_and_says_so,
    an_error_says_what_to_ask_for_instead,
    a_camera_that_comes_back_is_the_same,
    conversations_go_as_shown,
    an_announcement_takes_a_credit,
    frames_come_after_more_announcements_than_the_credit,
    shell_commands_work,
    a_machine_pairs_and_is_known_from_then_on,
    no_block_is_left_out,
]


def late(*_):
    raise AssertionError(f"not within {LIMIT_S} s")


def in_time(test, address):
    signal.alarm(LIMIT_S)
    try:
        test(address)
    finally:
        signal.alarm(0)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    signal.signal(signal.SIGALRM, late)
    take_methods_of_the_page()
    folder = tempfile.TemporaryDirectory(prefix="capture-page-")
    subprocess.run([sys.argv[1], "library", "init", "--mark-only", folder.name], stdout=subprocess.DEVNULL, check=True)
    configuration = Path(folder.name) / "node.json5"
    configuration.write_text(json.dumps({"library": {"root": folder.name}}))
    node = subprocess.Popen(
        [sys.argv[1], "--config", configuration, "--state", "none", "--trust-local-users", "--listen", "127.0.0.1:0", "--camera", "synthetic:640x480@30"],
        stdout=subprocess.PIPE, text=True)
    try:
        address = node.stdout.readline().removeprefix("listening on ").strip()
        failures = sum([not passes(in_time, test, address, name=test.__name__) for test in TESTS])
    finally:
        node.terminate()
        node.wait()
        folder.cleanup()
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
