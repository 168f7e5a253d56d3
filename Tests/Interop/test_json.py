"""Runs every command of capturectl with --json, and holds each line against docs/json-schema.json.

usage: test_json.py DIRECTORY

DIRECTORY has the programs. Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from jsonschema import Draft202012Validator, ValidationError

from cases import passes

sys.path.append(str(Path(__file__).resolve().parents[1] / "Support"))
from ports import unused_port  # noqa: E402

PROJECT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((PROJECT / "docs/json-schema.json").read_text())
TYPES = SCHEMA["$defs"]
WITHOUT = {"completions"}  # prints a script for a shell, whatever is asked

# What is run, in this order; 0 is a camera with physics, 1 another synthetic one. Of what goes on only so many lines are read. {…} is a member of what was
# printed last.
LINES = [
    "info", "status", "ping --count 2", "devices", "devices --names", (3, "devices --watch"), "formats 0", "formats 1", "controls 0", "controls 1",
    "get 0 zoom_absolute auto_exposure", "set 0 zoom_absolute=120", "set 0 zoom_absolute=999 --clamp --wait", "inputs 0", "input 1 1", "describe 0",
    "describe 1", "focus 0", "expose 0", "white-balance 0", "zoom 0", "frame-duration 0", "torch 0", "flash 0",
    "session configure door --input 0 --size 160x120 --rate 60", "session start door", (1, "session events door"), "session show door", "session list",
    "session list --names", "status",
    "focus 0 --lens 0.5 --wait", "expose 0 --duration 1/100 --gain 3 --wait", "expose 0 --gain 2.5", "white-balance 0 --temperature 4000 --tint 5",
    "zoom 0 2", "frame-duration 0 --minimum 1/30 --maximum 1/10", "torch 0 on --level 0.5", "flash 0 auto", "session show door",
    "photo --session door -o -", "photo --session door --time now -o now.jpg", "describe 0", "stream --session door -n 3 -o frames.mjpeg", (1, "watch 0"), (1, "watch 0 focus gain"), (1, "watch 1 brightness"),
    "session stop door", "session close door", "photo 0 -o shot.jpg", "stream 0 -n 3 --rate 60 -o f%d.jpg", "stream 0 -n 2 --json-frames", "frame-duration 0 --minimum none", "reset 0",
    "photo 0 --settle none --flash on -o shot.jpg", "photo 0 --bracket-exposure 1/500,1/60 -o b%d.jpg", "photo 0 --burst 2 -o u%d.jpg",
    "photo 0 --dry-run --format jpeg,png --thumbnail --orientation 90 -o twice",
    "profile save 0 night", "profile list 0", "profile load 0 night --wait", "profile delete 0 night",
    "calibrate 0 gain", "describe 0", "lock 0", "unlock {token}", "lock 0", "leases", "unlock 0 --force",
    "photo 0 --store", "library label {asset} --add keep", "photo 0 --store", "library rm {asset}", "library put shot.jpg", "library get --new pictures",
    "library list", "library stats", "library sheet -o sheet.jpg", "timelapse start 0 --interval 1", "timelapse stop {id}",
    "timelapse start 0 --interval 1", "timelapse list", (1, "timelapse watch"), (1, "library watch"),
    "pair {pairing} --name here", "credential rotate here", "credential new controller",
    "credential renew controller.json5", "credential renew controller.json5 --finish",
    "credential new desk --grant control/video:usb-* --grant view", "node list", "node certificate here",
    "node add {fingerprint} --name other", "node remove other", "access status --node here", "access request --role control --node here",
    "access pending --node {socket}", "access approve tester --node {socket}", "access request --medium library --node here",
    "access status --medium library --node here", "access request --cameras usb-* --node here",
    "access deny tester --node {socket}", "access list --node {socket}", "access revoke tester --node {socket}",
]

# Each fails, with this code and reason.
FAILURES = [
    ("photo 7", "NOT_FOUND", "UNKNOWN_NAME"), ("set 0 zoom_absolute=9999", "INVALID_ARGUMENT", "VALUE_OUT_OF_RANGE"),
    ("expose 0 --duration 5", "INVALID_ARGUMENT", "VALUE_OUT_OF_RANGE"), ("photo", "USAGE", None), ("photo 0 -o /nonexistent/x.jpg", "LOCAL", None),
    ("--node unix:/nonexistent info", "UNAVAILABLE", "NODE_UNREACHABLE"), ("session show door", "NOT_FOUND", "UNKNOWN_NAME"),
]

# Only a capture card's inputs have signals, only a camera that comes to harm leaves an error in a session, and an event that a picture was deleted comes to
# those that watched before.
UNSEEN = {"Signal", "Standard", "Timings", "SessionError", "AssetName"}


# What photos tell of their camera's lens and of the place.
CONFIGURATION = """{
  location: { latitude: 48.858, longitude: 2.294 },
  lenses: { "synthetic-physics-0": { focalLength: 3.67 } },
  library: { root: "LIBRARY" },
}"""


class Programs:
    """A node, and capturectl for it."""

    def __init__(self, programs, directory):
        self.program, self.service, self.directory, self.seen = programs / "capturectl", programs / "capture-node", directory, set()
        self.environment = {key: value for key, value in os.environ.items() if key != "CAPTURE_NODE"}
        self.environment["HOME"] = str(directory)
        self.socket = f"unix:{directory}/socket"
        self.serve()
        port = unused_port()
        done = subprocess.run(
            [self.service, "pair", "--socket", self.socket, "--port", str(port), "--address", "127.0.0.1", "--name", "tester", "--role", "view",
             "--cameras", "synthetic-*"], stdout=subprocess.PIPE, text=True, check=True)
        line = subprocess.run(
            [self.service, "fingerprint", "--socket", self.socket, "--address", "127.0.0.1"], stdout=subprocess.PIPE, text=True, check=True)
        self.given = {"pairing": done.stdout.strip(), "fingerprint": line.stdout.strip(), "socket": self.socket}

    def serve(self):
        """Starts the node; a later one serves on the same port."""
        address = self.environment.get("CAPTURE_NODE", "127.0.0.1:0")
        configuration = Path(self.directory) / "node.json5"
        library = Path(self.directory) / "library"
        if not library.exists():
            subprocess.run([self.service, "library", "init", "--mark-only", library], stdout=subprocess.DEVNULL, check=True)
        configuration.write_text(CONFIGURATION.replace("LIBRARY", str(library)))
        self.node = subprocess.Popen(
            [self.service, "--config", configuration, "--state", self.directory / "state", "--trust-local-users", "--listen", address, "--listen", self.socket, "--camera", "synthetic:physics:160x120@60",
             "--camera", "synthetic:160x120@30"], stdout=subprocess.PIPE, text=True)
        self.environment["CAPTURE_NODE"] = self.node.stdout.readline().removeprefix("listening on ").strip()

    def start(self, line, *options):
        return subprocess.Popen(
            [self.program, *options, *shlex.split(line)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.directory,
            env=self.environment)

    def run(self, line, *options):
        """The status, and what came on both outputs."""
        process = self.start(line, *options)
        out, error = process.communicate(timeout=60)
        return process.returncode, out, error

    def first(self, count, line):
        """So many lines of a command that goes on."""
        process = self.start(line, "--json")
        try:
            return [process.stdout.readline() for _ in range(count)]
        finally:
            process.terminate()
            process.communicate(timeout=20)

    def commands(self, *path):
        """Every command of the table that has none below it, as its help tells."""
        help = self.run(" ".join([*path, "--help"]))[1].decode()
        found = re.search(r"^Commands:\n((?:  .*\n)+)", help, re.MULTILINE)
        if not found:
            return {" ".join(path)}
        names = re.findall(r"^  (\S+)", found[1], re.MULTILINE)
        return {command for name in names if name for command in self.commands(*path, name)}

    def close(self):
        self.node.terminate()
        self.node.wait(10)


def definition(line):
    """The name of the definition for a line's command."""
    words = line.split()
    return next(name for name in (" ".join(words[:2]), words[0]) if name in TYPES)


