"""A capture card: vivid with an HDMI and a TV input. A node of its own in the machine keeps what was chosen."""

import base64
import contextlib
import json

from cameras import SINGLE
from control import until

VIVID = "n_devs=2 node_types=0x1,0x1 num_inputs=2,1 input_types=0x7,0 multiplanar=1,2"
DEVICE = "/dev/video0"
PLACE = "/tmp/card"
HDMI, TV = "HDMI 0", "TV 0"
SELECTED = 4  # of vivid's signal modes: what its control "DV Timings" says


def v4l2(machine, *arguments):
    return machine.guest(f"v4l2-ctl -d {DEVICE} " + " ".join(arguments))


def reset(machine, control):
    until(5, "end of streams", lambda: not control.camera(SINGLE)["streaming"])
    v4l2(machine, "-i 0")
    v4l2(machine, "--set-ctrl=dv_timings_signal_mode=0")
    v4l2(machine, "--set-dv-bt-timings=index=7")  # 1280x720p60
    control("input", SINGLE, HDMI)


def selected(control):
    return next(item for item in control.json("inputs", SINGLE)["inputs"] if item["selected"])


def size_now(control):
    """The size to which the driver is set, in vivid's stepwise ranges."""
    size = control.json("formats", SINGLE)["formats"][0]["sizes"][0]["current"]
    return f"{size['width']}x{size['height']}"


def lists_inputs_with_their_status(machine, control):
    reset(machine, control)
    inputs = control.json("inputs", SINGLE)["inputs"]
    assert [(item["name"], item["selected"], item["status"]) for item in inputs] == [(HDMI, True, "ready"), (TV, False, None)], inputs
    for mode, status in (1, "no_signal"), (2, "unstable"), (3, "out_of_range"), (0, "ready"):
        v4l2(machine, f"--set-ctrl=dv_timings_signal_mode={mode}")
        assert selected(control)["status"] == status, (mode, selected(control))


def formats_follow_what_another_program_sets(machine, control):
    reset(machine, control)
    assert size_now(control) == "1280x720", size_now(control)
    v4l2(machine, "--set-dv-bt-timings=cvt,width=1920,height=1080,fps=50")
    assert size_now(control) == "1920x1080", size_now(control)
    v4l2(machine, "-i 1")
    assert size_now(control) == "720x576", size_now(control)
    assert control.json("stream", SINGLE, "--count", "2", "-o", "/dev/null")["frames"] == 2


def viewers_stay_when_the_source_changes(machine, control):
    reset(machine, control)
    with control.stream(SINGLE, 1, "--format", "GREY") as stream:
        stream.more(1)
        v4l2(machine, f"--set-ctrl=dv_timings_signal_mode={SELECTED},dv_timings=4")  # 720x576p50
        until(10, "the new timings", lambda: control.camera(SINGLE)["size"] == {"width": 720, "height": 576})
        stream.more(720 * 576 * 2)
        assert control.camera(SINGLE)["input"]["signal"]["size"] == {"width": 720, "height": 576}


def viewers_stay_when_an_input_is_chosen(machine, control):
    reset(machine, control)
    with control.stream(SINGLE, 1, "--format", "GREY") as stream:
        stream.more(1)
        chosen = control.json("input", SINGLE, TV)["inputs"]
        assert [item["selected"] for item in chosen] == [False, True], chosen
        stream.more(720 * 576 * 2)
    assert "0 'HDMI 0', 1 'TV 0'" in control.refused("input", SINGLE, "SDI 3")


def no_signal_is_told_and_a_photo_is_refused(machine, control):
    reset(machine, control)
    with control.stream(SINGLE, 1, "--format", "GREY") as stream:
        stream.more(1)
        v4l2(machine, "--set-ctrl=dv_timings_signal_mode=1")
        until(5, "the status", lambda: control.camera(SINGLE)["input"]["status"] == "no_signal")
        assert f"the input '{HDMI}' has no signal" in control("status")
        error = control.refused("photo", SINGLE, "-o", "/dev/null")
        assert "UNAVAILABLE" in error and f"the input '{HDMI}' has no signal" in error, error
        control("photo", SINGLE, "--allow-no-signal", "-o", "/dev/null")
        # Its viewers are told, and whoever asks for its status.
        stream.said(f"the input '{HDMI}' has no signal", within=5)
        assert f"the input '{HDMI}' has no signal" in control.camera(SINGLE)["last_error"], control.camera(SINGLE)["last_error"]
        v4l2(machine, "--set-ctrl=dv_timings_signal_mode=0")
        until(5, "the signal", lambda: control.camera(SINGLE)["input"]["status"] == "ready")
        stream.more(1280 * 720)
    control("photo", SINGLE, "-o", "/dev/null")


@contextlib.contextmanager
def node(machine, *options):
    """A node beside the usual one."""
    machine.guest(
        f"mkdir -p {PLACE}; rm -f {PLACE}/socket; {machine.programs}/capture-node --listen unix:{PLACE}/socket --camera {DEVICE} "
        f"--state {PLACE}/state.json {' '.join(options)} > {PLACE}/log 2>&1 & echo $! > {PLACE}/pid; "
        f"for n in $(seq 100); do grep -q listening {PLACE}/log && break; sleep 0.1; done")
    def control(words):
        return machine.guest(f"{machine.programs}/capturectl --node unix:{PLACE}/socket {words}")
    try:
        yield control
    finally:
        machine.guest(f"kill $(cat {PLACE}/pid); while kill -0 $(cat {PLACE}/pid) 2> /dev/null; do sleep 0.1; done")


def an_input_is_kept_over_a_restart(machine, control):
    reset(machine, control)
    with node(machine) as local:
        local(f"input 0 '{TV}'")
    v4l2(machine, "-i 0")
    with node(machine) as local:
        inputs = json.loads(local("--json inputs 0"))["inputs"]
        assert [item["selected"] for item in inputs] == [False, True], inputs


def timings_are_adopted_and_an_edid_is_written_at_the_start(machine, control):
    reset(machine, control)
    v4l2(machine, f"--set-ctrl=dv_timings_signal_mode={SELECTED},dv_timings=4")
    edid = bytearray(128)
    edid[:8] = b"\x00\xff\xff\xff\xff\xff\xff\x00"
    edid[8] = 0x12
    edid[127] = -sum(edid) % 256
    machine.guest(
        f"mkdir -p {PLACE}; rm -f {PLACE}/state.json; echo {base64.b64encode(edid).decode()} | base64 -d > {PLACE}/edid; "
        f"""echo '{{ edids: {{ "{SINGLE}": "{PLACE}/edid" }} }}' > {PLACE}/node.json5""")
    with node(machine, "--config", f"{PLACE}/node.json5") as local:
        source = next(item for item in json.loads(local("--json inputs 0"))["inputs"] if item["selected"])
        assert source["signal"] == source["detected"] and source["signal"]["size"] == {"width": 720, "height": 576}, source
        assert "00 ff ff ff ff ff ff 00 12 00" in v4l2(machine, "--get-edid=pad=0,format=hex"), machine.guest(f"cat {PLACE}/log")


TESTS = (
    lists_inputs_with_their_status, formats_follow_what_another_program_sets, viewers_stay_when_the_source_changes,
    viewers_stay_when_an_input_is_chosen, no_signal_is_told_and_a_photo_is_refused, an_input_is_kept_over_a_restart,
    timings_are_adopted_and_an_edid_is_written_at_the_start,
)
