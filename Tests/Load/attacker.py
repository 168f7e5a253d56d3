"""A hostile client of one origin, in a process of its own that the machine's others go before: `attacker.py ATTACK ADDRESS SOURCE CONNECTIONS CALLS`.

As many calls as it may have on as many connections, sent as fast as the node takes them, until its input is closed. Prints "ready" when each
connection has sent its first calls, and at its end how many were answered with which status."""

import collections
import inspect
import itertools
import json
import os
import selectors
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "WireSpec"))
from wire import Wire, packet, pb  # noqa: E402

LEASES = "capture.v1.Leases/Acquire"
# As many entries as a list may have.
LIST = 256
# As long as a text may be, about: with the rest of its packet it is an envelope.
LONG = 60_000


def call(method, request, metadata=(), credit=1):
    """The bytes of a call, and where in them its number is."""
    entries = [pb.Metadata(key=key, value=value) for key, value in metadata]
    opening = pb.Request(method=method, body=request.SerializeToString(), last=True, credit=credit, metadata=entries)
    # A number of five bytes, whichever it is.
    whole = packet(call_id=0xFFFF_FFFF, request=opening)
    return whole, whole.index(b"\x08\xff\xff\xff\xff\x0f") + 1


def numbered(template, place, number):
    digits = [number >> shift & 0x7F | 0x80 for shift in (0, 7, 14, 21)] + [number >> 28]
    return template[:place] + bytes(digits) + template[place + 5:]


def watch_many_names():
    """Names that there are, 7,000 of them in a call."""
    return call("capture.v1.Settings/Watch", pb.WatchSettingsRequest(device="0", names=["zoom"] * 7_000))


def get_many_controls():
    return call("capture.v1.Devices/GetControls", pb.GetControlsRequest(device="0", names=["gain"] * 7_000))


def set_many_controls():
    assignment = pb.ControlAssignment(name="gain", literal="1")
    return call("capture.v1.Devices/SetControls", pb.SetControlsRequest(device="0", assignments=[assignment] * 5_000))