def hold(text, name, seen):
    """Throws unless the text is a document as the definition says. Adds the types in it to `seen`."""
    document = json.loads(text)
    Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": TYPES}).validate(document)
    look(document, {"$ref": f"#/$defs/{name}"}, seen)


def look(value, schema, seen):
    """Adds to `seen` each type of the schema that the value, which is right, has in it."""
    if "$ref" in schema:
        seen.add(name := schema["$ref"].rpartition("/")[2])
        return look(value, TYPES[name], seen)
    for one in schema.get("anyOf", []):
        if Draft202012Validator({**one, "$defs": TYPES}).is_valid(value):
            look(value, one, seen)
    if isinstance(value, list):
        for item in value:
            look(item, schema.get("items", {}), seen)
    elif isinstance(value, dict):
        for member, of in schema.get("properties", {}).items():
            if value.get(member) is not None:
                look(value[member], of, seen)


def the_schema_is_one_and_leaves_no_member_open(_):
    Draft202012Validator.check_schema(SCHEMA)
    for name, shape in TYPES.items():
        assert shape.get("type") != "object" or shape["additionalProperties"] is False, name
        assert set(shape.get("required", [])) <= set(shape.get("properties", {})), name
        for member, of in shape.get("properties", {}).items():
            may_be_null = None in of.get("enum", []) or "null" in of.get("type", []) or {"type": "null"} in of.get("anyOf", [])
            assert may_be_null == ("x-null" in of), f"{name}.{member}: what null means"
            assert (member not in shape["required"]) == ("x-absent" in of), f"{name}.{member}: what absent means"


