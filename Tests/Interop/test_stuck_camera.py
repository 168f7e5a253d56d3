"""Cameras that the kernel does not let go of, in the virtual machine, with a node that is driven from here.

usage: test_stuck_camera.py [--unplug TIMES] CAPTURE-NODE-BINARY

The USB camera withholds its answers, so that the real driver hangs in VIDIOC_STREAMOFF; vivid's camera is the one beside it. With --unplug
the USB camera is pulled so often in the first 200 ms of a photo, and that is all (default: 20 times, after the rest).
Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import argparse
import contextlib
import json
import shlex
import socket
import sys
import threading
import time
from pathlib import Path

import cases
from capture_client import Connection, NodeError, pb

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "EndToEnd"))

from control import Control  # noqa: E402
from machine import PROJECT, USB_CAMERA, Emulated, line, running  # noqa: E402
from plaintext import Plaintext  # noqa: E402 (on the path since machine, as what follows)
from ports import unused_port  # noqa: E402
from usb import CAMERA as IDENTITY  # noqa: E402
from usbcamera.remote import Remote  # noqa: E402

UNAVAILABLE = 14
SMALL = pb.Size(width=640, height=480)
VIVID = "platform-vivid-000"
STATE = "/tmp/state.json"
GREETED = 5.0  # seconds in which a new client is greeted and told of the cameras: the machine is emulated, and its host may be busy
Responding, Slow, NotResponding = (
    pb.DRIVER_RESPONSE_RESPONDING, pb.DRIVER_RESPONSE_SLOW, pb.DRIVER_RESPONSE_NOT_RESPONDING)


UNTIL_FREE = """
import os, signal, socket, sys, time
process, path = int(sys.argv[1]), sys.argv[2]
def is_free():
    with socket.socket() as another:
        another.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            another.bind(("10.0.2.15", 7311))
            another.listen()
            return True
        except OSError:
            return False
assert not is_free() and os.path.exists(path)
begun = time.clock_gettime(time.CLOCK_BOOTTIME)
os.kill(process, signal.SIGTERM)
while not is_free() or os.path.exists(path):
    time.sleep(0.02)
print(begun, time.clock_gettime(time.CLOCK_BOOTTIME) - begun)
"""

# What systemd would hear, each with its time.
HEAR = """
import socket, time
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard, open("/tmp/notify.log", "w", buffering=1) as log:
    heard.bind("/tmp/notify")
    while True:
        print(time.monotonic(), heard.recv(4096).decode(), file=log)
"""
WATCHDOG = 6.0  # seconds after which systemd would take a node for dead


class Machine(Emulated):
    """Boots with vivid and the USB camera, without a node."""

    def __init__(self, binary):
        self.binary = Path(binary).resolve()
        self.programs = self.binary.parent  # capturectl is there too

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            self.credential = Plaintext(PROJECT / ".cache/stuck-camera")
            stack.enter_context(self.credential.given())
            serve = stack.enter_context(running(USB_CAMERA / "serve"))
            usbip, control = line(serve, "usbip ", 10), line(serve, "control ", 10)
            self.camera = Remote(control)
            port = unused_port()
            self.address = f"127.0.0.1:{port}"
            self._process = stack.enter_context(running(
                PROJECT / "scripts/vm/run", "--module", "uvcvideo", "--module", "vhci-hcd", "--timeout", "900",
                "--visible", self.binary.parent, "--forward", f"{port}:7311", "--",
                "/usr/bin/python3", "Tests/EndToEnd/guest.py", f"10.0.2.2:{listener.getsockname()[1]}"))
            listener.settimeout(120)
            connection, _ = listener.accept()
            self._guest = stack.enter_context(connection.makefile("rw"))
            self.guest(f"/usr/bin/python3 -c '{HEAR}' >/tmp/hear 2>&1 & until test -S /tmp/notify; do sleep 0.1; done")
            self.guest(f"Tests/Support/usb-camera/attach {usbip.replace('127.0.0.1', '10.0.2.2')} >/tmp/attach 2>&1 &")
            self.camera("wait attached 30")
            self._ends = stack.pop_all()
        return self

    def __exit__(self, *_):
        self._ends.close()

    def guest(self, command):
        print(json.dumps(command), file=self._guest, flush=True)
        status, output = json.loads(self._guest.readline())
        assert status == 0, f"{command}: status {status}: {output}"
        return output

    def start(self, name):
        """Starts a node, again and again until it serves; its process, and when that was by the machine's own clock."""
        node = f"env NOTIFY_SOCKET=/tmp/notify WATCHDOG_USEC={WATCHDOG * 1e6:.0f} {self.binary} --listen 10.0.2.15:7311 " \
            f"--listen unix:/tmp/{name}.sock --state {STATE} {shlex.join(self.credential.options)}"
        said = self.guest(f"""
            for _ in $(seq 200); do
              {node} >/tmp/{name}.out 2>/tmp/{name}.log &
              echo $! >/tmp/{name}.pid
              for _ in $(seq 100); do
                grep -q listening /tmp/{name}.out && cut -d' ' -f1 /proc/uptime && cat /tmp/{name}.pid && exit 0
                kill -0 $! 2>/dev/null || break
                sleep 0.05
              done
            done
            cat /tmp/{name}.log; exit 1""")
        served, process = said.split()
        return int(process), float(served)

    def end_all(self):
        """Those of tests that failed, too."""
        self.guest("""
            for pid in $(cat /tmp/*.pid 2>/dev/null); do
              kill -KILL $pid 2>/dev/null
              while kill -0 $pid 2>/dev/null; do sleep 0.1; done
            done; true""")

    def terminate(self, name, process):
        """When SIGTERM was sent, and after how many seconds another process can have the node's addresses, by the machine's own clock."""
        begun, free = self.guest(f"/usr/bin/python3 -c '{UNTIL_FREE}' {process} /tmp/{name}.sock").split()
        return float(begun), float(free)

    def states(self):
        """What systemd has heard so far: by the machine's own clock, and as sd_notify(3) has it."""
        lines = (line.split(" ", 1) for line in self.guest("cat /tmp/notify.log").splitlines())
        return [(float(when), state) for when, state in lines]

    def log(self, name):
        return self.guest(f"cat /tmp/{name}.log")

    def connect(self):
        return Connection(self.address, timeout=20, credential=self.credential.secret)


