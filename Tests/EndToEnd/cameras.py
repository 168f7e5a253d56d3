"""Vivid's cameras through capturectl; v4l2-ctl in the machine is the witness."""

import itertools
import os
import re
import sys
import tempfile
import time
from pathlib import Path

import pictures
from machine import NODE_PORT, PROJECT

sys.path.insert(0, str(PROJECT / "Tests/Interop"))

import capture_client  # noqa: E402

SINGLE, MULTI = "platform-vivid-000", "platform-vivid-001"
PATHS = {SINGLE: "/dev/video0", MULTI: "/dev/video1"}
SMALL = ("--size", "320x180", "--rate", "30", "--format", "YUYV")
SMALL_BYTES = 320 * 180 * 2
PIXEL_BLOCKS = 20 * 12  # of 16x16 pixels in that, each with an element of u8_pixel_array
NO_FAULTS = "percentage_of_dropped_buffers=0,wrap_sequence_number=0,wrap_timestamp=0"


def on(camera, test, *arguments):
    """A test with its camera, by its name, what it injects, and the kind of camera."""
    def run(machine, control):
        test(machine, control, camera, *arguments)
    kind = {SINGLE: "single_planar", MULTI: "multi_planar"}[camera]
    run.__name__ = "_".join((test.__name__, *(f"after_{argument}" for argument in arguments), kind))
    return run


def reset(machine):
    """Lifts all faults."""
    machine.guest(" && ".join(f"v4l2-ctl -d {path} --set-ctrl={NO_FAULTS}" for path in PATHS.values()))


def lists_both_cameras(machine, control):
    devices = [device for device in control.json("devices")["devices"] if device["driver"] == "vivid"]
    seen = [(device["index"], device["id"], device["path"], device["usable"], device["multiplanar"]) for device in devices]
    assert seen == [(0, SINGLE, "/dev/video0", True, False), (1, MULTI, "/dev/video1", True, True)], seen


def lists_the_formats_sizes_and_rates_that_v4l2_lists(machine, control):
    for camera, path in PATHS.items():
        listed = control.json("formats", camera)["formats"]
        witness = machine.guest(f"v4l2-ctl -d {path} --list-formats-ext")
        codes = [code.strip() + big for code, big in re.findall(r"\[\d+\]: '(.{4})(-BE)?'", witness)]
        assert [format["pixel_format"] for format in listed] == codes, (camera, listed, codes)
        sizes = [f"{size['minimum']['width']}x{size['minimum']['height']}" for format in listed for size in format["sizes"]]
        assert sizes == re.findall(r"Size: Discrete (\S+)", witness), camera
        rates = [rate["fps"] for format in listed for size in format["sizes"] for rate in size["intervals"]]
        assert sorted(rates) == sorted(float(rate) for rate in re.findall(r"\((\S+) fps\)", witness)), camera


def lists_the_controls_that_v4l2_lists(machine, control):
    for camera, path in PATHS.items():
        witness = re.findall(r"(\w+) 0x([0-9a-f]{8}) \((\w+)\)", machine.guest(f"v4l2-ctl -d {path} --list-ctrls"))
        listed = [item for item in control.json("controls", camera)["controls"] if item["type"] != "class"]
        assert sorted((item["name"], item["id"]) for item in listed) == sorted((name, int(id, 16)) for name, id, _ in witness), camera


# A control of every type: what capturectl is told, and what v4l2-ctl shows then.
# Colour bars at rest, whatever the tests before have set.
NEUTRAL = ("test_pattern=1", "osd_text_mode=2", "brightness=128", "contrast=128", "saturation=128", "hue=0")
VALUES = (
    ("brightness", "77", "77"), ("boolean", "off", "0"), ("menu", "Menu Item 4", "4 (Menu Item 4)"), ("integer_menu", "6", "6 (13 0xd)"),
    ("integer_32_bits", "-5", "-5"), ("integer_64_bits", "-9000000000", "-9000000000"), ("bitmask", "0x80402000", "-2143281152"),
    ("string", "abcd", "'abcd'"), ("area", "8002000068010000", "640x360"),
)
# For each array: the number of its elements, the least value, and how many values there are from there on.
ARRAYS = {
    "u32_1_element_array": (1, 4242, 100), "u16_8x16_matrix": (128, 16, 8000), "u8_2x3x4x5_array": (120, 16, 17),
    "u32_dynamic_array": (3, 11, 80),
}
# What v4l2-ctl is told, and what capturectl reads then. Of each dimension of a part: the first element and how many.
SET_BY_V4L2 = {
    "contrast": ("11", 11), "boolean": ("1", 1), "menu": ("1", 1), "integer_menu": ("2", 2), "integer_32_bits": ("7", 7),
    "integer_64_bits": ("123456789012", 123456789012), "bitmask": ("0x2000", 0x2000), "string": ("xy", "xy"),
    "area": ("320x200", "40010000c8000000"), "u32_1_element_array": ("99", [99]), "u16_8x16_matrix": ("24", [24] * 128),
    "u8_2x3x4x5_array": ("20", [20] * 120), "u8_pixel_array": ("9", [9] * PIXEL_BLOCKS),
}
PARTS = {
    "u16_8x16_matrix": ("2,3,4,5", "99", [
        99 if row in (2, 3, 4) and column in range(4, 9) else 24 for row in range(8) for column in range(16)]),
    "u8_2x3x4x5_array": ("1,1,0,2,1,2,3,2", "31", [
        31 if a == 1 and b < 2 and c in (1, 2) and d > 2 else 20
        for a, b, c, d in itertools.product(range(2), range(3), range(4), range(5))]),
}