def many_small_lists():
    """As many names as a list may have."""
    return call("capture.v1.Settings/Watch", pb.WatchSettingsRequest(device="0", names=["zoom", "focus"] * (LIST // 2)))


def spellings(controls):
    """As many names as a list may have, all different, that mean these controls in turn."""
    def of(one):
        yield from (one.name, one.label, str(one.id), hex(one.id))
        # Letters may be large or small, as long as the whole is the name.
        letters = len(one.name)
        for large in range(1, min(1 << letters, LIST)):
            yield "".join(letter.upper() if large >> place & 1 else letter for place, letter in enumerate(one.name))

    found = {}
    for turn in itertools.zip_longest(*map(of, controls)):
        found.update((name, one) for name, one in zip(turn, controls) if name is not None)
    return list(found.items())[:LIST]


def settable(controls):
    """Controls that can be set now and cause no fault."""
    return [one for one in controls if not (one.read_only or one.inactive or one.disabled or one.name.startswith("fault_"))]


def watch_distinct_names(controls):
    names = ["focus", "exposure", "white_balance", "zoom", "torch", "flash", "frame_duration", "exposure.duration", "exposure.gain", "focus.mode"]
    names += [name for name, _ in spellings(controls)]
    return call("capture.v1.Settings/Watch", pb.WatchSettingsRequest(device="0", names=names[:LIST]))


def get_distinct_controls(controls):
    names = [name for name, one in spellings(controls) if not one.write_only]
    return call("capture.v1.Devices/GetControls", pb.GetControlsRequest(device="0", names=names))


def set_distinct_controls(controls):
    """Each to what it is."""
    assignments = [pb.ControlAssignment(name=name, value=one.value) for name, one in spellings(settable(controls))]
    return call("capture.v1.Devices/SetControls", pb.SetControlsRequest(device="0", assignments=assignments))


def get_and_set_distinct_controls(controls):
    return [get_distinct_controls(controls), set_distinct_controls(controls)]


def wait_for_leases():
    """A wait for a lease that somebody has: a place in the line for each call."""
    return call(LEASES, pb.AcquireLeaseRequest(device="0", holder="attacker", wait_ms=600_000))


def heavy_metadata():
    """Calls that last, each with 60 KB of metadata that nobody uses."""
    return call("capture.v1.Devices/Watch", pb.WatchDevicesRequest(), [("padding", b"x" * LONG)])


def many_metadata():
    return call("capture.v1.Devices/Watch", pb.WatchDevicesRequest(), [("a", b"")] * 8_000)


def lists_of_labels():
    """A library's watches and pages by labels: by more than a list has, than an asset has, and by as many and as long texts as it may have."""
    filters = [pb.AssetFilter(labels=[f"l{number}" for number in range(count)]) for count in (7_000, LIST)]
    filters += [pb.AssetFilter(device="d" * 256, sequence="s" * 256, labels=[f"{number:02}".ljust(64, "x") for number in range(32)])]
    return [call(f"capture.v1.Library/{name}", request(filter=one))
            for one in filters for name, request in (("Watch", pb.WatchAssetsRequest), ("List", pb.ListAssetsRequest))]


def long_texts(controls, token):
    """Calls that last and nobody takes from: those of a camera, a control and a moment of the library, each by its number with all zeros before it that
    there is room for, and one whose long text is taken."""
    zeros = "0" * LONG
    library, revision = token.split(":")
    return [
        call("capture.v1.Video/Subscribe", pb.SubscribeRequest(device=zeros), credit=0),
        call("capture.v1.Settings/Watch", pb.WatchSettingsRequest(device="0", names=[f"0x{zeros}{controls[0].id:x}"]), credit=0),
        call("capture.v1.Library/Watch", pb.WatchAssetsRequest(token=f"{library}:{zeros}{revision}"), credit=0),
        call("capture.v1.Test/Download", pb.TestRequest(note=zeros.encode()), credit=0),
    ]


def many_renditions(camera="1"):
    """Live frames of one camera, in 99 qualities."""
    return [call("capture.v1.Video/Subscribe", pb.SubscribeRequest(
        device=camera, rendition=pb.Rendition(encoding=pb.ENCODING_JPEG, quality=quality)), credit=1_000_000)
            for quality in range(1, 100)]


def many_renditions_of_the_viewers_camera():
    return many_renditions("0")


def photos_and_bursts():
    """Photos, and bursts of as many as may be, of the camera that the viewer looks at, as PNGs: what takes an encoder longest."""
    def of(**fields):
        settings = pb.PhotoSettings(formats=[pb.PhotoFormat(type=pb.PHOTO_FILE_TYPE_PNG)], settle=pb.SettlingBound(), **fields)
        return call("capture.v1.Photos/Capture", pb.CapturePhotoRequest(device="0", settings=settings), credit=1_000_000)
    return [of(), of(burst=10_000)]


def watch_settings():
    return call("capture.v1.Settings/Watch", pb.WatchSettingsRequest(device="0"), credit=1_000_000)


ATTACKS = {one.__name__: one for one in (
    many_renditions, many_renditions_of_the_viewers_camera, photos_and_bursts, watch_settings, watch_many_names, get_many_controls, set_many_controls,
    many_small_lists, watch_distinct_names, get_and_set_distinct_controls, wait_for_leases, heavy_metadata, many_metadata, lists_of_labels, long_texts)}


def controls_of_the_camera(address, source):
    with Wire(address, source).greet() as wire:
        (body, _), = wire.expect_status(wire.call("capture.v1.Devices/Controls", pb.ControlsRequest(device="0")), 0)
    return list(pb.ControlsResponse.FromString(body).controls)


def token_of_the_library(address, source):
    with Wire(address, source).greet() as wire:
        (body, _), = wire.expect_status(wire.call("capture.v1.Library/Status", pb.LibraryStatusRequest()), 0)
    return pb.LibraryStatus.FromString(body).token


# What some need to know of the node.
KNOWN = {"controls": controls_of_the_camera, "token": token_of_the_library}


class Attacker:
    """One connection: as many open calls as may be, a new one for each that ends."""

    def __init__(self, address, source, templates, calls):
        self.wire = Wire(address, source).greet()
        self.socket = self.wire.socket
        self.socket.setblocking(False)
        self.templates, self.calls = templates, calls
        self.number, self.open, self.rest, self.inbound, self.waiting = 1, 0, b"", b"", 0

    def fill(self):
        """Sends until there is no more room; whether there is more to send."""
        while True:
            while not self.rest:
                if self.open >= self.calls:
                    return False
                self.rest = memoryview(numbered(*self.templates[self.number // 2 % len(self.templates)], self.number))
                self.number, self.open = self.number + 2, self.open + 1
            try:
                self.rest = self.rest[self.socket.send(self.rest):]
            except BlockingIOError:
                return True

    def take(self, statuses):
        """Reads what is there; `False`: the node has closed the connection."""
        try:
            data = self.socket.recv(65_536)
        except BlockingIOError:
            return True
        if not data:
            return False
        self.inbound += data
        while len(self.inbound) >= 8:
            length, chunk = struct.unpack_from(">II", self.inbound)
            end = 8 + length + chunk
            if len(self.inbound) < end:
                break
            envelope = pb.Envelope.FromString(self.inbound[8:8 + length])
            self.inbound = self.inbound[end:]
            kind = envelope.WhichOneof("kind")
            if kind == "status":
                statuses[envelope.status.code] += 1
                self.open -= 1
            elif kind == "go_away":
                statuses[f"go_away {envelope.go_away.code}"] += 1
                return False
        return True


def main(attack, address, source, connections, calls):
    os.nice(19)
    make = ATTACKS[attack]
    templates = make(**{name: KNOWN[name](address, source) for name in inspect.signature(make).parameters if name in KNOWN})
    templates = templates if isinstance(templates, list) else [templates]
    statuses, selector = collections.Counter(), selectors.DefaultSelector()
    crowd = [Attacker(address, source, templates, int(calls)) for _ in range(int(connections))]
    for one in crowd:
        wants = selectors.EVENT_READ | (selectors.EVENT_WRITE if one.fill() else 0)
        selector.register(one.socket, wants, one)
    selector.register(sys.stdin.buffer.raw, selectors.EVENT_READ)
    print("ready", flush=True)
    while True:
        for key, events in selector.select():
            one = key.data
            if one is None:
                print(json.dumps(statuses), flush=True)
                return
            if events & selectors.EVENT_READ and not one.take(statuses):
                selector.unregister(one.socket)
                one.wire.close()
                continue
            selector.modify(one.socket, selectors.EVENT_READ | (selectors.EVENT_WRITE if one.fill() else 0), one)


if __name__ == "__main__":
    main(*sys.argv[1:])