class Viewer:
    """Frames of vivid's camera, counted on the side."""

    def __init__(self, machine):
        self.frames, self.end, self._machine = 0, None, machine
        threading.Thread(target=self._read, daemon=True).start()
        self.more()

    def _read(self):
        try:
            with self._machine.connect() as node:
                for frame in node.frames(VIVID, encoding=pb.ENCODING_RAW, size=pb.Size(width=320, height=180)):
                    self.frames += bool(frame.data)
        except (NodeError, OSError) as error:
            self.end = error

    def more(self, within=10):
        before, deadline = self.frames, time.monotonic() + within
        while self.frames < before + 3:
            assert self.end is None and time.monotonic() < deadline, \
                f"{self.frames - before} frames of the camera beside it in {within} s: {self.end}"
            time.sleep(0.02)


def devices(machine):
    """What a new client is told, and how soon."""
    begun = time.monotonic()
    with machine.connect() as node:
        found = {device.id: device for device in node.devices()}
        node.unary("capture.v1.Node/Status", pb.StatusRequest(), pb.StatusResponse)
    took = time.monotonic() - begun
    assert took < GREETED, f"a new client waited {took:.1f} s"
    return found


def until(machine, what, seconds, condition):
    """Asks as a new client each time."""
    deadline = time.monotonic() + seconds
    while not condition(found := devices(machine)):
        assert time.monotonic() < deadline, f"not {what} within {seconds} s: {found}"
        time.sleep(0.1)


def is_there(found):
    return {IDENTITY, VIVID} <= found.keys() and found[IDENTITY].present and found[IDENTITY].response == Responding


def get_stuck(machine):
    """Streams, and leaves while the camera withholds its answers: the driver hangs."""
    with machine.connect() as node:
        for frame in node.frames(IDENTITY, encoding=pb.ENCODING_JPEG, size=SMALL):
            if frame.data:
                break
        machine.camera("withhold")
    return time.monotonic()


def stream(node):
    for _ in node.frames(IDENTITY, encoding=pb.ENCODING_JPEG, size=SMALL):
        pass


def set_brightness(node):
    request = pb.SetControlsRequest(device=IDENTITY)
    request.assignments.add(name="brightness", literal="100")
    node.unary("capture.v1.Devices/SetControls", request, pb.SetControlsResponse)


def refused(machine, call=stream):
    """How soon, and with what, a call on the USB camera is ended."""
    begun = time.monotonic()
    with machine.connect() as node:
        try:
            call(node)
        except NodeError as error:
            assert error.code == UNAVAILABLE, error
            return time.monotonic() - begun, error.text
    raise AssertionError("it was served")


def told(machine):
    """What capturectl says of the USB camera, to people and to programs."""
    control = Control(machine)
    row = next(row for row in control("devices").splitlines() if IDENTITY in row)
    return row.split("  ")[-1].strip(), control.device(IDENTITY)["response"]