def what_is_not_in_the_schema_is_found(_):
    line = {"count": 1, "round_trip_ms": {"min": 1, "p50": 1, "p99": 1, "max": 1}}
    hold(json.dumps(line), "ping", set())
    for wrong in [{**line, "more": 1}, {"count": 1}, {**line, "count": "1"}, {**line, "count": None}, {**line, "round_trip_ms": {}}]:
        try:
            hold(json.dumps(wrong), "ping", set())
        except ValidationError:
            continue
        raise AssertionError(f"{wrong} is taken")


def every_command_has_a_definition(programs):
    commands = programs.commands()
    assert len(commands) > 30 and "session list" in commands, commands
    defined = {name for name in TYPES if name[0].islower()}
    assert commands - WITHOUT == defined, (commands - WITHOUT) ^ defined


def the_page_names_every_member(_):
    page = (PROJECT / "docs/json.md").read_text()
    members = {member for shape in TYPES.values() for member in shape.get("properties", {})}
    assert len(members) > 200, members
    assert not (left := {member for member in members if f"\n| `{member}` |" not in page}), left
    subprocess.run([PROJECT / "scripts/generate-json-page", "--check"], check=True)


def every_command_prints_what_the_schema_says(programs):
    wrong, last = [], {}
    for line in LINES:
        count, line = line if isinstance(line, tuple) else (None, line)
        if count:
            printed = programs.first(count, line)
        else:
            status, out, error = programs.run(line.format(**{**last, **programs.given}), "--json")
            printed = (error if line.endswith(" -o -") else out).splitlines()
            if status != 0 or not printed:
                wrong.append(f"{line}: status {status}, {error.decode()}")
        for text in printed:
            try:
                hold(text, definition(line), programs.seen)
                last = json.loads(text)
            except (ValidationError, ValueError) as problem:
                wrong.append(f"{line}: {problem}")
    assert not wrong, "\n".join(wrong)
    run = {definition(line[1] if isinstance(line, tuple) else line) for line in LINES}
    assert run == {name for name in TYPES if name[0].islower()}, "not every command is run"


def every_failure_is_what_the_schema_says(programs):
    for line, code, reason in FAILURES:
        status, out, error = programs.run(line, "--json")
        text = error.decode().splitlines()[-1]
        assert status == (2 if code == "USAGE" else 1) and not out, (line, status, out, text)
        hold(text, "Failure", programs.seen)
        error = json.loads(text)["error"]
        assert (error["code"], (error["details"] or {}).get("reason")) == (code, reason), (line, text)


