"""Files and folders that docs/architecture.md names are there, a stream's hub names no consumer (docs/adr/0034), and `Device` stays small (docs/adr/0032)."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "architecture.md"
HUB = ROOT / "Sources" / "CaptureEngine" / "Streams"
ENGINE = ROOT / "Sources" / "CaptureEngine"
DEVICE = re.compile(r"^\s*(?:\w+ )*(?:actor|extension) Device\b", re.M)
CONSUMERS = re.compile("photo|calibrat|software|3a\\b", re.I)


def main():
    named = set(re.findall(r"`((?:Sources|Tests|proto|scripts|docs)/[^` ]+)`", PAGE.read_text()))
    missing = sorted(path for path in named if not (ROOT / path).exists())
    for path in missing:
        print(f"{PAGE.relative_to(ROOT)} names {path}, which is not there", file=sys.stderr)
    partial = sorted(path for path in HUB.glob("*.swift") if CONSUMERS.search(path.read_text()))
    for path in partial:
        print(f"{path.relative_to(ROOT)} names a consumer of the stream's frames", file=sys.stderr)
    device = [path for path in ENGINE.rglob("*.swift") if DEVICE.search(path.read_text())]
    lines = sum(len(path.read_text().splitlines()) for path in device)
    if not 1 <= len(device) <= 4 or lines > 500:
        print(f"Device has {lines} lines in {len(device)} files; it is to have 500 in 4 at most", file=sys.stderr)
        return 1
    return 1 if missing or partial or len(named) < 20 or not HUB.is_dir() else 0


if __name__ == "__main__":
    sys.exit(main())
