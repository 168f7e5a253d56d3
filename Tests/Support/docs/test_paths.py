"""Files and folders that docs/architecture.md names are there, a stream's hub names no consumer (docs/adr/0034), `Device` stays small (docs/adr/0032),
and the wire stays inside of the client library: capturectl does not import it, and nothing public there has its types (docs/adr/0042)."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "architecture.md"
HUB = ROOT / "Sources" / "CaptureEngine" / "Streams"
ENGINE = ROOT / "Sources" / "CaptureEngine"
DEVICE = re.compile(r"^\s*(?:\w+ )*(?:actor|extension) Device\b", re.M)
WIRE = re.compile(r"^\s*(?:@\w+ )*(?:(?:public|package) )?import (?:\w+ )?Capture(?:Wire|Transport)\b", re.M)
SHOWN_WIRE = re.compile(r"^\s*(?:@\w+ )*public import (?:\w+ )?Capture(?:Wire|Transport)\b", re.M)
CONSUMERS = re.compile("photo|calibrat|software|3a\\b", re.I)


def main():
    named = set(re.findall(r"`((?:Sources|Tests|proto|scripts|docs)/[^` ]+)`", PAGE.read_text()))
    missing = sorted(path for path in named if not (ROOT / path).exists())
    for path in missing:
        print(f"{PAGE.relative_to(ROOT)} names {path}, which is not there", file=sys.stderr)
    partial = sorted(path for path in HUB.glob("*.swift") if CONSUMERS.search(path.read_text()))
    for path in partial:
        print(f"{path.relative_to(ROOT)} names a consumer of the stream's frames", file=sys.stderr)
    wired = [path for path in (ROOT / "Sources" / "capturectl").rglob("*.swift") if WIRE.search(path.read_text())]
    wired += [path for path in (ROOT / "Sources" / "CaptureClient").rglob("*.swift") if SHOWN_WIRE.search(path.read_text())]
    for path in wired:
        print(f"{path.relative_to(ROOT)} has the wire, which belongs inside of CaptureClient", file=sys.stderr)
    device = [path for path in ENGINE.rglob("*.swift") if DEVICE.search(path.read_text())]
    lines = sum(len(path.read_text().splitlines()) for path in device)
    if not 1 <= len(device) <= 4 or lines > 500:
        print(f"Device has {lines} lines in {len(device)} files; it is to have 500 in 4 at most", file=sys.stderr)
        return 1
    return 1 if missing or partial or wired or len(named) < 20 or not HUB.is_dir() else 0


if __name__ == "__main__":
    sys.exit(main())