def what_was_done_before_a_failure_is_told(programs):
    def failed(line):
        status, out, error = programs.run(line, "--json")
        assert status == 1, (line, status, out)
        hold(error.decode().splitlines()[-1], "Failure", programs.seen)
        if not out:
            return None
        hold(out, definition(line), programs.seen)
        return json.loads(out)

    (programs.directory / "text.jpg").write_text("no picture")
    assert failed("library put text.jpg shot.jpg") is None
    put = failed("library put shot.jpg text.jpg")
    assert len(put["assets"]) == 1 and "'text.jpg' is no JPEG" in put["error"], put
    first = put["assets"][0]["id"]
    second = json.loads(programs.run("library put shot.jpg", "--json")[1])["assets"][0]["id"]
    # In the place of the second file there is a folder.
    path = programs.directory / json.loads(programs.run(f"library get {second}", "--json")[1])["files"][0]["path"]
    path.unlink()
    path.mkdir()
    got = failed(f"library get {first} {second}")
    assert [file["asset"] for file in got["files"]] == [first] and path.name in got["error"], got


def told(line, process, seen):
    """Reads what a program prints until it tells of a pause, and returns that."""
    missed = None
    limit = threading.Timer(30, process.kill)
    limit.start()
    for text in process.stdout:
        hold(text, definition(line), seen)
        if missed := json.loads(text)["resumption"]:
            break
    limit.cancel()
    assert missed, f"{line}: it has ended: {process.stderr.read().decode()}"
    assert missed["missed_frames"] is None and 0 < missed["pause_ms"] < 30_000, (line, missed)
    return missed


def goes_on(line, process, seen):
    """The same, of a node that was started again."""
    missed = told(line, process, seen)
    assert missed["cause"] == "connection_lost" and missed["new_node"] and not missed["new_boot"], (line, missed)
    # Nothing else tells of a camera's settings.
    assert missed["settings_were_set_again"] is (True if re.search(r"^(stream|watch) 0 ", line) else None), (line, missed)


def what_was_missed_is_told(programs):
    """The node ends as by 'systemctl restart', then it is killed; each time it is started again on its port."""
    for line in "expose 0 --duration 1/100", "session configure gate --input 1 --size 160x120 --start":
        status, _, error = programs.run(line)
        assert status == 0, error
    lines = [
        "stream 0 --json-frames --reconnect", "watch 0 --json --reconnect", "session events gate --json --reconnect",
        "devices --watch --json --reconnect",
    ]
    running = {line: programs.start(line) for line in lines}
    try:
        for process in running.values():
            assert process.stdout.readline()
        for end in (programs.node.terminate, lambda: programs.node.kill()):
            end()
            programs.node.wait(10)
            programs.serve()
            for line, process in running.items():
                goes_on(line, process, programs.seen)
    finally:
        for process in running.values():
            process.kill()
            process.communicate(timeout=20)
    assert programs.run("session close gate")[0] == 0


def a_camera_that_comes_back_is_told(programs):
    for line in "expose 1 --mode auto", "set 1 brightness=100":
        programs.run(line)
    comes_back(programs, "1")
    status, _, error = programs.run("session configure gate --input 1 --size 160x120 --start")
    assert status == 0, error
    comes_back(programs, "--session gate")
    assert programs.run("session close gate")[0] == 0


