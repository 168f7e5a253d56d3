"""Focus, exposure, white balance and zoom in units, on the USB camera; v4l2-ctl in the machine is the witness, or the camera itself."""

import contextlib
import random

from cameras import SINGLE, capture_client
from control import until
from controls import changed_at_random
from usb import CAMERA, PICTURE, unplugged

pb = capture_client.pb
INVALID_ARGUMENT = 3

# What capturectl is told, and what the driver then has.
CHANGES = (
    (("focus", "--lens", "0"), {"focus_automatic_continuous": 0, "focus_absolute": 250}),
    (("focus", "--lens", "1"), {"focus_absolute": 0}),
    (("expose", "--duration", "1/100"), {"auto_exposure": 1, "exposure_time_absolute": 100}),
    (("expose", "--duration", "0.02", "--gain", "30"), {"exposure_time_absolute": 200, "gain": 30}),
    (("white-balance", "--temperature", "3200"), {"white_balance_automatic": 0, "white_balance_temperature": 3200}),
    (("zoom", "2"), {"zoom_absolute": 200}),
    (("focus", "--mode", "continuous"), {"focus_automatic_continuous": 1}),
    (("expose", "--mode", "continuous"), {"auto_exposure": 3}),
    (("white-balance", "--mode", "continuous"), {"white_balance_automatic": 1}),
)


def driver(machine, control, names, camera=CAMERA, path=None):
    """What v4l2-ctl reads of the camera's controls."""
    path = path or control.device(camera)["path"]
    said = machine.guest(f"v4l2-ctl -d {path} --get-ctrl={','.join(names)}")
    pairs = (line.split(":", 1) for line in said.splitlines() if ":" in line)
    return {name.strip(): int(value.split()[0]) for name, value in pairs}


def change(control, arguments, *more):
    command, *options = arguments
    return control(command, CAMERA, *options, *more)


def automatic(control):
    """All its automatic modes on: what the camera itself went back to, told to the driver too."""
    control("set", CAMERA, "focus_automatic_continuous=on", "auto_exposure=3", "white_balance_automatic=on")


def what_is_set_in_units_v4l2_reads(machine, control):
    automatic(control)
    for arguments, expected in CHANGES:
        change(control, arguments)
        seen = driver(machine, control, expected)
        assert seen == expected, (arguments, seen)


# For the USB camera: the driver's numbers, and the options of capturectl that set them.
UNITS = {
    "focus_absolute": (range(0, 251, 5), lambda number: ("focus", "--lens", f"{1 - number / 250:.6f}"), {"focus_automatic_continuous": 0}),
    "exposure_time_absolute": (range(3, 2048), lambda number: ("expose", "--duration", f"{number / 10000:.6f}"), {"auto_exposure": 1}),
    "gain": (range(256), lambda number: ("expose", "--gain", str(number)), {"auto_exposure": 1}),
    "white_balance_temperature": (
        range(2000, 6501, 10), lambda number: ("white-balance", "--temperature", str(number)), {"white_balance_automatic": 0}),
    "zoom_absolute": (range(100, 501), lambda number: ("zoom", f"{number / 100:.2f}"), {}),
    "focus_automatic_continuous": (range(1, 2), lambda number: ("focus", "--mode", "continuous"), {}),
    "auto_exposure": (range(3, 4), lambda number: ("expose", "--mode", "continuous"), {}),
    "white_balance_automatic": (range(1, 2), lambda number: ("white-balance", "--mode", "continuous"), {}),
}


