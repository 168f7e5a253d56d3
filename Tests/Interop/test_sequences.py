"""Brackets, their fusion, bursts and photos of a moment, as a person takes them with capturectl; and what a client that dies leaves behind.

usage: test_sequences.py DIRECTORY-OF-PROGRAMS

Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from capture_client import Connection, pb
from configured_node import all_pass, configured_node

# A window in a room: what is bright and what is dark do not fit into one exposure. Bursts are of the scene.
CONFIGURATION = """{
  listen: [{address: "127.0.0.1:0", trustLocalUsers: true}], state: "none", cameras: ["synthetic:physics:640x480@30,light=-1,window=7", "synthetic:1920x1080@60", "synthetic:1280x720@30"],
  library: {root: "LIBRARY", freeBytes: 0},
}"""
PHYSICS, FAST, RAW = "synthetic-physics-0", "synthetic-1", "synthetic-2"


class Program:
    def __init__(self, programs, address, folder):
        self.command = [str(Path(programs) / "capturectl"), "--node", address]
        self.folder = Path(folder)

    def start(self, *words, **options):
        return subprocess.Popen([*self.command, *map(str, words)], cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def run(self, *words, code=0, **options):
        process = self.start(*words, **options)
        out, error = process.communicate(timeout=180)
        assert process.returncode == code, (words, process.returncode, out, error)
        return out if code == 0 else error

    def json(self, *words):
        return json.loads(self.run("--json", *words))


def luma(path):
    """The luma of a picture, by a decoder that is not ours."""
    command = ["ffmpeg", "-loglevel", "error", "-i", str(path), "-f", "rawvideo", "-pix_fmt", "gray", "-"]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout


def clipped(path):
    """The part of its pixels that are black or white."""
    pixels = luma(path)
    return sum(pixels.count(value) for value in (*range(3), *range(253, 256))) / len(pixels)


def a_fused_bracket_clips_less(program):
    before = program.json("controls", PHYSICS)
    document = program.json("photo", PHYSICS, "--bracket-bias=-2,0,2", "--fuse", "-o", "w-%d.jpg")
    assert [round(photo["bracket"]["bias"]) for photo in document["photos"]] == [-2, 0, 2], document
    assert all(photo["bracket"]["provenance"] == "assumed" for photo in document["photos"]), document
    assert document["fused"] == "w-fused.jpg" and (program.folder / "w-fused.jpg").exists()
    single = [clipped(program.folder / f"w-{number}.jpg") for number in (1, 2, 3)]
    fused = clipped(program.folder / "w-fused.jpg")
    print(f"# clipped: {[f'{part:.4%}' for part in single]}, fused {fused:.4%}")
    assert min(single) > 0.001 and fused <= min(single) / 4, (single, fused)
    durations = [photo["info"]["settings"]["exposure_duration"]["value"] for photo in document["photos"]]
    assert 3 < durations[1] / durations[0] < 5.1 and 3 < durations[2] / durations[1] < 5.1, durations
    modes = [[control["value"] for control in listed if control["name"] == "auto_exposure"] for listed in (before["controls"], program.json("controls", PHYSICS)["controls"])]
    assert modes[0] == modes[1], modes


def without_enfuse_nothing_is_taken(program):
    error = program.run("photo", PHYSICS, "--bracket-bias=-1,1", "--fuse", "-o", "none.jpg", code=1, env={"PATH": "/nonexistent"})
    assert "enfuse" in error and not (program.folder / "none.jpg").exists(), error


def several_photos_need_a_name_each(program):
    error = program.run("photo", PHYSICS, "--bracket-bias=-1,1", "-o", "one.jpg", code=1)
    assert "one-%d.jpg" in error, error


def names_have_the_camera_and_the_frame(program):
    document = program.json("photo", PHYSICS, "-o", "{camera}-{sequence}.jpg")
    name = f"{PHYSICS}-{document['info']['sequence']}.jpg"
    assert [path.name for path in program.folder.iterdir()] == [name], document
    program.run("photo", FAST, "--burst", "3", "-o", "b-{camera}-{sequence}.jpg")
    assert len(list(program.folder.glob(f"b-{FAST}-*.jpg"))) == 3


def a_bracket_needs_the_lease_that_another_holds(program, address):
    with Connection(address, timeout=60) as node:
        lease = node.unary("capture.v1.Leases/Acquire", pb.AcquireLeaseRequest(device=PHYSICS, holder="the lab", duration_ms=30_000), pb.LeaseInfo)
        error = program.run("photo", PHYSICS, "--bracket-bias=-1,1", "-o", "l-%d.jpg", code=1)
        assert "is leased by the lab" in error and not list(program.folder.glob("l-*")), error
        node.unary("capture.v1.Leases/Release", pb.ReleaseLeaseRequest(token=lease.token), pb.ReleaseLeaseResponse)
    program.run("photo", PHYSICS, "--bracket-bias=-1,1", "-o", "l-%d.jpg")


def a_client_that_dies_leaves_the_camera_as_it_was(program, address):
    with Connection(address, timeout=60) as node:
        def values():
            answer = node.unary("capture.v1.Settings/Get", pb.GetSettingsRequest(device=PHYSICS), pb.CameraSettings)
            return answer.exposure.mode, answer.focus.mode
        before = values()
        process = program.start("photo", PHYSICS, "--bracket-exposure", ",".join(["1/500", "1/60"] * 40), "-o", "d-%d.jpg")
        deadline = time.monotonic() + 60
        while not list(program.folder.glob("d-2.jpg")) and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert list(program.folder.glob("d-2.jpg"))
        deadline = time.monotonic() + 30
        while values() != before and time.monotonic() < deadline:
            time.sleep(0.05)
        assert values() == before, (before, values())


def a_burst_has_every_frame(program, address):
    """At the full rate, 2 s here; CAPTURE_BURST=10 takes that many seconds."""
    seconds = int(os.environ.get("CAPTURE_BURST", "2"))
    for camera, rate in ((FAST, 60), (RAW, 30)):
        with Connection(address, timeout=120) as node:
            rendition = pb.Rendition(source_pixel_format=int.from_bytes(b"MJPG", "little")) if camera == FAST else pb.Rendition(source_pixel_format=int.from_bytes(b"YUYV", "little"), quality=90)
            request = pb.CapturePhotoRequest(device=camera, settings=pb.PhotoSettings(burst=seconds * rate, rendition=rendition, settle=pb.SettlingBound()))
            photos = []
            for event in node.server_stream("capture.v1.Photos/Capture", request, pb.PhotoEvent, timeout=120):
                if event.stage == pb.PhotoEvent.PHOTO:
                    photos.append((event.info.sequence, event.info.timestamp_ns, event.place.lost, len(event.data), event.info.size.width))
        gaps = [(a, b) for a, b in zip(photos, photos[1:]) if b[0] != a[0] + 1 or b[2]]
        span = (photos[-1][1] - photos[0][1]) / 1e9
        print(f"# burst of {camera}: {len(photos)} photos in {span:.2f} s, {len(gaps)} gaps, {sum(photo[3] for photo in photos) / 1e6:.0f} MB")
        assert len(photos) == seconds * rate and not gaps, gaps[:5]


def a_moment_that_has_passed(program):
    stream = program.start("stream", FAST, "--duration", "20", "-o", os.devnull)
    try:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            recent = program.json("describe", FAST)["recent_frames"]
            if recent and recent["seconds"] > 0.5:
                break
            time.sleep(0.1)
        document = program.json("photo", FAST, "--time=-0.3", "-o", "ago.jpg")
        assert abs(document["nearness"]["seconds"]) <= 0.5 / 60 + 0.001, document["nearness"]
        document = program.json("photo", FAST, "--time", "now", "-o", "now.jpg")
        assert -0.2 < document["nearness"]["seconds"] <= 0, document["nearness"]
        error = program.run("photo", FAST, "--time=-3600", "-o", "far.jpg", code=1)
        assert "reach" in error, error
    finally:
        stream.send_signal(signal.SIGINT)
        stream.communicate(timeout=20)


def a_running_session_keeps_frames_without_viewers(program):
    program.run("session", "configure", "ring", "--input", RAW, "--start")
    try:
        until(lambda: (program.json("describe", RAW)["recent_frames"] or {"seconds": 0})["seconds"] > 0.4)
        document = program.json("photo", "--session", "ring", "--time=-0.3", "-o", "ago.jpg")
        # One of then: the next frame would be 0.3 s too late.
        assert abs(document["nearness"]["seconds"]) < 0.1, document["nearness"]
    finally:
        program.run("session", "close", "ring")


def the_shot_stands_in_the_metadata(program):
    program.run("photo", PHYSICS, "--shot", "door & window", "-o", "shot.jpg")
    found = subprocess.run(["exiftool", "-s3", "-XMP:Shot", str(program.folder / "shot.jpg")], stdout=subprocess.PIPE, check=True, text=True).stdout
    assert found.strip() == "door & window", found


def the_same_request_gives_the_same_photo(program):
    for name in "first", "second":
        program.run("photo", PHYSICS, "--request-id", "door 7", "-o", f"{name}.jpg")
    first, second = ((program.folder / f"{name}.jpg").read_bytes() for name in ("first", "second"))
    assert first == second
    program.run("photo", PHYSICS, "--request-id", "door 8", "-o", "other.jpg")
    assert (program.folder / "other.jpg").read_bytes() != first
    error = program.run("photo", PHYSICS, "--request-id", "door 9", "--count", "2", "-o", "many-%d.jpg", code=2)
    assert "--request-id is for one photo" in error, error
    words = {"bracket": ("--bracket-exposure", "1/500,1/100"), "burst": ("--burst", "3")}
    for kind, options in words.items():
        for name in "first", "second":
            program.run("photo", PHYSICS, *options, "--request-id", kind, "-o", f"{kind}-{name}-%d.jpg")
        files = [[path.read_bytes() for path in sorted(program.folder.glob(f"{kind}-{name}-*.jpg"))] for name in ("first", "second")]
        assert len(files[0]) == (2 if kind == "bracket" else 3) and files[0] == files[1], [list(map(len, some)) for some in files]
    error = program.run("photo", PHYSICS, "--burst", "2", "--request-id", "burst", "-o", "other-%d.jpg", code=1)
    assert "is that of another request" in error and not list(program.folder.glob("other-*")), error


def what_would_become_of_a_photo_is_told_and_none_is_taken(program):
    words = "photo", PHYSICS, "--format", "jpeg,png", "--size", "320x240", "--thumbnail", "--dry-run"
    document = program.json(*words, "-o", "none")
    assert [(file["type"], file["size"]) for file in document["files"]] == [(kind, {"width": 320, "height": 240}) for kind in ("jpeg", "png")], document
    assert document["thumbnail"] == {"width": 160, "height": 120} and document["settling_seconds"] == 2, document
    assert "320x240" in program.run(*words)
    error = program.run("photo", PHYSICS, "--size", "321x240", "--dry-run", code=1)
    assert "321x240" in error, error
    for several in ("--bracket-exposure", "1/500,1/100"), ("--bracket-lens", "0,1"), ("--burst", "3"):
        document = program.json("photo", PHYSICS, *several, "--dry-run")
        assert [(file["type"], file["size"]["width"]) for file in document["files"]] == [("jpeg", 640)], document
    error = program.run("photo", PHYSICS, "--bracket-exposure", "1/500,0.4", "--dry-run", code=1)
    assert "step 2 of the bracket" in error and "frames a second" in error, error
    error = program.run("photo", PHYSICS, "--time", "now", "--dry-run", code=1)
    assert "does not stream" in error, error
    assert not list(program.folder.iterdir())
    assert not program.json("status")["cameras"][0]["streaming"]


def several_photos_are_kept_in_the_library(program):
    document = program.json("photo", PHYSICS, "--bracket-exposure", "1/500,1/100", "--store")
    assets = [photo["asset"] for photo in document["photos"]]
    assert len(set(assets)) == 2 and all(not photo["files"] for photo in document["photos"]), document
    document = program.json("photo", FAST, "--burst", "3", "--store", "-o", "kept-%d.jpg")
    assets += [photo["asset"] for photo in document["photos"]]
    listed = {asset["id"] for asset in program.json("library", "list")["assets"]}
    assert len(set(assets)) == 5 and set(assets) <= listed, (assets, listed)
    assert len(list(program.folder.glob("kept-*.jpg"))) == 3


def the_node_stores_the_files_that_were_asked_for(program, address):
    def kept(*words):
        """The media types of each asset that a command adds."""
        document = program.json("photo", RAW, *words, "--store")
        listed = {asset["id"]: asset for asset in program.json("library", "list")["assets"]}
        return [[file["media_type"] for file in listed[photo["asset"]]["resources"]] for photo in document.get("photos", [document])]

    jpeg, png, dng = "image/jpeg", "image/png", "image/x-adobe-dng"
    assert kept() == [[jpeg]]
    assert kept("--format", "png") == [[png]]
    assert kept("--format", "dng") == [[dng]]
    assert kept("--format", "jpeg,dng") == [[jpeg, dng]]
    assert kept("--format", "dng", "--burst", "2") == [[dng]] * 2
    assert kept("--format", "jpeg,png", "--burst", "2") == [[jpeg, png]] * 2
    # Each has something to look at.
    ids = [asset["id"] for asset in program.json("library", "list")["assets"]]
    with Connection(address, timeout=60) as node:
        for thumbnail in node.server_stream("capture.v1.Library/Thumbnails", pb.AssetIds(ids=ids), pb.Thumbnail, window=64):
            assert 80 <= max(thumbnail.size.width, thumbnail.size.height) <= 160, thumbnail.id
            path = program.folder / "thumbnail.jpg"
            path.write_bytes(thumbnail.data)
            assert len(set(luma(path))) > 20, thumbnail.id
    before = len(ids)
    for several in (), ("--burst", "2"):
        error = program.run("photo", RAW, "--format", "raw", *several, "--store", code=1)
        assert "leave out raw" in error, error
    assert len(program.json("library", "list")["assets"]) == before
    program.run("photo", RAW, "--preview", "small.jpg", "--store")
    assert 0 < len(luma(program.folder / "small.jpg")) <= 640 * 480


def several_photos_have_several_formats(program):
    document = program.json("photo", RAW, "--burst", "2", "--format", "jpeg,png", "-o", "both-%d")
    assert sorted(path.name for path in program.folder.iterdir()) == ["both-1.jpg", "both-1.png", "both-2.jpg", "both-2.png"], list(program.folder.iterdir())
    assert [[file["type"] for file in photo["files"]] for photo in document["photos"]] == [["jpeg", "png"]] * 2, document
    error = program.run("photo", RAW, "--burst", "2", "--format", "jpeg,png", "-o", "-", code=1)
    assert "--output" in error, error


def photos_of_a_sequence_say_so(program):
    """In their files, and in the library."""
    document = program.json("photo", PHYSICS, "--bracket-bias=-1,1", "--shot", "door", "--store", "-o", "b-%d.jpg")
    for number, photo in enumerate(document["photos"], 1):
        member = photo["metadata"]["sequence"]
        assert member["name"].startswith("bracket-") and (member["number"], member["count"]) == (number, 2), member
        assert member["bracket"] == photo["bracket"] and photo["bracket"]["provenance"] == "assumed", member
        command = ["exiftool", "-j", "-n", "-XMP:all", str(program.folder / f"b-{number}.jpg")]
        (read,) = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
        expected = {
            "Sequence": member["name"], "SequenceNumber": number, "SequenceCount": 2, "BracketProvenance": "assumed", "FrameNumber": photo["info"]["sequence"],
            "BracketWaitedFrames": photo["bracket"]["waited_frames"],
        }
        assert {name: read.get(name) for name in expected} == expected, read
        assert abs(read["BracketBias"] - photo["bracket"]["bias"]) < 0.001, read
    bracket = document["photos"][0]["metadata"]["sequence"]["name"]
    burst = program.json("photo", FAST, "--burst", "3", "--no-metadata", "--store")["photos"]
    for name, photos, shot in (bracket, document["photos"], "door"), (None, burst, ""):
        listed = {asset["id"]: asset for asset in program.json("library", "list")["assets"]}
        name = name or listed[photos[0]["asset"]]["sequence"]
        found = program.json("library", "list", "--sequence", name)["assets"]
        assert {asset["id"] for asset in found} == {photo["asset"] for photo in photos}, (name, found)
        assert {asset["shot"] for asset in found} == {shot}, found


def a_client_that_does_not_read_keeps_nothing_from_the_library(program):
    """Photos that are stored wait for their client without their bytes: room for a few is enough."""
    library = program.folder / "library"
    subprocess.run([program.command[0].replace("capturectl", "capture-node"), "library", "init", "--mark-only", str(library)], check=True, stdout=subprocess.DEVNULL)
    configuration = f"""{{
      listen: [{{address: "127.0.0.1:0", trustLocalUsers: true}}], state: "none", cameras: ["synthetic:640x480@10"],
      library: {{root: "{library}", freeBytes: 0}}, limits: {{unreadPhotoBytes: 1000000}},
    }}"""
    count = 60
    with configured_node(Path(program.command[0]).parent, configuration) as address, Connection(address, timeout=60) as node, Connection(address, timeout=60) as other:
        settings = pb.PhotoSettings(burst=count, store=pb.STORE_MODE_ALSO, rendition=pb.Rendition(quality=95), settle=pb.SettlingBound())
        events = node.server_stream("capture.v1.Photos/Capture", pb.CapturePhotoRequest(device="0", settings=settings), pb.PhotoEvent, timeout=120)
        next(events)
        until(lambda: other.unary("capture.v1.Library/Status", pb.LibraryStatusRequest(), pb.LibraryStatus).assets == count)  # the disk is faster
        photos = [event for event in events if event.stage == pb.PhotoEvent.PHOTO]
        bytes_sent = sum(len(photo.data) for photo in photos)
        print(f"# {len(photos)} photos of {bytes_sent / 1e6:.1f} MB, of which at most 1 MB waited")
        assert [photo.place.number for photo in photos] == list(range(1, count + 1)) and bytes_sent > 2e6, (len(photos), bytes_sent)
        assert all(photo.data[:2] == b"\xff\xd8" and photo.asset_id for photo in photos)


def a_photo_is_larger_than_the_stream_that_runs(program):
    stream = program.start("stream", FAST, "--size", "640x480", "--duration", "20", "-o", os.devnull)
    try:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and not any(camera["streaming"] for camera in program.json("status")["cameras"]):
            time.sleep(0.1)
        error = program.run("photo", FAST, "--size", "1920x1080", "--full-size", "stream", "-o", "none.jpg", code=1)
        assert "640x480" in error, error
        for words in (), ("--size", "1280x720"):
            document = program.json("photo", FAST, "--full-size", "switch", *words, "-o", "large.jpg")
            size = document["info"]["size"]
            assert f"{size['width']}x{size['height']}" == (words[1] if words else "1920x1080"), document["info"]
        error = program.run("photo", FAST, "--full-size", "switch", "--burst", "2", "-o", "b-%d.jpg", code=1)
        assert "leave out full_size or the burst" in error, error
        assert stream.poll() is None
    finally:
        stream.send_signal(signal.SIGINT)
        stream.communicate(timeout=20)


class Viewer:
    """Live JPEGs of a size as a client has them, while its block lasts."""

    def __init__(self, address, **rendition):
        self.frames, self.latest = [], b""  # without their data
        self._ends = False
        self._thread = threading.Thread(target=self._watch, args=(address, rendition), daemon=True)

    def _watch(self, address, rendition):
        with Connection(address, timeout=60) as node:
            for frame in node.frames(FAST, **rendition):
                if frame.data:
                    self.latest, frame.data = frame.data, b""
                    self.frames.append(frame)
                if self._ends:
                    return

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *error):
        self._ends = True
        self._thread.join(20)

    def more(self, wanted):
        goal = len(self.frames) + wanted
        until(lambda: len(self.frames) >= goal)

    def marks(self):
        return [(frame.discontinuity, frame.reason) for frame in self.frames if frame.discontinuity]


def until(condition):
    deadline = time.monotonic() + 40
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def viewers_keep_their_size_while_photos_of_full_size_are_taken(program, address):
    sizes = (640, 480), (320, 240)
    renditions = [{"size": pb.Size(width=width, height=height)} for width, height in sizes]
    renditions[1]["quality"] = 60
    with Viewer(address, **renditions[0]) as first:
        first.more(5)  # it has chosen the format
        with Viewer(address, **renditions[1]) as second:
            second.more(5)
            for number in range(3):
                document = program.json("photo", FAST, "--full-size", "big", "-o", f"large-{number}.jpg")
                assert document["info"]["size"] == {"width": 1920, "height": 1080}, document["info"]
                assert len(luma(program.folder / f"large-{number}.jpg")) == 1920 * 1080
            document = program.json("photo", FAST, "--full-size", "big", "--burst", "3", "-o", "burst-%d.jpg")
            assert [photo["info"]["size"]["width"] for photo in document["photos"]] == [1920] * 3, document
            for viewer, (width, height) in zip((first, second), sizes):
                viewer.more(5)
                assert {(frame.info.size.width, frame.info.size.height) for frame in viewer.frames} == {(width, height)}
                picture = program.folder / f"{width}.jpg"
                picture.write_bytes(viewer.latest)
                assert len(luma(picture)) == width * height
                # One change of format for all the photos.
                ((kind, reason),) = viewer.marks()
                assert kind == pb.DISCONTINUITY_RECONFIGURED and reason.startswith("the camera runs in 1920x1080 at "), reason
            # Ten seconds after the last photo the camera has the viewers' format again.
            for viewer in (first, second):
                until(lambda: len(viewer.marks()) == 2)
                assert viewer.marks()[1][1].startswith("the camera runs in 640x480 at "), viewer.marks()
                viewer.more(3)
                assert len({(frame.info.size.width, frame.info.size.height) for frame in viewer.frames}) == 1


TESTS = [
    viewers_keep_their_size_while_photos_of_full_size_are_taken,
    a_photo_is_larger_than_the_stream_that_runs,
    a_fused_bracket_clips_less, without_enfuse_nothing_is_taken, several_photos_need_a_name_each, names_have_the_camera_and_the_frame,
    a_bracket_needs_the_lease_that_another_holds, a_client_that_dies_leaves_the_camera_as_it_was,
    a_burst_has_every_frame, a_moment_that_has_passed, a_running_session_keeps_frames_without_viewers, the_shot_stands_in_the_metadata, the_same_request_gives_the_same_photo,
    what_would_become_of_a_photo_is_told_and_none_is_taken, several_photos_are_kept_in_the_library, the_node_stores_the_files_that_were_asked_for,
    several_photos_have_several_formats, photos_of_a_sequence_say_so, a_client_that_does_not_read_keeps_nothing_from_the_library,
]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)

    def run(test, address, folder):
        test(*(Program(sys.argv[1], address, folder), address)[:test.__code__.co_argcount])

    # That one compares the camera with what it was before.
    sys.exit(not all_pass(TESTS, sys.argv[1], CONFIGURATION, run, once={a_client_that_dies_leaves_the_camera_as_it_was}))


if __name__ == "__main__":
    main()
