"""Photos of full size beside a small stream of vivid's; djpeg is the witness of the photo, the frames' own times are those of the gap."""

import tempfile
import threading
from pathlib import Path

import pictures
from cameras import NEUTRAL, SINGLE, capture_client
from control import until

LONGEST_GAP = 0.5  # seconds
pb = capture_client.pb


class Viewer:
    """Live frames of 640x480 as a client has them."""

    def __init__(self, machine, **rendition):
        yuyv = int.from_bytes(b"YUYV", "little")
        self._rendition = rendition or {"encoding": pb.ENCODING_RAW, "pixel_format": yuyv}
        self._connection = capture_client.Connection(machine.address, timeout=20, credential=machine.credential.secret)
        self.frames = []  # without their data
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self):
        for frame in self._connection.frames(SINGLE, size=pb.Size(width=640, height=480), window=8, rate=25, **self._rendition):
            assert frame.data, frame
            frame.data = b""
            self.frames.append(frame)
            if self._ends:
                return

    def __enter__(self):
        self._ends = False
        self._connection.__enter__()
        self._thread.start()
        return self

    def __exit__(self, *error):
        self._ends = True
        self._thread.join(10)
        return self._connection.__exit__(*error)

    def more(self, count):
        goal = len(self.frames) + count
        until(20, f"{count} frames", lambda: len(self.frames) >= goal)


def a_photo_of_full_size_interrupts_a_stream_briefly(machine, control):
    control("set", SINGLE, *NEUTRAL)

    def switch():
        with Viewer(machine) as viewer, tempfile.TemporaryDirectory() as directory:
            viewer.more(20)
            refused = control.refused("photo", SINGLE, "--size", "1920x1080", "-o", f"{directory}/none.jpg")
            assert "640x480" in refused, refused
            photo = Path(directory, "large.jpg")
            waited = machine.waited()
            told = control.json("photo", SINGLE, "--full-size", "switch", "--size", "1920x1080", "-o", str(photo))
            viewer.more(20)
            waited = machine.waited() - waited
            frames = viewer.frames
            pictures.check_bars(photo.read_bytes(), (1920, 1080))
        sizes = {(frame.info.size.width, frame.info.size.height) for frame in frames}
        assert sizes == {(640, 480)}, sizes
        marks = [place for place, frame in enumerate(frames) if frame.discontinuity]
        assert len(marks) == 1, (marks, frames)
        (first,) = marks
        mark = (frames[first].discontinuity, frames[first].reason)
        assert mark == (pb.DISCONTINUITY_RECONFIGURED, "a photo of 1920x1080 was taken"), mark
        before, after = (frames[place].info.timestamp_ns for place in (first - 1, first))
        photographed, gap = ((until - before) / 1e9 for until in (told["info"]["timestamp_ns"], after))
        report = f"a gap of {gap * 1000:.0f} ms, the photo {photographed * 1000:.0f} ms after its begin; {frames[first].info.sequence} frames withheld, and " \
            f"{waited * 1000:.0f} ms without a processor"
        # What the emulated machine waited for a processor meanwhile is not the node's.
        assert gap <= LONGEST_GAP + waited, report
        assert control.camera(SINGLE)["frames_corrupt"] == 0
        return report

    print(f"# {machine.measure(switch)}", flush=True)


def photos_of_full_size_are_frames_of_a_stream_that_stays_large(machine, control):
    control("set", SINGLE, *NEUTRAL)
    with Viewer(machine, encoding=pb.ENCODING_JPEG) as viewer, tempfile.TemporaryDirectory() as directory:
        viewer.more(20)
        for number in range(3):
            photo = Path(directory, f"{number}.jpg")
            control.json("photo", SINGLE, "--full-size", "big", "--size", "1920x1080", "-o", str(photo))
            pictures.check_bars(photo.read_bytes(), (1920, 1080))
        viewer.more(5)
        # The raw frames of vivid's cannot be made of larger ones.
        refused = control.refused("stream", SINGLE, "--format", "YUYV", "--count", "1", "-o", f"{directory}/none")
        assert "runs in 1920x1080 for photos" in refused, refused
        marks = [frame for frame in viewer.frames if frame.discontinuity]
        assert [mark.reason[:len("the camera runs in 1920x1080")] for mark in marks] == ["the camera runs in 1920x1080"], marks
        until(60, "it goes back", lambda: any(frame.reason.endswith("again") for frame in viewer.frames))
        viewer.more(20)
        frames = viewer.frames
    assert {(frame.info.size.width, frame.info.size.height) for frame in frames} == {(640, 480)}
    gaps = [(frame.reason, (frame.info.timestamp_ns - before.info.timestamp_ns) / 1e6) for before, frame in zip(frames, frames[1:]) if frame.discontinuity]
    assert len(gaps) == 2 and gaps[1][0].startswith("the camera runs in 640x480"), gaps
    print(f"# {'; '.join(f'{reason}: a gap of {gap:.0f} ms' for reason, gap in gaps)}", flush=True)


TESTS = (a_photo_of_full_size_interrupts_a_stream_briefly, photos_of_full_size_are_frames_of_a_stream_that_stays_large)
