"""Has others open the files of a photo: djpeg, pngcheck, ffmpeg, exiftool, dcraw and libraw's raw-identify.

usage: test_photo_formats.py DIRECTORY-OF-PROGRAMS

Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from cases import passes
from capture_client import Connection, NodeError, pb
from configured_node import configured_node

PHYSICS, SCENE = "synthetic-physics-0", "synthetic-1"
CONFIGURATION = """{
  listen: [{ address: "127.0.0.1:0", trustLocalUsers: true }], state: "none", cameras: ["synthetic:physics:320x240@30,light=2", "synthetic:320x240@30"],
  sensors: { "synthetic-1": { blackLevel: 3, whiteLevel: 250, neutral: [0.5, 1, 0.625], colorMatrix: [1, 0, 0, 0, 1, 0, 0, 0, -0.5] } },
}"""
JPEG, PNG, DNG, RAW = (pb.PhotoFileType.Value(f"PHOTO_FILE_TYPE_{name}") for name in ("JPEG", "PNG", "DNG", "RAW"))


def run(*command, data=None):
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout


def take(address, camera, *formats, **settings):
    """The files of a photo, by type."""
    formats = [one if isinstance(one, pb.PhotoFormat) else pb.PhotoFormat(type=one) for one in formats]
    request = pb.CapturePhotoRequest(device=camera, settings=pb.PhotoSettings(formats=formats, settle=pb.SettlingBound(), **settings))
    with Connection(address, timeout=60) as node:
        events = node.server_stream("capture.v1.Photos/Capture", request, pb.PhotoEvent, timeout=60)
        files = [event for event in events if event.stage == pb.PhotoEvent.PHOTO]
    assert [file.resource.type for file in files] == [one.type for one in formats], files
    return {file.resource.type: file for file in files}


def refusal(address, camera, *formats):
    try:
        take(address, camera, *formats)
    except NodeError as error:
        return error
    raise AssertionError("it was not refused")


def exif(data):
    return json.loads(run("exiftool", "-j", "-n", "-G1", "-struct", "-", data=data))[0]


def pixels(data, kind):
    """The picture as R G B, by a decoder that is not ours."""
    with tempfile.NamedTemporaryFile(suffix=f".{kind}") as file:
        Path(file.name).write_bytes(data)
        return run("ffmpeg", "-loglevel", "error", "-i", file.name, "-f", "rawvideo", "-pix_fmt", "rgb24", "-")


def several_files_are_of_one_frame(address):
    files = take(address, SCENE, JPEG, PNG, DNG, RAW)
    assert len({(file.info.sequence, file.info.timestamp_ns) for file in files.values()}) == 1
    assert len({files[kind].metadata.image_unique_id for kind in (JPEG, PNG, DNG)}) == 1
    assert not files[RAW].HasField("metadata") and len(files[RAW].data) == 320 * 240
    kinds = [(file.resource.kind, file.resource.media_type) for file in files.values()]
    photo, raw = pb.PhotoResource.PHOTO, pb.PhotoResource.RAW
    assert kinds == [(photo, "image/jpeg"), (photo, "image/png"), (raw, "image/x-adobe-dng"), (raw, "application/octet-stream")], kinds
    near = [abs(a - b) for a, b in zip(pixels(files[JPEG].data, "jpg"), pixels(files[PNG].data, "png"))]
    assert sum(near) / len(near) < 4, sum(near) / len(near)


def djpeg_and_pngcheck_pass_them(address):
    for camera in (PHYSICS, SCENE):
        files = take(address, camera, JPEG, PNG)
        run("djpeg", data=files[JPEG].data)
        with tempfile.NamedTemporaryFile(suffix=".png") as file:
            Path(file.name).write_bytes(files[PNG].data)
            assert b"OK: " in run("pngcheck", file.name)
        read, told = exif(files[PNG].data), files[PNG].metadata
        assert read["ExifIFD:ImageUniqueID"] == told.image_unique_id and read["IFD0:Orientation"] == 1, read
        assert read["XMP-capture:Camera"] == told.device, read
        assert read["PNG:ImageWidth"] == 320, read


def a_png_is_scaled_turned_and_grey_where_asked(address):
    rendition = pb.Rendition(size=pb.Size(width=60, height=80), orientation=90, gravity=pb.VIDEO_GRAVITY_RESIZE_ASPECT)
    png = take(address, SCENE, pb.PhotoFormat(type=PNG, rendition=rendition))[PNG]
    read = exif(png.data)
    assert (read["PNG:ImageWidth"], read["PNG:ImageHeight"]) == (60, 80), read
    grey = take(address, PHYSICS, pb.PhotoFormat(type=PNG, rendition=pb.Rendition(source_pixel_format=int.from_bytes(b"GREY", "little"))))[PNG]
    assert exif(grey.data)["PNG:ColorType"] == 0


def raw_converters_open_the_dng(address):
    files = take(address, SCENE, DNG, PNG)
    dng = files[DNG].data
    read = exif(dng)
    expected = {
        "IFD0:DNGVersion": "1 4 0 0", "IFD0:Compression": 1, "IFD0:PhotometricInterpretation": 32803, "IFD0:CFAPattern2": "0 1 1 2",
        "IFD0:CFARepeatPatternDim": "2 2", "IFD0:BitsPerSample": 8, "IFD0:BlackLevel": 3, "IFD0:WhiteLevel": 250, "IFD0:AsShotNeutral": "0.5 1 0.625",
        "IFD0:ColorMatrix1": "1 0 0 0 1 0 0 0 -0.5", "IFD0:Orientation": 1, "ExifIFD:ImageUniqueID": files[DNG].metadata.image_unique_id,
        "IFD0:ImageWidth": 320, "IFD0:ImageHeight": 240, "XMP-capture:Camera": SCENE,
    }
    for tag, value in expected.items():
        assert str(read.get(tag)) == str(value), (tag, read.get(tag), value)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "photo.dng")
        path.write_bytes(dng)
        assert b"DNG" in run("raw-identify", "-v", str(path)) or b"Synthetic" in run("raw-identify", str(path))
        # The samples, without white balance or colour conversion, scaled to nothing: what the camera gave.
        header, rest = run("dcraw", "-c", "-D", "-4", str(path)).split(b"65535\n", 1)
        assert header.split()[:3] == [b"P5", b"320", b"240"], header
        samples = rest[1::2]
    assert samples == dng[-320 * 240:] and len(set(samples)) > 20


def a_dng_is_turned_by_its_tag(address):
    rendition = pb.Rendition(orientation=90, mirrored=True)
    file = take(address, SCENE, pb.PhotoFormat(type=DNG, rendition=rendition))[DNG]
    assert exif(file.data)["IFD0:Orientation"] == 5 and file.metadata.exif_orientation == 5


def everything(address, camera, **settings):
    """All events of a photo."""
    request = pb.CapturePhotoRequest(device=camera, settings=pb.PhotoSettings(settle=pb.SettlingBound(), **settings))
    with Connection(address, timeout=60) as node:
        return list(node.server_stream("capture.v1.Photos/Capture", request, pb.PhotoEvent, timeout=60))


def a_thumbnail_is_within_the_exif(address):
    formats = [pb.PhotoFormat(type=one) for one in (JPEG, PNG, DNG)]
    files = [event for event in everything(address, SCENE, formats=formats, thumbnail=pb.Size(width=160, height=160)) if event.stage == pb.PhotoEvent.PHOTO]
    for file in files:
        small = run("exiftool", "-b", "-ThumbnailImage", "-", data=file.data)
        assert small[:2] == b"\xff\xd8" and 500 < len(small) < 60000, len(small)
        read = exif(small)
        assert (read["File:ImageWidth"], read["File:ImageHeight"]) == (160, 120), read
        run("djpeg", data=small)
        # From a pipe exiftool knows no size, and takes every offset behind the first bytes for wrong.
        with tempfile.NamedTemporaryFile() as place:
            place.write(file.data)
            place.flush()
            told = run("exiftool", "-validate", "-warning", "-error", "-a", "-s3", place.name).decode().splitlines()
        wrong = [line for line in told
                 if line not in ("", "OK") and "DNG" not in line and "IFD0" not in line]
        assert not wrong, (file.resource.media_type, wrong)
    whole, seen = pixels(files[0].data, "jpg"), pixels(run("exiftool", "-b", "-ThumbnailImage", "-", data=files[0].data), "jpg")
    # The same picture: each quarter is about as bright.
    def quarter(data, width, height, x, y):
        rows = range(y * height // 2, (y + 1) * height // 2)
        cut = [data[(row * width + x * width // 2) * 3:(row * width + (x + 1) * width // 2) * 3] for row in rows]
        return sum(map(sum, cut)) / sum(map(len, cut))
    for x in (0, 1):
        for y in (0, 1):
            assert abs(quarter(whole, 320, 240, x, y) - quarter(seen, 160, 120, x, y)) < 3


def a_preview_comes_first(address):
    events = everything(address, SCENE, preview=pb.Size(width=64, height=64))
    stages = [pb.PhotoEvent.Stage.Name(event.stage) for event in events]
    assert stages == ["WILL_BEGIN", "WILL_CAPTURE", "DID_CAPTURE", "PREVIEW", "PHOTO"], stages
    begin, preview, photo = events[0], events[3], events[4]
    assert (begin.resolved.preview.width, begin.resolved.preview.height) == (64, 48) and not begin.resolved.HasField("thumbnail")
    assert preview.resource.kind == pb.PhotoResource.PREVIEW and preview.info.sequence == photo.info.sequence
    assert exif(preview.data)["File:ImageWidth"] == 64


def a_photo_is_turned_as_asked(address):
    mjpeg = int.from_bytes(b"MJPG", "little")
    turned = pb.PhotoOrientation(degrees=90, mirrored=True)

    def photo(method, size=None):
        rendition = pb.Rendition(source_pixel_format=mjpeg)
        begin, *_, last = everything(address, SCENE, rendition=rendition, orientation=turned, orientation_method=method)
        return begin.resolved.files[0], last

    upright = everything(address, SCENE, rendition=pb.Rendition(source_pixel_format=mjpeg))
    assert not upright[0].resolved.files[0].reencoded and upright[-1].resource.orientation_method == 0
    for method in (pb.ORIENTATION_METHOD_UNSPECIFIED, pb.ORIENTATION_METHOD_LOSSLESS):
        planned, last = photo(method)
        assert planned.orientation_method == last.resource.orientation_method == pb.ORIENTATION_METHOD_LOSSLESS, (planned, last.resource)
        assert not last.resource.reencoded and (last.info.size.width, last.info.size.height) == (240, 320)
        assert exif(last.data)["IFD0:Orientation"] == 1
    planned, last = photo(pb.ORIENTATION_METHOD_ENCODED)
    assert planned.reencoded and last.resource.reencoded and last.resource.orientation_method == pb.ORIENTATION_METHOD_ENCODED
    planned, last = photo(pb.ORIENTATION_METHOD_FLAG)
    assert last.resource.orientation_method == pb.ORIENTATION_METHOD_FLAG and not last.resource.reencoded
    assert (last.info.size.width, last.info.size.height) == (320, 240) and exif(last.data)["IFD0:Orientation"] == 5, exif(last.data)


def the_same_id_gives_the_same_photo(address):
    first, again, other = (everything(address, SCENE, request_id=name)[-1] for name in ("a", "a", "b"))
    assert first.data == again.data and first.metadata == again.metadata and other.metadata.image_unique_id != first.metadata.image_unique_id
    try:
        everything(address, SCENE, request_id="a", tags=[pb.PhotoTag(name="Artist", value="Ada")])
    except NodeError as error:
        assert error.code == 3 and error.details.field == "settings.request_id", error.text
    else:
        raise AssertionError("an id was taken for two requests")


def without_bayer_there_is_no_dng(address):
    error = refusal(address, PHYSICS, JPEG, DNG)
    assert error.code == 3 and "Bayer" in error.text and "YUYV" in error.text, error.text


TESTS = [
    several_files_are_of_one_frame,
    djpeg_and_pngcheck_pass_them,
    a_png_is_scaled_turned_and_grey_where_asked,
    raw_converters_open_the_dng,
    a_dng_is_turned_by_its_tag,
    a_thumbnail_is_within_the_exif,
    a_preview_comes_first,
    a_photo_is_turned_as_asked,
    the_same_id_gives_the_same_photo,
    without_bayer_there_is_no_dng,
]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with configured_node(sys.argv[1], CONFIGURATION) as address:
        failures = sum([not passes(test, address) for test in TESTS])
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
