"""Files, folders and functions that docs/architecture.md and docs/loop.md name are there, a stream's hub and a device name no consumer, and a device nothing that makes one but its parts (docs/adr/0034),
a setting is named in few files (docs/adr/0038), `Device` stays small (docs/adr/0032), and the wire stays inside of the client library: capturectl does not import it, and nothing public there has its types (docs/adr/0042).
A message is mapped in one file, both ways, and the test of a newer node has a value that nobody knows of each enum in an answer (mappings.py)."""

import re
import sys
from pathlib import Path

import mappings

ROOT = Path(__file__).resolve().parents[3]
PAGES = [ROOT / "docs" / "architecture.md", ROOT / "docs" / "loop.md"]
PATH = r"`((?:Sources|Tests|proto|scripts|docs)/[^` ]+)`"
# A path with the names that the file declares: `Sources/A/B.swift` (`c`, `d`)
DECLARED = re.compile(PATH + r" \(((?:`\w+`(?:, )?)+)\)")
DECLARATION = r"\b(?:(?:func|var|let|case|class|struct|enum|protocol|actor|extension) {0}|{0}(?<=init))\b"
HUB = ROOT / "Sources" / "CaptureEngine" / "Streams"
ENGINE = ROOT / "Sources" / "CaptureEngine"
DEVICE = re.compile(r"^\s*(?:\w+ )*(?:actor|extension) Device\b", re.M)
WIRE = re.compile(r"^\s*(?:@\w+ )*(?:(?:public|package) )?import (?:\w+ )?Capture(?:Wire|Transport)\b", re.M)
SHOWN_WIRE = re.compile(r"^\s*(?:@\w+ )*public import (?:\w+ )?Capture(?:Wire|Transport)\b", re.M)
# A setting is a row in each layer's table: a new one touches so many files that are written by hand (docs/adr/0038).
SETTING = re.compile("iris", re.I)
MOST_FILES_OF_A_SETTING = 8
GENERATED = "Generated", "CCaptureProto", "baseline.txt"
# The state of a device's part is its own: nobody else sets it, and only the device begins and ends its stream (docs/adr/0032).
PART = re.compile(r"^(?:(?:public|package) )?final class (\w+)[^\n]*\{\n(.*?)^\}", re.M | re.S)
OPEN_STATE = re.compile(r"^  (?:(?:public|package) )?(?:(?:lazy|weak|unowned) )?var \w+[^{\n]*$", re.M)
SET_FROM_OUTSIDE = re.compile(r"^\s*(?:device|context)(?:\.\w+)+ [-+]?= ", re.M)
FOR_THE_DEVICE = re.compile(r"\bstream\.(?:began|ended|reserved)\(|\bdevice\.endStream\(|\bpast\.")
# What the settings consist of is theirs: other parts ask the settings.
OF_SETTINGS = re.compile(r"\bsettings\.(?:controls|zoom|lights|automation|watchers|observed|ledger|frameDuration)\b\.")
CONSUMERS = re.compile("photo|calibrat|software|3a\\b|\\brenditions?\\b|\\bas[?!] ", re.I)
CONSUMER = re.compile(r"\b(?:class|struct|actor|extension) (\w+)[^{\n]*:[^{\n]*\bFrameConsumer\b")
# A device knows photos no further than that it has the part that takes them.
PHOTOS = re.compile("photo", re.I)
PART_OF_PHOTOS = re.compile(r"\bphotos: Photos\b|\bphotos = Photos\(|\bactivity: PhotoActivity\b")
# The output of the device's default session, which the device makes with its stream.
OF_THE_DEVICE = {"VideoOutput"}
# What makes consumers is no name in the device either, but for its own parts, which it makes.
BODY = re.compile(r"^(?:(?:public|package|private|fileprivate|final) )*(?:class|struct|actor|enum|extension) (\w+)[^\n]*\{\n(.*?)^\}", re.M | re.S)
PARTS_THAT_TAKE_FRAMES = {"Photos", "DeviceCalibration"}


def consumers_named(text, names):
    """The types of consumers that code names, comments aside."""
    return sorted(names & set(re.findall(r"\w+", re.sub(r"//.*", "", text))))


def makers(text, names):
    """The types in whose code, comments aside, consumers are made."""
    made = re.compile(rf"(?<![\w.])(?:{'|'.join(names)})(?:<[^>()]*>)?\(")
    return {name for name, body in BODY.findall(text) if made.search(re.sub(r"//.*", "", body))}


def undeclared(text):
    """The files with names that a page gives them and that they do not declare."""
    for path, names in DECLARED.findall(text):
        source = (ROOT / path).read_text() if (ROOT / path).is_file() else ""
        for name in re.findall(r"\w+", names):
            if not re.search(DECLARATION.format(name), source):
                yield path, name


