"""Files and folders that docs/architecture.md names are there."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "architecture.md"


def main():
    named = set(re.findall(r"`((?:Sources|Tests|proto|scripts|docs)/[^` ]+)`", PAGE.read_text()))
    missing = sorted(path for path in named if not (ROOT / path).exists())
    for path in missing:
        print(f"{PAGE.relative_to(ROOT)} names {path}, which is not there", file=sys.stderr)
    return 1 if missing or len(named) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
