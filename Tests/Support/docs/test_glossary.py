"""Types that the first columns of docs/glossary.md name are declared in Sources; and the glossary has the ideas of the model and the engine.

A type that Sources/CaptureModel or Sources/CaptureEngine declares outside of any other counts as named if a first column has it in backticks, or if the last
word of its name has a row of its own, with its meaning: "-Memory", so `LampMemory` is a memory. That a word is a term of the page is not enough:
`MeasuredFrame` is no frame. All others are in UNNAMED, in groups that say why. Types that are private to their file do not count."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "glossary.md"
DECLARATION = re.compile(r"^\s*(?:(?:@frozen|public|package|private|fileprivate|final|indirect)\s+)*(?:struct|class|actor|enum|protocol)\s+(\w+)", re.M)
OUTERMOST = re.compile(r"^(?:(?:@frozen|public|package|final|indirect)\s+)*(?:struct|class|actor|enum|protocol)\s+(\w+)", re.M)
WITH_TERMS = "CaptureModel", "CaptureEngine"

UNNAMED = {
    "a word of V4L2, AVFoundation, colour science or maps, as its comment says": """
        ControlID ControlType ControlFlags ColorSpace TransferFunction ColorMatrix PlaneLayout SizeOption IntervalOptions SensorCrop VideoTimings
        MediaType FocusRange TemperatureAndTint WhiteBalanceGains Orientation Chromaticity PlanckianLocus LinearColor ChromaSubsampling
        GeographicLocation Lens""",
    "a size, an area, a time, a place or a name: its words say all": """
        FrameSize ViewSize PageSize PixelArea ViewRect ViewPoint UTCTime ExposureTime FrameTimestamp PhotoTime PhotoNearness SequencePlace
        ProfileName SessionName""",
    "a value of something that has a row, or values by their settings": """
        ControlAssignment ControlReadout ControlReading ControlSetting NamedAssignment FocusNumbers ExposureNumbers WhiteBalanceNumbers SettingKeyed SettingSet SettingValue SettingsKey
        StreamFormat ActiveFormat ZoomKind OrientationMethod JPEGConversion PhotoStoring LeaseClaim LibraryFilter VideoMessage
        NextFrame SkipReason RevokedSessions""",
    "what the node tells, or was told by its configuration": """
        NodeInfo FrameInfo PhotoSettling PendingAccess WantedAccess CameraSetup PastError StoreFailure
        SensorCalibration""",
    "a part of the device, named by what it has": """
        Automation Zoom FrameDurationBounds PhotoActivity InUseLight PhotoLight SettingsWatchers
        CameraControls CurrentCamera DeviceInputs Photos Profiles""",
    "the inside of one folder, or a tool that knows no camera": """
        CalibrationStates ModeSwitchTarget OwnValues FrameMeasurer FrameChoice PictureMatch InputState SessionTable RoundRobinQueue
        RateMeter Ending MeasuredFrame FirstFrame NearestFrame PseudoControl DiscardingStore""",
}


def first_columns(page):
    return [line.split("|")[1] for line in page.splitlines() if line.startswith("|")]


def named(page):
    """The names in backticks in the first column of the page's tables; of `Outer.Inner` both."""
    return {part for column in first_columns(page) for name in re.findall(r"`([^`]+)`", column) for part in name.split(".")}


def last_words(page):
    """The last words that have a row, "| -Memory | what it means |"; without a meaning it is none."""
    return set(re.findall(r"^\| -(\w+) \| *[^|\s]", page, re.M))


def last_word(name):
    return re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)[-1]


def without_row(types, page):
    return types - named(page)


def unnamed(types, page):
    words = last_words(page)
    return {name for name in without_row(types, page) if last_word(name) not in words}


def declared():
    return {name for path in (ROOT / "Sources").rglob("*.swift") for name in DECLARATION.findall(path.read_text())}


def declared_with_terms():
    paths = [path for target in WITH_TERMS for path in (ROOT / "Sources" / target).rglob("*.swift")]
    return {name for path in paths for name in OUTERMOST.findall(path.read_text())}


def selftest():
    assert named("| made up (`NoSuchType`) | `Elsewhere` |") - declared() == {"NoSuchType"}, "an unknown type is not found"
    page = "| memory, store, view (`CameraMemory`, `Some.Store`) | keeps `Others` |\n| -Memory | is kept |\n| -Lamp | |\nof -Store | no row |"
    assert last_words(page) == {"Memory"}
    types = {"CameraMemory", "LampMemory", "CameraMemories", "Memories", "Store", "AllStore", "Others", "SomeView", "TorchLamp"}
    assert unnamed(types, page) == {"CameraMemories", "Memories", "AllStore", "Others", "SomeView", "TorchLamp"}
    assert OUTERMOST.findall("public final class A {\n  struct B {}\n}\nprivate struct C {}\nextension D {}\npackage enum E {}") == ["A", "E"]
    assert [last_word(name) for name in ("SettingsMap", "Lens", "ControlID", "DNGFile2")] == ["Map", "Lens", "ID", "File2"]


def main():
    selftest()
    page = PAGE.read_text()
    names = named(page)
    wrong = [f"{PAGE.relative_to(ROOT)} names {name}, which Sources does not declare" for name in sorted(names - declared())]
    types = declared_with_terms()
    missing = unnamed(types, page)
    unused = last_words(page) - {last_word(name) for name in without_row(types, page)}
    wrong += [f"{PAGE.relative_to(ROOT)} says what -{word} is, with which no type without a row ends" for word in sorted(unused)]
    excused = " ".join(UNNAMED.values()).split()
    wrong += [f"{PAGE.relative_to(ROOT)} has no row for {name}; give it one, or a place in {Path(__file__).name}" for name in sorted(missing - set(excused))]
    wrong += [f"{Path(__file__).name} excuses {name}, which is not declared, or is in the glossary" for name in sorted(set(excused) - missing)]
    wrong += [f"{Path(__file__).name} excuses {name} twice" for name in sorted(set(excused)) if excused.count(name) > 1]
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong or len(names) < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