def what_is_set_at_random_v4l2_reads(machine, control, times=8, cameras=(CAMERA, SINGLE)):
    """The USB camera's settings in units, each time all of them; then every control of some cameras."""
    numbers = random.Random(4)
    automatic(control)
    names = sorted({name for entry in UNITS.items() for name in (entry[0], *entry[1][2])})
    expected = driver(machine, control, names)
    path = control.device(CAMERA)["path"]
    for _ in range(times):
        name = numbers.choice(sorted(UNITS))
        values, words, modes = UNITS[name]
        number = numbers.choice(values)
        command, *options = words(number)
        control(command, CAMERA, *options)
        expected |= {name: number, **modes}
        seen = driver(machine, control, names, path=path)
        assert seen == expected, (command, options, seen, expected)
    control("expose", SINGLE, "--gain", "77")
    assert driver(machine, control, ("gain", "gain_automatic"), SINGLE) == {"gain": 77, "gain_automatic": 0}
    for camera in cameras:
        changed_at_random(machine, control, camera, numbers, times)


def what_v4l2_sets_is_read_in_units(machine, control):
    automatic(control)
    path = control.device(CAMERA)["path"]
    machine.guest(f"v4l2-ctl -d {path} --set-ctrl=auto_exposure=1 && v4l2-ctl -d {path} --set-ctrl=exposure_time_absolute=50,zoom_absolute=300")
    settings = control.json("expose", CAMERA)["settings"]
    assert abs(settings["exposure"]["duration"]["value"] - 0.005) < 1e-6, settings
    assert settings["exposure"]["mode"] in ("locked", "custom") and settings["zoom"]["factor"]["value"] == 3, settings


def a_setting_out_of_range_is_refused_with_the_range(machine, control):
    before = driver(machine, control, ("zoom_absolute", "exposure_time_absolute", "auto_exposure"))
    machine.usb("requests")
    for arguments, text in (
        (("zoom", "7"), "5"), (("expose", "--duration", "10"), "0.2047"), (("white-balance", "--temperature", "9000"), "6500"),
        (("torch", "on"), "torch"), (("set", "brightness=999"), "-64"),
    ):
        command, *options = arguments
        error = control.refused(command, CAMERA, *options)
        assert text in error, (arguments, error)
    # The camera was not even asked.
    asked = [name for request, name, _ in machine.usb.json("requests") if request == "SET_CUR"]
    assert not asked, asked
    assert driver(machine, control, before) == before


def a_refused_setting_leaves_nothing_half_applied(machine, control):
    change(control, ("expose", "--mode", "continuous"))
    before = driver(machine, control, ("auto_exposure", "gain"))
    for code in 1, 2, 4, 7:
        machine.usb(f"refuse exposure_time_absolute {code}")
        error = control.refused("expose", CAMERA, "--gain", "99", "--duration", "1/50")
        assert "exposure_time_absolute" in error, error
        assert code != 1 or "not ready" in error, error
        machine.usb("refuse exposure_time_absolute 0")
        assert driver(machine, control, before) == before, code


def a_camera_that_is_not_ready_is_asked_again(machine, control):
    expected = {"auto_exposure": 1, "gain": 77, "exposure_time_absolute": 200}
    change(control, ("expose", "--mode", "continuous"))
    machine.usb("refuse exposure_time_absolute 1 3")
    machine.usb("requests")
    change(control, ("expose", "--gain", "77", "--duration", "1/50"))
    assert driver(machine, control, expected) == expected
    asked = [name for request, name, _ in machine.usb.json("requests") if request == "SET_CUR"]
    assert asked.count("exposure_time_absolute") == 4 and asked.count("gain") == 1, asked


def frames_last_as_long_as_they_are_told_to(machine, control):
    def rate():
        said = machine.guest(f"v4l2-ctl -d {control.device(CAMERA)['path']} --get-parm")
        return next(line for line in said.splitlines() if "Frames per second" in line).split()[3]
    try:
        control("frame-duration", CAMERA, "--minimum", "1/20", "--maximum", "1/10")
        with control.stream(CAMERA, 1, *PICTURE) as stream:
            stream.more(1)
            assert rate() == "15.000", rate()  # not 30, the one above
            control("frame-duration", CAMERA, "--minimum", "none", "--maximum", "1/20")
            stream.more(1)
            assert rate() == "30.000", rate()
            error = control.refused("frame-duration", CAMERA, "--minimum", "1/29", "--maximum", "1/16")
            assert "1/30, 1/15 s" in error, error
            assert rate() == "30.000", rate()
    finally:
        control("frame-duration", CAMERA, "--minimum", "none", "--maximum", "none")