def one_stuck_camera_costs_the_others_nothing(machine):
    machine.start("first")
    until(machine, "both cameras", 20, is_there)
    viewer = Viewer(machine)
    begun, first = get_stuck(machine), len(machine.states())
    waited = []
    waiter = threading.Thread(target=lambda: waited.append(refused(machine)))
    waiter.start()
    seen = []
    told_of_slow = None
    while not seen or seen[-1][1] != NotResponding:
        seen.append((time.monotonic() - begun, devices(machine)[IDENTITY].response))
        if seen[-1][1] == Slow and not told_of_slow:
            assert not waited, "what waits for a slow camera has ended"
            told_of_slow = told(machine)
        viewer.more()
        assert seen[-1][0] < 20, seen
    assert told_of_slow == ("slow: its driver has not answered for 2 s", "slow"), told_of_slow
    assert told(machine) == ("not responding: its driver has not answered for 10 s", "not_responding"), told(machine)
    slow = next(when for when, response in seen if response == Slow)
    assert 1.5 < slow < 6, seen
    assert 9 < seen[-1][0] < 16, seen
    waiter.join(10)
    assert waited and "does not respond" in waited[0][1], waited
    assert waited[0][0] > 8, f"it waited {waited[0][0]:.1f} s"
    for call in stream, lambda node: node.photo(IDENTITY, 640, 480), set_brightness:
        took, text = refused(machine, call)
        assert took < GREETED and "does not respond" in text, (took, text)
    viewer.more()
    systemd_would_let_it_go_on(machine, first)
    machine.camera("answer")
    until(machine, "an answer", 10, is_there)
    hears(machine, "STATUS=every camera answers")
    with machine.connect() as node:
        next(frame for frame in node.frames(IDENTITY, encoding=pb.ENCODING_JPEG, size=SMALL) if frame.data)


def hears(machine, state, first=0):
    deadline = time.monotonic() + 2 * WATCHDOG
    while state not in (heard := [text for _, text in machine.states()[first:]]):
        assert time.monotonic() < deadline, f"no {state} in {heard}"
        time.sleep(0.1)


def systemd_would_let_it_go_on(machine, first):
    """Its pings came in time while the camera hung, and the camera is named."""
    hears(machine, f"STATUS=not responding: {IDENTITY}", first)
    pings = [when for when, state in machine.states()[max(first - 2, 0):] if state == "WATCHDOG=1"]
    gaps = [later - earlier for earlier, later in zip(pings, pings[1:])]
    assert len(gaps) > 3 and max(gaps) < WATCHDOG, gaps
    print(f"# {len(pings)} pings while the camera hung, {max(gaps):.1f} s apart at most", flush=True)


def brightness(machine):
    with machine.connect() as node:
        request = pb.GetControlsRequest(device=VIVID, names=["brightness"])
        return node.unary("capture.v1.Devices/GetControls", request, pb.GetControlsResponse).readings[0].value.integer


def profiles(machine):
    with machine.connect() as node:
        listed = node.unary("capture.v1.Settings/ListProfiles", pb.ListProfilesRequest(device=VIVID), pb.ListProfilesResponse)
        return [profile.name for profile in listed.profiles]


def a_node_with_a_stuck_camera_ends_in_time_and_another_takes_its_place(machine):
    machine.measure(lambda: take_the_place_of_another(machine))


def take_the_place_of_another(machine):
    machine.camera("reset")
    machine.end_all()
    first, _ = machine.start("first")
    until(machine, "both cameras", 20, is_there)
    get_stuck(machine)
    Viewer(machine)
    with machine.connect() as node:
        request = pb.SetControlsRequest(device=VIVID)
        request.assignments.add(name="brightness", literal="77")
        node.unary("capture.v1.Devices/SetControls", request, pb.SetControlsResponse)
        node.unary("capture.v1.Settings/SaveProfile", pb.SaveProfileRequest(device=VIVID, name="kept", replace=True), pb.SettingsProfile)
        request.assignments[0].literal = "79"
        node.unary("capture.v1.Devices/SetControls", request, pb.SetControlsResponse)
    begun, free = machine.terminate("first", first)
    # What the first one kept is written by then, and in force again once the second serves, whatever happened meanwhile.
    machine.guest("v4l2-ctl -d /dev/video0 --set-ctrl=brightness=10")
    _, served = machine.start("second")
    print(f"# {free:.2f} s after SIGTERM the address is free, after {served - begun:.2f} s another node serves there", flush=True)
    assert free < 5, f"free after {free:.1f} s; {machine.log('first')}"
    assert served - begun < 5, f"served after {served - begun:.1f} s; {machine.log('second')}"
    until(machine, "vivid's camera", 10, lambda found: VIVID in found)
    until(machine, "what was kept", 10, lambda _: brightness(machine) == 79)
    assert profiles(machine) == ["kept"], profiles(machine)
    kept = json.loads(machine.guest(f"cat {STATE}"))
    assert "79" in json.dumps(kept["cameras"][VIVID]["controls"]), kept
    assert "another node keeps its state" not in machine.log("second"), machine.log("second")
    machine.camera("answer")
    until(machine, "both cameras", 20, is_there)
    machine.guest(f"for _ in $(seq 100); do kill -0 {first} 2>/dev/null || exit 0; sleep 0.1; done; exit 1")