def shown(machine, camera, names):
    """Controls as v4l2-ctl shows them, "NAME: VALUE"; of an array, in lines "NAME[row]: 1, 2, …"."""
    lines = {name: [] for name in names}
    said = machine.guest(f"for name in {' '.join(names)}; do v4l2-ctl -d {PATHS[camera]} --get-ctrl $name; done")
    for line in said.splitlines():
        name, text = line.split(":", 1)
        lines[name.split("[")[0]].append(text.strip())
    return lines


def sets_every_type_of_control_and_v4l2_reads_it(machine, control, camera):
    for name, literal, _ in VALUES:
        printed = control("set", camera, f"{name}={literal}").split(" ", 1)
        assert printed[0] == name, printed
    witness = shown(machine, camera, [name for name, _, _ in VALUES])
    assert witness == {name: [text] for name, _, text in VALUES}, witness
    control("set", camera, "menu=3")
    assert control.value(camera, "menu") == 3
    arrays = {}
    for name, (count, least, numbers) in ARRAYS.items():
        arrays[name] = [least + 7 * n % numbers for n in range(count)]
        control("set", camera, f"{name}={','.join(map(str, arrays[name]))}")
        assert control.value(camera, name) == arrays[name], name
    for name, lines in shown(machine, camera, arrays).items():
        # For a dynamic array it shows as many elements as there may be.
        elements = [int(item) for item in ",".join(lines).split(",")][:len(arrays[name])]
        assert elements == arrays[name], (name, elements)
    control("set", camera, "button=1")


def reads_every_type_of_control_that_v4l2_set(machine, control, camera):
    def v4l2_sets(values, *options):
        assignments = ",".join(f"{name}={text}" for name, text in values.items())
        machine.guest(f"v4l2-ctl -d {PATHS[camera]} {' '.join(options)} --set-ctrl '{assignments}'")

    def read(names):
        return {item["name"]: item["value"] for item in control.json("get", camera, *names)["controls"]}

    control("stream", camera, *SMALL, "--count", "1")
    v4l2_sets({name: text for name, (text, _) in SET_BY_V4L2.items()})
    assert read(SET_BY_V4L2) == {name: value for name, (_, value) in SET_BY_V4L2.items()}, read(SET_BY_V4L2)
    v4l2_sets({name: text for name, (_, text, _) in PARTS.items()}, *(f"--subset {name},{part}" for name, (part, _, _) in PARTS.items()))
    assert read(PARTS) == {name: value for name, (_, _, value) in PARTS.items()}, read(PARTS)


def refuses_what_cannot_be_set_and_says_what_can(machine, control):
    control("set", SINGLE, "brightness=50", "gain_automatic=on")
    inactive = control.refused("set", SINGLE, "gain=5")
    assert "FAILED_PRECONDITION" in inactive and "change that one first" in inactive, inactive
    for assignment, code, text in (
        ("read_only_integer_32_bits=1", "FAILED_PRECONDITION", "read-only"),
        ("menu=2", "INVALID_ARGUMENT", "Menu Item 3"), ("brightness=256", "INVALID_ARGUMENT", "255"),
        ("nothing=1", "NOT_FOUND", "nothing"),
    ):
        error = control.refused("set", SINGLE, "brightness=60", assignment)
        assert code in error and text in error, (assignment, error)
        assert control.value(SINGLE, "brightness") == 50, f"{assignment}: what was set before it is not set back"
    assert "640x360" in control.refused("stream", SINGLE, "--size", "333x77", "--count", "1", "-o", "/dev/null")


