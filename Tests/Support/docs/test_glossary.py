"""Types that the first columns of docs/glossary.md name are declared in Sources; and the glossary has the ideas of the model and the engine.

A type that Sources/CaptureModel or Sources/CaptureEngine declares outside of any other counts as named if a first column has it in backticks, or if the last
word of its name is a term of the page by itself: `SessionMemory` is a memory, `DeviceWatch` a watch. All others are in UNNAMED, in groups that say why.
Types that are private to their file do not count."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "glossary.md"
DECLARATION = re.compile(r"^\s*(?:(?:public|package|private|fileprivate|final|indirect)\s+)*(?:struct|class|actor|enum|protocol)\s+(\w+)", re.M)
OUTERMOST = re.compile(r"^(?:(?:public|package|final|indirect)\s+)*(?:struct|class|actor|enum|protocol)\s+(\w+)", re.M)
WITH_TERMS = "CaptureModel", "CaptureEngine"

UNNAMED = {
    "a word of V4L2, AVFoundation, colour science or maps, as its comment says": """
        ControlID ControlType ControlFlags ColorSpace TransferFunction ColorMatrix PlaneLayout SizeOption IntervalOptions SensorCrop VideoTimings
        MediaType FocusRange TemperatureAndTint WhiteBalanceGains Orientation Chromaticity PlanckianLocus LinearColor ChromaSubsampling
        GeographicLocation Lens""",
    "a size, an area, a time, a place or a name: its words say all": """
        FrameSize ViewSize PageSize PixelArea ViewRect UTCTime ExposureTime FrameTimestamp PhotoTime PhotoNearness SequencePlace
        ProfileName SessionName""",
    "a value of something that has a row, or values by their settings": """
        ControlAssignment ControlReadout NamedAssignment FocusNumbers ExposureNumbers WhiteBalanceNumbers SettingKeyed SettingSet SettingValue SettingsKey
        StreamFormat ActiveFormat ZoomKind OrientationMethod JPEGConversion PhotoStoring LeaseClaim LibraryFilter VideoMessage ControlTable""",
    "what the node tells, or was told by its configuration": """
        NodeInfo FrameInfo PhotoSettling PendingAccess WantedAccess CameraSetup PastError StoreFailure""",
    "a part of the device, named by what it has": """
        Automation Zoom FrameDurationBounds PhotoActivity InUseLight PhotoLight SettingsWatchers""",
    "the inside of one folder, or a tool that knows no camera": """
        CalibrationStates ModeSwitchTarget FrameMeasurer FrameChoice PictureMatch InputState SessionTable RoundRobinQueue
        RateMeter Ending""",
}


def first_columns(page):
    return [line.split("|")[1] for line in page.splitlines() if line.startswith("|")]


def named(page):
    """The names in backticks in the first column of the page's tables; of `Outer.Inner` both."""
    return {part for column in first_columns(page) for name in re.findall(r"`([^`]+)`", column) for part in name.split(".")}


def terms(page):
    """The terms in the first columns, without what is in parentheses."""
    return {term.strip().lower() for column in first_columns(page) for term in re.sub(r"\([^()]*\)", "", column).split(",")}


def last_word(name):
    return re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)[-1].lower()


def has_term(name, words):
    word = last_word(name)
    return bool({word, word + "s", word.removesuffix("s")} & words)


def unnamed(types, page):
    names, words = named(page), terms(page)
    return {name for name in types if name not in names and not has_term(name, words)}


def declared():
    return {name for path in (ROOT / "Sources").rglob("*.swift") for name in DECLARATION.findall(path.read_text())}


def declared_with_terms():
    paths = [path for target in WITH_TERMS for path in (ROOT / "Sources" / target).rglob("*.swift")]
    return {name for path in paths for name in OUTERMOST.findall(path.read_text())}


def selftest():
    assert named("| made up (`NoSuchType`) | `Elsewhere` |") - declared() == {"NoSuchType"}, "an unknown type is not found"
    page = "| memory, store (`CameraMemory`, `Some.Store`) | keeps `Others` |\n| saved view | |"
    assert unnamed({"CameraMemory", "LampMemory", "CameraMemories", "Store", "AllStores", "Others", "SomeView"}, page) == {"CameraMemories", "Others", "SomeView"}
    assert OUTERMOST.findall("public final class A {\n  struct B {}\n}\nprivate struct C {}\nextension D {}\npackage enum E {}") == ["A", "E"]
    assert [last_word(name) for name in ("SettingsMap", "Lens", "ControlID", "DNGFile2")] == ["map", "lens", "id", "file2"]


def main():
    selftest()
    page = PAGE.read_text()
    names = named(page)
    wrong = [f"{PAGE.relative_to(ROOT)} names {name}, which Sources does not declare" for name in sorted(names - declared())]
    missing = unnamed(declared_with_terms(), page)
    excused = " ".join(UNNAMED.values()).split()
    wrong += [f"{PAGE.relative_to(ROOT)} has no row for {name}; give it one, or a place in {Path(__file__).name}" for name in sorted(missing - set(excused))]
    wrong += [f"{Path(__file__).name} excuses {name}, which is not declared, or is in the glossary" for name in sorted(set(excused) - missing)]
    wrong += [f"{Path(__file__).name} excuses {name} twice" for name in sorted(set(excused)) if excused.count(name) > 1]
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong or len(names) < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
