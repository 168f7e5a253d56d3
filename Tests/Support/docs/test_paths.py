"""Files and folders that docs/architecture.md names are there, and a stream's hub names no consumer (docs/adr/0034)."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "architecture.md"
HUB = ROOT / "Sources" / "CaptureEngine" / "Streams"
CONSUMERS = re.compile("photo|calibrat|software|3a\\b", re.I)


def main():
    named = set(re.findall(r"`((?:Sources|Tests|proto|scripts|docs)/[^` ]+)`", PAGE.read_text()))
    missing = sorted(path for path in named if not (ROOT / path).exists())
    for path in missing:
        print(f"{PAGE.relative_to(ROOT)} names {path}, which is not there", file=sys.stderr)
    partial = sorted(path for path in HUB.glob("*.swift") if CONSUMERS.search(path.read_text()))
    for path in partial:
        print(f"{path.relative_to(ROOT)} names a consumer of the stream's frames", file=sys.stderr)
    return 1 if missing or partial or len(named) < 20 or not HUB.is_dir() else 0


if __name__ == "__main__":
    sys.exit(main())