def streams_thirty_frames_a_second_without_a_gap(machine, control):
    """In luminance alone and without text over the picture: an emulated processor that draws more than that is late by itself, and
    vivid then skips a frame. So it does where the host takes the processor away: a witness in the machine tells (late.c).
    For CAPTURE_STREAM_SECONDS, 12 if not given."""
    seconds = int(os.environ.get("CAPTURE_STREAM_SECONDS", "12"))
    due = 30 * seconds
    control("set", SINGLE, "osd_text_mode=2")

    def stream():
        before = control.camera(SINGLE)
        with machine.lateness(seconds, rate=30) as late:
            report = control.json("stream", SINGLE, "--size", "640x360", "--rate", "30", "--format", "GREY", "--duration", str(seconds))
        report["late"] = late.frames
        # However late: each frame came, was discarded with its number told, or is a gap.
        told = report["frames"] + report["discarded"] + report["sequence_gaps"]
        assert due * 885 // 900 <= told <= due * 930 // 900, f"{told} of {due} frames are accounted for: {report}"
        lost = control.camera(SINGLE)["frames_lost"] - before["frames_lost"]
        assert report["sequence_gaps"] <= late.frames and report["discarded"] <= late.frames and lost <= late.frames, report
        assert report["frames"] + late.frames >= due * 895 // 900 and 29.5 * (1 - late.frames / due) < report["fps"] < 30.5, report
        return report
    report = machine.measure(stream)
    if report["sequence_gaps"]:
        # The witness accounts for them; a machine that has its processors shows that time without.
        report = min(report, machine.measure(stream), key=lambda report: report["sequence_gaps"])
    gaps = report["sequence_gaps"]
    print(f"# {f'{gaps} gaps, no more than the machine was late' if gaps else 'no gap'}: {report}", flush=True)


def takes_a_photo_that_djpeg_decodes(machine, control):
    with tempfile.TemporaryDirectory() as directory:
        for camera in PATHS:
            photo = Path(directory, camera)
            control("photo", camera, "--size", "1280x720", "-o", str(photo))
            width, height, pixels = pictures.decode(photo.read_bytes())
            assert (width, height) == (1280, 720) and len(set(pixels)) > 10, f"{camera}: {width}x{height}, {len(set(pixels))} tones"


def a_photo_of_an_idle_camera_has_settled(machine, control):
    """Vivid has no control of its exposure, so its pictures are looked at; they are at rest."""
    control("set", SINGLE, *NEUTRAL)

    def photo(*arguments):
        return control.json("photo", SINGLE, "--size", "640x360", *arguments, "-o", "/dev/null")["settled"]

    settled = photo()
    assert settled["provenance"] == "observed" and settled["frames"] >= 5 and settled["seconds"] < 2, settled
    print(f"# {settled}", flush=True)
    assert photo("--settle", "none") is None


def encodes_colour_bars_in_their_colours(machine, control):
    # Through the node: it sets again at each stream's start what its clients set before.
    in_rec709 = ("colorspace=1", "transfer_function=0", "y_cbcr_encoding=0", "quantization=0")
    formats = {SINGLE: ("YUYV", "RGB3"), MULTI: ("NM12",)}
    pb = capture_client.pb
    with capture_client.Connection(machine.address, timeout=20, credential=machine.credential.secret) as node:
        for camera, codes in formats.items():
            control("set", camera, *NEUTRAL, *in_rec709)
            for code in codes:
                raw = one_frame(node, camera, code, encoding=pb.ENCODING_RAW)
                frame = one_frame(node, camera, code, encoding=pb.ENCODING_JPEG, quality=90)
                told = [(info.space, info.transfer_function, info.matrix, info.range) for info in (raw.info.colour, frame.info.colour)]
                of_samples = (pb.COLOUR_MATRIX_IDENTITY, pb.COLOUR_RANGE_FULL) if code == "RGB3" else \
                    (pb.COLOUR_MATRIX_REC709, pb.COLOUR_RANGE_LIMITED)
                rec709 = (pb.COLOUR_SPACE_REC709, pb.TRANSFER_FUNCTION_REC709)
                assert told == [(*rec709, *of_samples), (*rec709, pb.COLOUR_MATRIX_REC601, pb.COLOUR_RANGE_FULL)], (code, camera, told)
                try:
                    pictures.check_bars(frame.data, (640, 360))
                except AssertionError as error:
                    raise AssertionError(f"{code} of {camera}: {error}") from None
            with tempfile.TemporaryDirectory() as folder:
                colour = control.json("photo", camera, "-o", f"{folder}/photo.jpg")["info"]["colour"]
            assert colour == {"space": "rec709", "transfer_function": "rec709", "matrix": "rec601", "range": "full"}, (camera, colour)
            control("set", camera, "colorspace=2")  # its default