def a_setting_names_the_first_frame_that_has_it(machine, control):
    with control.stream(CAMERA, 1, *PICTURE) as stream:
        stream.more(1)
        result = control.json("expose", CAMERA, "--duration", "1/100", "--wait")
        applied = result["applied"]
        assert result["streaming"] and applied["frame"]["sequence"] > 0, result
        assert applied["provenance"] in ("assumed", "calibrated"), result
    result = control.json("expose", CAMERA, "--duration", "1/50", "--wait")
    assert not result["streaming"] and result["applied"]["next_stream"], result


def connected(machine):
    return capture_client.Connection(machine.address, timeout=20, credential=machine.credential.secret)


def the_iris_is_set_and_frames_tell_it(machine, control):
    change(control, ("expose", "--mode", "continuous"))
    size = pb.Size(width=640, height=480)
    with connected(machine) as node, contextlib.closing(node.frames(CAMERA, encoding=pb.ENCODING_JPEG, size=size)) as stream:
        next(frame for frame in stream if frame.data)
        made = node.change(CAMERA, exposure=pb.ExposureChange(iris=600))
        assert machine.usb("get iris_absolute") == "600" and made.settings.exposure.iris.value == 600, made
        assert made.settings.exposure.mode == pb.EXPOSURE_MODE_CONTINUOUS, made
        frame = next(frame for frame in stream if frame.data and frame.info.settings.change >= made.change)
        assert frame.info.settings.iris.value == 600, frame.info
        try:
            node.change(CAMERA, exposure=pb.ExposureChange(iris=90))
        except capture_client.NodeError as error:
            assert error.code == INVALID_ARGUMENT and "exposure.iris cannot be 90" in error.text, error
        else:
            raise AssertionError("it was not refused")
    assert machine.usb("get iris_absolute") == "600"


def the_iris_is_set_again_when_the_camera_returns(machine, control):
    with connected(machine) as node:
        node.change(CAMERA, exposure=pb.ExposureChange(iris=1000))
    with control.watch() as watch:
        watch.event("listed")
        machine.usb("unplug")
        watch.event("vanished", CAMERA)
        machine.usb("set iris_absolute 200 silently")
        machine.usb("plug")
        machine.usb("wait attached")
        watch.event("appeared", CAMERA, within=20)
    until(10, "the iris", lambda: machine.usb("get iris_absolute") == "1000")


SET = (("focus", "--lens", "0.5"), ("expose", "--duration", "1/200"), ("zoom", "1.5"))
KEPT = {"focus_absolute": 125, "exposure_time_absolute": 50, "zoom_absolute": 150}


def unplugged_it_has_its_settings_again(machine, control, times=10):
    automatic(control)
    for arguments in SET:
        change(control, arguments)

    def is_as_set():
        until(5, "its settings", lambda: driver(machine, control, KEPT) == KEPT)
    is_as_set()
    unplugged(machine, control, times, is_as_set)


TESTS = (
    what_is_set_in_units_v4l2_reads, what_is_set_at_random_v4l2_reads, what_v4l2_sets_is_read_in_units, a_setting_out_of_range_is_refused_with_the_range,
    a_refused_setting_leaves_nothing_half_applied, a_camera_that_is_not_ready_is_asked_again, frames_last_as_long_as_they_are_told_to,
    a_setting_names_the_first_frame_that_has_it, the_iris_is_set_and_frames_tell_it, the_iris_is_set_again_when_the_camera_returns,
    unplugged_it_has_its_settings_again,
)