def sighup_ends_it_with_what_is_kept(machine):
    machine.end_all()
    node_process, _ = machine.start("third")
    until(machine, "both cameras", 20, is_there)
    with machine.connect() as node:
        request = pb.SetControlsRequest(device=VIVID)
        request.assignments.add(name="brightness", literal="78")
        node.unary("capture.v1.Devices/SetControls", request, pb.SetControlsResponse)
    machine.guest(f"""
        kill -HUP {node_process}
        for _ in $(seq 50); do kill -0 {node_process} 2>/dev/null || exit 0; sleep 0.1; done; exit 1""")
    assert "SIGHUP: ending" in machine.log("third")
    assert "78" in json.dumps(json.loads(machine.guest(f"cat {STATE}"))["cameras"][VIVID])


def unplugged_early(machine, times):
    """In the first 200 ms of a photo. How often; less than asked where the kernel has not let go of the camera: the rest is for another boot."""
    until(machine, "both cameras", 20, is_there)
    viewer = Viewer(machine)
    slowest = 0.0
    # The machine is emulated: what a photo takes is what its camera's stream takes to start.
    begun = time.monotonic()
    with machine.connect() as node:
        node.photo(IDENTITY, 640, 480)
    usual = time.monotonic() - begun
    for count in range(times):
        ended = []

        def photo():
            with machine.connect() as node:
                try:
                    node.photo(IDENTITY, 640, 480)
                    ended.append((time.monotonic(), None))
                except NodeError as error:
                    ended.append((time.monotonic(), error))

        taking = threading.Thread(target=photo)
        taking.start()
        time.sleep(count * 37 % 200 / 1000)
        machine.camera("unplug")
        pulled = time.monotonic()
        taking.join(15)
        assert ended, "the photo did not end"
        when, error = ended[0]
        slowest = max(slowest, when - pulled)
        if error:
            assert error.code == UNAVAILABLE and "unplugged" in error.text, error
        assert when - pulled < 2 + usual, \
            f"the photo ended {when - pulled:.1f} s after the camera was pulled, one takes {usual:.1f} s: {error}"
        viewer.more()
        until(machine, "absent", 5, lambda found: not found[IDENTITY].present)
        machine.camera("plug")
        try:
            machine.camera("wait attached 20")
            until(machine, "back", 20, is_there)
        except Exception as error:
            if "VIDIOC" not in (hung := hanging(machine)) and "uvc" not in hung:
                raise
            print(f"# the kernel has kept the camera since unplugging {count + 1}: {error}; {hung}", flush=True)
            viewer.more()
            return count + 1
    print(f"# {times} unpluggings; a photo ended {slowest:.2f} s after its camera was pulled, at the latest", flush=True)
    return times


def hanging(machine):
    """Where the kernel holds threads."""
    return machine.guest("for t in /proc/[0-9]*/task/*; do grep -q '^State:.D' $t/status && cat $t/comm $t/stack; done 2>/dev/null; true")


def passes(name, test, machine):
    return cases.passes(
        test, machine, name=name, before=lambda: machine.camera("reset"),
        evidence=lambda: machine.guest("tail -n 20 /tmp/*.log; dmesg | tail -20").splitlines())


TESTS = (
    one_stuck_camera_costs_the_others_nothing, a_node_with_a_stuck_camera_ends_in_time_and_another_takes_its_place,
    sighup_ends_it_with_what_is_kept,
)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--unplug", type=int, metavar="TIMES")
    parser.add_argument("binary", metavar="CAPTURE-NODE-BINARY")
    options = parser.parse_args()
    passed = failed = 0

    def judge(name, test, machine):
        nonlocal passed, failed
        good = passes(name, test, machine)
        passed, failed = passed + good, failed + (not good)
        return good

    left = options.unplug or 20
    is_first = True
    while left > 0:
        with Machine(options.binary) as machine:
            if is_first and not options.unplug:
                for test in TESTS:
                    judge(test.__name__, test, machine)
            is_first = False
            machine.end_all()
            machine.start("fourth")

            def unplugged_in_a_photos_beginning_the_node_goes_on(machine):
                nonlocal left
                left -= unplugged_early(machine, min(left, 100))

            if not judge(unplugged_in_a_photos_beginning_the_node_goes_on.__name__, unplugged_in_a_photos_beginning_the_node_goes_on, machine):
                break
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