def encodes_every_kind_of_source_in_the_colours_of_its_raw_frame(machine, control):
    pb = capture_client.pb
    # A format, the driver's colour space and quantization, and what the raw frame is told to have.
    sources = (
        ("YUYV", 1, 0, "REC709", "LIMITED"), ("YUYV", 4, 0, "REC2020", "LIMITED"), ("YUYV", 6, 0, "SMPTE240M", "LIMITED"),
        ("YUYV", 1, 1, "REC709", "FULL"), ("RGB3", 1, 2, "IDENTITY", "LIMITED"), ("GREY", 1, 0, None, "FULL"),
    )
    with capture_client.Connection(machine.address, timeout=20, credential=machine.credential.secret) as node:
        for code, space, quantization, matrix, range_ in sources:
            control("set", SINGLE, *NEUTRAL, f"colorspace={space}", "transfer_function=0", "y_cbcr_encoding=0", f"quantization={quantization}",
                    "osd_text_mode=2")
            raw = one_frame(node, SINGLE, code, encoding=pb.ENCODING_RAW)
            frame = one_frame(node, SINGLE, code, encoding=pb.ENCODING_JPEG, quality=92)
            told = raw.info.colour
            assert told.range == getattr(pb, f"COLOUR_RANGE_{range_}"), (code, space, told)
            assert matrix is None or told.matrix == getattr(pb, f"COLOUR_MATRIX_{matrix}"), (code, space, told)
            try:
                pictures.check_as_raw(frame.data, raw.data, code, matrix, range_ == "FULL")
            except AssertionError as error:
                raise AssertionError(f"{code}, colour space {space}, quantization {quantization}: {error}") from None
    control("set", SINGLE, "colorspace=2", "quantization=0", "osd_text_mode=0")  # their defaults


def one_frame(node, camera, code, **options):
    """A frame of 640x360 pixels that the camera takes in a format."""
    native = int.from_bytes(code.encode(), "little")
    name = "pixel_format" if options["encoding"] == capture_client.pb.ENCODING_RAW else "source_pixel_format"
    frames = node.frames(camera, **{name: native}, size=capture_client.pb.Size(width=640, height=360), **options)
    frame = next(frame for frame in frames if frame.data)
    frames.close()
    assert frame.info.source_pixel_format == native, code
    return frame


def an_open_idle_camera_costs_no_processor_time(machine, control):
    """Cameras that were streamed from, with one client that watches them. The kernel says what the node used: asking it would cost."""
    def used():
        """Seconds of processor time, and how often each thread has slept."""
        stat, *slept = machine.guest("cd /proc/$(pidof capture-node) && cat stat && grep -sH ^voluntary task/*/status; true").splitlines()
        fields = stat.rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100, {name: int(count) for name, _, count in (line.split(":") for line in slept)}

    def idle():
        for camera in PATHS:
            control("stream", camera, *SMALL, "--count", "1")
        with control.watch() as watch:
            watch.event("listed")
            # By then the node has given back what the streams took (HeapReturn): it looks after 3 s, and at most three times again.
            time.sleep(7)
            seconds, slept = used()
            time.sleep(3)
            after, awake = used()
        spent, woken = round(after - seconds, 2), sum(count - slept.get(name, 0) for name, count in awake.items())
        # Each camera is asked once a second whether it is there. One that went on would wake the node 90 times more.
        assert woken <= 50, f"woken {woken} times in 3 s"
        assert spent <= 0.03, f"{spent:.2f} s of 3"
        return f"{spent:.2f} s of processor time in 3 s, woken {woken} times"
    print(f"# {machine.measure(idle)}", flush=True)


def a_full_disk_is_an_error_and_leaves_the_whole_frames(machine, control):
    machine.guest("mkdir -p /tmp/small && mount -t tmpfs -o size=300k tmpfs /tmp/small")
    try:
        said = machine.guest(
            f"! {machine.programs}/capturectl --credential-file {machine.credential.file} --node 10.0.2.15:{NODE_PORT} stream {SINGLE} {' '.join(SMALL)} -o /tmp/small/clip")
        assert "No space left on device" in said and "clip" in said, said
        # The disk has room for two.
        assert machine.guest("stat -c '%n %s' /tmp/small/* /tmp/small/.[!.]* 2> /dev/null; true").split() == [
            "/tmp/small/clip", str(2 * SMALL_BYTES)]
    finally:
        machine.guest("umount /tmp/small")


TESTS = (
    lists_both_cameras, lists_the_formats_sizes_and_rates_that_v4l2_lists, lists_the_controls_that_v4l2_lists,
    on(SINGLE, sets_every_type_of_control_and_v4l2_reads_it), on(SINGLE, reads_every_type_of_control_that_v4l2_set),
    refuses_what_cannot_be_set_and_says_what_can, streams_thirty_frames_a_second_without_a_gap,
    takes_a_photo_that_djpeg_decodes, a_photo_of_an_idle_camera_has_settled, encodes_colour_bars_in_their_colours,
    encodes_every_kind_of_source_in_the_colours_of_its_raw_frame, an_open_idle_camera_costs_no_processor_time,
    a_full_disk_is_an_error_and_leaves_the_whole_frames,
)