def selftest():
    lines = "`Tests/Support/docs/test_paths.py` (`main`, `let`)", "`Sources/CaptureEngine/Devices/Device.swift` (`Device`, `init`, `nothing`)"
    assert CONSUMER.findall("final class A: FrameConsumer {\nextension B: C, FrameConsumer {\nclass D: E {") == ["A", "B"]
    assert not PHOTOS.search(PART_OF_PHOTOS.sub("", "public let photos: Photos\nphotos = Photos(")) and PHOTOS.search(PART_OF_PHOTOS.sub("", "await photos.joined()"))
    assert consumers_named("let a = ARing() // B\nlet c: [A]", {"A", "B"}) == ["A"] and all(map(CONSUMERS.search, ("a as? B", "Rendition(")))
    assert makers("final class D {\n  // A()\n  let a: A\n}\nextension E: F {\n  func a() { B<C>(1) }\n}\npackage struct G {\n  let b = A()\n}", {"A", "B"}) == {"E", "G"}
    assert [name for line in lines for _, name in undeclared(line)] == ["main", "let", "nothing"]


def main():
    selftest()
    mappings.selftest()
    missing = []
    for page in PAGES:
        paths = set(re.findall(PATH, page.read_text()))
        found = [(path, None) for path in sorted(paths) if not (ROOT / path).exists()] + list(undeclared(page.read_text()))
        if len(paths) < 3:
            found.append(("hardly a file", None))
        for path, name in found:
            print(f"{page.relative_to(ROOT)} names {name + ' in ' if name else ''}{path}, which is not there", file=sys.stderr)
        missing += found
    partial = sorted(path for path in HUB.glob("*.swift") if CONSUMERS.search(path.read_text()))
    consumers = {name for path in (ROOT / "Sources").rglob("*.swift") for name in CONSUMER.findall(path.read_text())}
    partial += [path for path in HUB.glob("*.swift") if consumers_named(path.read_text(), consumers)]
    making = {name for path in ENGINE.rglob("*.swift") for name in makers(path.read_text(), consumers)} - PARTS_THAT_TAKE_FRAMES - {"Device"}
    partial += [path for path in (ENGINE / "Devices").glob("Device*.swift") if consumers_named(path.read_text(), (consumers | making) - OF_THE_DEVICE)]
    partial += [path for path in (ENGINE / "Devices").glob("Device*.swift") if PHOTOS.search(PART_OF_PHOTOS.sub("", path.read_text()))]
    for path in partial:
        print(f"{path.relative_to(ROOT)} names a consumer of the stream's frames, or what makes one", file=sys.stderr)
    sources = [path for folder in ("Sources", "proto") for path in (ROOT / folder).rglob("*") if path.is_file() and not set(GENERATED) & set(path.parts)]
    naming = sorted(str(path.relative_to(ROOT)) for path in sources if SETTING.search(path.read_text()))
    if len(naming) > MOST_FILES_OF_A_SETTING:
        print(f"{len(naming)} files name the iris, and a setting is to touch {MOST_FILES_OF_A_SETTING} at most: {', '.join(naming)}", file=sys.stderr)
        return 1
    engine = {path: path.read_text() for path in sorted(ENGINE.rglob("*.swift"))}
    open_parts = []
    for path, text in engine.items():
        open_parts += [f"{path.name}: {part} lets others set: {line.strip()}" for part, body in PART.findall(text) for line in OPEN_STATE.findall(body)]
        open_parts += [f"{path.name} sets what is another's: {line.strip()}" for line in SET_FROM_OUTSIDE.findall(text)]
        if not path.name.startswith("Device.") and not path.name.startswith("Device+") and path.name != "DeviceStatus.swift":
            open_parts += [f"{path.name} does what is the device's to do: {found.group()}" for found in FOR_THE_DEVICE.finditer(text)]
        if path.parent.name != "Settings" and not path.name.startswith("DeviceSettings+"):
            open_parts += [f"{path.name} looks into the settings instead of asking them: {found.group()}" for found in OF_SETTINGS.finditer(text)]
    for line in open_parts:
        print(line, file=sys.stderr)
    wired = [path for path in (ROOT / "Sources" / "capturectl").rglob("*.swift") if WIRE.search(path.read_text())]
    wired += [path for path in (ROOT / "Sources" / "CaptureClient").rglob("*.swift") if SHOWN_WIRE.search(path.read_text())]
    for path in wired:
        print(f"{path.relative_to(ROOT)} has the wire, which belongs inside of CaptureClient", file=sys.stderr)
    wrong = list(mappings.misplaced())
    if mappings.untried_enums():
        wrong.append(f"{mappings.NEWER_NODE.relative_to(ROOT)} has no value that nobody knows of {', '.join(mappings.untried_enums())}")
    for line in wrong:
        print(line, file=sys.stderr)
    device = [path for path in ENGINE.rglob("*.swift") if DEVICE.search(path.read_text())]
    lines = sum(len(path.read_text().splitlines()) for path in device)
    if not 1 <= len(device) <= 4 or lines > 500:
        print(f"Device has {lines} lines in {len(device)} files; it is to have 500 in 4 at most", file=sys.stderr)
        return 1
    return 1 if missing or partial or open_parts or wired or wrong or not HUB.is_dir() else 0


if __name__ == "__main__":
    sys.exit(main())
