"""DNGs of the samples that vivid draws behind a Bayer filter, 8 to 16 bits deep; exiftool, dcraw and libraw are the witnesses."""

import json
import subprocess
import tempfile
from pathlib import Path

import pictures
from cameras import NEUTRAL, SINGLE, capture_client
from photos import Viewer

pb = capture_client.pb
WIDTH, HEIGHT = 640, 480
DEPTHS = {"RGGB": 8, "RG10": 10, "RG12": 12, "RG16": 16}


def run(*command, directory=None):
    return subprocess.run(command, capture_output=True, check=True, cwd=directory).stdout


def photo(machine, code):
    """The DNG of a frame of a stream in that pixel format, and the frame's own bytes."""
    formats = [pb.PhotoFormat(type=kind) for kind in (pb.PHOTO_FILE_TYPE_DNG, pb.PHOTO_FILE_TYPE_RAW)]
    request = pb.CapturePhotoRequest(device=SINGLE, settings=pb.PhotoSettings(formats=formats, settle=pb.SettlingBound()))
    with Viewer(machine, encoding=pb.ENCODING_RAW, pixel_format=int.from_bytes(code.encode(), "little")) as viewer:
        viewer.more(2)
        with capture_client.Connection(machine.address, timeout=60, credential=machine.credential.secret) as node:
            events = node.server_stream("capture.v1.Photos/Capture", request, pb.PhotoEvent, timeout=60)
            dng, raw = (event.data for event in events if event.stage == pb.PhotoEvent.PHOTO)
    return dng, raw


def samples(pnm):
    """The 16-bit samples of a PGM or PPM, as bytes, the most significant one first."""
    kind, width, height, depth, data = pnm.replace(b"\n", b" ", 3).split(b" ", 4)
    assert (int(width), int(height), depth) == (WIDTH, HEIGHT, b"65535"), (kind, width, height, depth)
    return data


def exchanged(data):
    """Each two bytes the other way round."""
    result = bytearray(data)
    result[0::2], result[1::2] = data[1::2], data[0::2]
    return bytes(result)


def samples_are_read_by_others(dng, raw, bits):
    if bits == 8:
        widened = bytearray(2 * len(raw))
        widened[1::2] = raw
        expected = bytes(widened)
    else:
        expected = exchanged(raw)
    assert len(expected) == 2 * WIDTH * HEIGHT and len(set(expected)) > 8, (len(expected), set(expected))
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "photo.dng")
        path.write_bytes(dng)
        read = json.loads(run("exiftool", "-j", "-n", "-G1", path))[0]
        tags = {
            "IFD0:PhotometricInterpretation": 32803, "IFD0:CFAPattern2": "0 1 1 2", "IFD0:BitsPerSample": 8 if bits == 8 else 16,
            "IFD0:WhiteLevel": (1 << bits) - 1, "IFD0:BlackLevel": 0, "IFD0:ImageWidth": WIDTH, "IFD0:ImageHeight": HEIGHT,
        }
        assert {tag: read.get(tag) for tag in tags} == tags, read
        assert samples(run("dcraw", "-c", "-D", "-4", path)) == expected, "dcraw reads other samples"
        run("unprocessed_raw", "-q", path.name, directory=directory)
        assert samples(Path(directory, "photo.dng.pgm").read_bytes()) == expected, "libraw reads other samples"


def raw_converters_read_the_samples_of_every_depth(machine, control):
    # Bars of full colour have two values only.
    control("set", SINGLE, *NEUTRAL, "contrast=100", "saturation=90")
    for code, bits in DEPTHS.items():
        samples_are_read_by_others(*photo(machine, code), bits)


def raw_converters_see_the_colors_of_every_depth(machine, control):
    """Filter and white level are right where the bars have their colours: linear, as bright as they are, without a conversion."""
    control("set", SINGLE, *NEUTRAL)
    for code in DEPTHS:
        with tempfile.NamedTemporaryFile(suffix=".dng") as file:
            file.write(photo(machine, code)[0])
            file.flush()
            developed = samples(run("dcraw", "-c", "-4", "-o", "0", "-r", "1", "1", "1", "1", file.name))
        pictures.check_colors(developed[0::2], WIDTH, HEIGHT)


TESTS = (raw_converters_read_the_samples_of_every_depth, raw_converters_see_the_colors_of_every_depth)
