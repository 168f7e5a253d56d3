"""Has exiftool read the photos of a node: whatever docs/photos.md lists is there, with the value that the node tells.

usage: test_photos.py DIRECTORY-OF-PROGRAMS

Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

from cases import passes
from capture_client import Connection, pb
from configured_node import configured_node

PROJECT = Path(__file__).resolve().parents[2]
PHYSICS, SCENE = "synthetic-physics-0", "synthetic-1"
CONFIGURATION = """{
  listen: [{ address: "127.0.0.1:0", trustLocalUsers: true }], state: "none", cameras: ["synthetic:physics:320x240@30,light=2", "synthetic:320x240@30"],
  gainISO: { "synthetic-physics-0": [100, 1600] },
  location: { latitude: -33.8568, longitude: 151.2153, altitude: 4.5 },
  lenses: { "synthetic-physics-0": { make: "Lensmaker", model: "L 3.67", focalLength: 3.67, focalLengthIn35mm: 28, fNumber: 2 } },
}"""
TAGS = {"Artist": "Ada", "Copyright": "Ada Ä, 2026", "ImageDescription": "a desk", "UserComment": "größer", "CameraOwnerName": "Bob"}


def exif(photo):
    """What exiftool reads, by group and name: the values as numbers."""
    command = ["exiftool", "-j", "-n", "-G1", "-struct", "-"]
    return json.loads(subprocess.run(command, input=photo, stdout=subprocess.PIPE, check=True).stdout)[0]


def warnings(photo):
    """What exiftool finds wrong with it."""
    command = ["exiftool", "-validate", "-warning", "-error", "-a", "-s3", "-"]
    return subprocess.run(command, input=photo, stdout=subprocess.PIPE, check=True).stdout.decode()


def take(address, camera, **settings):
    request = pb.CapturePhotoRequest(device=camera, settings=pb.PhotoSettings(**settings))
    with Connection(address, timeout=60) as node:
        *_, photo = node.server_stream("capture.v1.Photos/Capture", request, pb.PhotoEvent, timeout=60)
    return photo


def listed():
    """The tags in the tables of the page: what exiftool calls their group, and their names."""
    page = (PROJECT / "docs/photos.md").read_text()
    groups = {"EXIF": None, "GPS": "GPS", "XMP": "XMP-capture"}
    heading = None
    for line in page.splitlines():
        if line.startswith("### "):
            heading = line.removeprefix("### ")
        elif heading in groups and line.startswith("| `"):
            for name in re.findall(r"`(\w+)`", line.split("|")[1]):
                yield groups[heading], name


# What exiftool calls tags that have another name in EXIF.
NAMES = {"PhotographicSensitivity": "ISO", "ExposureBiasValue": "ExposureCompensation", "BodySerialNumber": "SerialNumber",
         "CameraOwnerName": "OwnerName", "PixelXDimension": "ExifImageWidth", "PixelYDimension": "ExifImageHeight",
         "FocalLengthIn35mmFilm": "FocalLengthIn35mmFormat", "DateTimeOriginal": "DateTimeOriginal"}


def every_tag_of_the_page_is_read(address):
    tags = [pb.PhotoTag(name=name, value=text) for name, text in TAGS.items()]
    # One of a bracket has them all.
    photo = take(address, PHYSICS, shot="rose 3", tags=tags, bracket=[pb.BracketStep(bias=0)])
    read = exif(photo.data)
    names = list(listed())
    assert len(names) > 40, names
    for group, name in names:
        found = [key for key in read if key.split(":")[-1] in (name, NAMES.get(name)) and group in (None, key.split(":")[0])]
        assert found, f"{group}:{name} is not in {sorted(read)}"


def the_tags_are_what_the_node_tells(address):
    photo = take(address, PHYSICS, shot="rose 3", tags=[pb.PhotoTag(name=name, value=text) for name, text in TAGS.items()])
    read, told, settings = exif(photo.data), photo.metadata, photo.info.settings

    def same(tag, value, within=0.0):
        found = read[tag]
        assert abs(found - value) <= within if isinstance(value, float) else str(found) == str(value), (tag, found, value)

    for name, text in TAGS.items():
        same(("ExifIFD:" if name in ("UserComment", "CameraOwnerName") else "IFD0:") + NAMES.get(name, name), text)
    assert {tag.name: tag.value for tag in told.tags} == TAGS
    same("IFD0:Make", told.make)
    same("IFD0:Model", told.model)
    same("IFD0:Orientation", 1)
    same("ExifIFD:SerialNumber", told.body_serial_number)
    same("ExifIFD:ImageUniqueID", told.image_unique_id)
    same("ExifIFD:ExposureTime", settings.exposure_duration.value, 1e-6)
    same("ExifIFD:ISO", float(settings.iso.value), 0.5)
    same("ExifIFD:ExposureMode", 0)
    same("ExifIFD:WhiteBalance", 0 if told.white_balance_mode != pb.WHITE_BALANCE_MODE_LOCKED else 1)
    same("ExifIFD:Flash", 16)
    same("ExifIFD:FocalLength", 3.67, 1e-9)
    same("ExifIFD:FNumber", 2)
    same("ExifIFD:LensMake", "Lensmaker")
    same("ExifIFD:LensModel", "L 3.67")
    same("ExifIFD:ExifImageWidth", photo.info.size.width)
    same("GPS:GPSLatitude", 33.8568, 1e-6)
    same("GPS:GPSLatitudeRef", "S")
    same("GPS:GPSLongitude", 151.2153, 1e-6)
    same("GPS:GPSAltitude", 4.5, 1e-6)
    same("XMP-capture:Shot", "rose 3")
    assert told.shot == "rose 3", told
    same("XMP-capture:Node", told.node)
    same("XMP-capture:Camera", told.device)
    same("XMP-capture:ExposureStart", photo.info.exposure.start_ns)
    same("XMP-capture:ExposureUncertainty", photo.info.exposure.uncertainty_ns)
    word = pb.Provenance.Name(settings.exposure_duration.provenance).removeprefix("PROVENANCE_").lower()
    same("XMP-capture:ExposureDurationProvenance", word)
    date, offset = read["ExifIFD:DateTimeOriginal"], read["ExifIFD:OffsetTimeOriginal"]
    command = ["date", "--utc", "+%s", "--date", re.sub(r"^(\d+):(\d+):", r"\1-\2-", date) + " " + offset]
    assert int(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout) == told.taken.ns // 10**9, (date, offset)
    assert int(str(read["ExifIFD:SubSecTimeOriginal"]).ljust(6, "0")) == told.taken.ns // 1000 % 10**6, read


def what_nobody_knows_is_absent(address):
    photo = take(address, SCENE)
    read = exif(photo.data)
    for name in ("FocalLength", "FNumber", "LensModel", "ISO", "Artist"):
        assert not [key for key in read if key.endswith(":" + name)], (name, read)
    assert photo.metadata.body_serial_number and not photo.metadata.HasField("lens")


def exiftool_finds_nothing_wrong(address):
    for camera in (PHYSICS, SCENE):
        found = warnings(take(address, camera).data)
        assert not [line for line in found.splitlines() if line not in ("", "OK")], found


def without_metadata_there_is_none(address):
    photo = take(address, PHYSICS, without_metadata=True)
    assert not photo.HasField("metadata")
    assert not [key for key in exif(photo.data) if key.split(":")[0] in ("IFD0", "ExifIFD", "GPS", "XMP-capture")]


TESTS = [
    every_tag_of_the_page_is_read,
    the_tags_are_what_the_node_tells,
    what_nobody_knows_is_absent,
    exiftool_finds_nothing_wrong,
    without_metadata_there_is_none,
]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with configured_node(sys.argv[1], CONFIGURATION) as address:
        failures = sum([not passes(test, address) for test in TESTS])
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