def comes_back(programs, origin):
    """A stream goes on with its camera, after longer than its timeout, and says so to a program and to a person; what it writes has the frames of both. A watch
    of settings tells that it is back, and what is different."""
    line = f"stream {origin} --json-frames --timeout 1 --reconnect"
    stream, watch = programs.start(line), programs.start("watch 1 brightness --json")
    recording = programs.start(f"stream {origin} --timeout 1 --reconnect --count 60 -o clip.mjpeg", "--json")
    try:
        for process in stream, watch:
            assert process.stdout.readline(), (line, process.stderr.read())
        part = programs.directory / "clip.mjpeg.part"
        while not part.exists() or part.stat().st_size == 0:  # until it has a frame
            assert recording.poll() is None, recording.communicate()
        status, _, error = programs.run("set 1 fault_unplug_ms=3000")
        assert status == 1 and b"unplugged" in error, error
        missed = told(line, stream, programs.seen)
        assert missed["cause"] == "camera_unplugged" and missed["settings_were_set_again"] is True, (line, missed)
        assert not missed["new_node"] and not missed["new_boot"] and "was unplugged" in missed["reason"], (line, missed)
        assert missed["pause_ms"] > 2_000, (line, missed)
        back = json.loads(watch.stdout.readline())
        assert back["controls"][0]["name"] == "brightness" and back["change"] == 0 and back["changed"] == [], back
        assert back["resumption"]["cause"] == "camera_unplugged" and back["resumption"]["settings_were_set_again"] is True, back
        value = back["controls"][0]["value"] + 1
        assert programs.run(f"set 1 brightness={value}")[0] == 0
        event = json.loads(watch.stdout.readline())
        assert event["controls"][0]["value"] == value, event
        out, error = recording.communicate(timeout=30)
        assert recording.returncode == 0, error
        hold(out, "stream", programs.seen)
        summary = json.loads(out)
        assert (summary["frames"], summary["resumptions"]) == (60, 1), summary
        # The pause is told once, not at each attempt.
        assert error.count(b"no frames for now: ") == 1 and error.count(b"frames again after ") == 1 and b"was unplugged" in error, error
    finally:
        for process in stream, watch, recording:
            process.kill()
            process.communicate(timeout=20)


def a_state_file_that_cannot_be_written_is_told(programs):
    """Where the new file would be made there is a folder."""
    def failure():
        text = programs.run("status", "--json")[1]
        hold(text, definition("status"), programs.seen)
        return json.loads(text)["state_failure"]
    # Nothing is left to write behind it.
    assert programs.run("profile save 0 before")[0] == 0 and failure() is None
    folder = programs.directory / "state.new"
    folder.mkdir()
    assert programs.run("profile save 0 meanwhile")[0] == 1
    assert failure()["message"].startswith(f"{programs.directory}/state cannot be written: "), failure()
    folder.rmdir()
    assert programs.run("profile save 0 after")[0] == 0 and failure() is None


def who_looks_is_told(programs):
    """By `status`, and by `access list` to an admin."""
    stream = programs.start("stream 0 --json-frames")
    try:
        assert stream.stdout.readline()
        for line in "status", f"access list --node {programs.socket}":
            text = programs.run(line, "--json")[1]
            hold(text, definition(line), programs.seen)
            (viewer,) = json.loads(text)["viewers"]
            told = [viewer[member] for member in ("camera", "kind", "client", "user", "waiting")]
            assert told == ["synthetic-physics-0", "video", None, None, False] and viewer["address"].startswith("127.0.0.1:"), viewer
    finally:
        stream.kill()
        stream.communicate(timeout=20)


def every_type_was_met(programs):
    """Behind the tests that meet them."""
    assert set(TYPES) - programs.seen == UNSEEN, (set(TYPES) - programs.seen) ^ UNSEEN


TESTS = [
    the_schema_is_one_and_leaves_no_member_open,
    what_is_not_in_the_schema_is_found,
    every_command_has_a_definition,
    the_page_names_every_member,
    every_command_prints_what_the_schema_says,
    every_failure_is_what_the_schema_says,
    what_was_done_before_a_failure_is_told,
    what_was_missed_is_told,
    a_camera_that_comes_back_is_told,
    a_state_file_that_cannot_be_written_is_told,
    who_looks_is_told,
    every_type_was_met,
]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as directory:
        programs = Programs(Path(sys.argv[1]).resolve(), Path(directory))
        try:
            failures = [test for test in TESTS if not passes(test, programs)]
        finally:
            programs.close()
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
